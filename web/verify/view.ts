import type { CertificateBody, CertificateFile, CertificateSession } from '#contract/certificate-format.ts'
import {
  exactly,
  percent,
  refusalTexts,
  sourceReasons,
  sourceStates,
  sumsOf,
} from '#contract/certificate-labels.ts'
import type { ChainNote, Installation, Verdict } from './check.ts'

type Child = Node | string

/** An element with text and elements in it; never HTML. */
function element(tag: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

function drawing(tag: string, attributes: Record<string, string>, ...children: Node[]): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

const marks = {
  genuine: 'M20 6 9 17l-5-5',
  altered: 'M18 6 6 18M6 6l12 12',
  other: 'M12 8v5M12 16.5v.5M12 3 2.5 20h19z',
}

const instants = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' })

/** What an unknown certificate calls an instant may be anything. */
function instant(iso: string): string {
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? iso : instants.format(date)
}

/** What is said about one file, in words first. */
export function articleOf(name: string, verdict: Verdict, installation: Installation): HTMLElement {
  const { title, text } = headOf(verdict, installation)
  const state = verdict.state === 'genuine' && verdict.page === 'changed' ? 'changed' : verdict.state
  const mark = state === 'genuine' || state === 'altered' ? marks[state] : marks.other
  const size = { width: '24', height: '24', viewBox: '0 0 24 24', 'aria-hidden': 'true' }
  const icon = drawing('svg', size, drawing('path', { d: mark }))
  const words = [element('strong', {}, title), element('p', {}, text)]
  const head = element('div', { class: 'verdict' }, icon, ...words)
  const about = element('div', {}, element('h2', {}, name))
  if ('file' in verdict) {
    if (verdict.state !== 'genuine')
      about.append(element('p', {}, 'What the file says of itself, and what nobody vouches for:'))
    about.append(factsOf(verdict.file), ...viewingOf(verdict.file.body))
  }
  return element('article', { 'data-state': state }, head, about)
}

function headOf(verdict: Verdict, { address }: Installation): { title: string; text: string } {
  if (verdict.state === 'unreadable')
    return { title: 'Not a certificate that can be read', text: verdict.fault }
  if (verdict.state === 'altered') return { title: 'Altered', text: verdict.faults.join(' ') }
  if (verdict.state === 'foreign')
    return {
      title: 'Of another installation',
      text: `It was signed by the key ${verdict.file.keyId}, which this page does not know. Only the page of the installation that issued it can say whether it is genuine.`,
    }
  if (verdict.state === 'unchecked')
    return { title: 'Cannot be verified here', text: uncheckedText(verdict.faults) }
  const { body } = verdict.file
  const page = {
    own: '',
    sealed: ' The pages of the PDF are as they were issued, too.',
    changed:
      ' The pages around it are not as they were issued: a program has saved them anew, or somebody has changed them. Trust what stands here, not what is printed there.',
  }[verdict.page]
  const saved = verdict.isResaved ? ' The file was saved anew by a program; its content is the same.' : ''
  return {
    title: verdict.page === 'changed' ? 'Genuine text in a changed PDF' : 'Genuine',
    text: `Issued for ${body.person.name} by ${body.organization.name} at ${address}, on ${instant(body.issuedAt)}.${page}${saved}`,
  }
}

function uncheckedText(faults: string[]): string {
  if (faults.length > 0) return faults.join(' ')
  return isSecureContext
    ? 'This browser does not know Ed25519 signatures. Take a newer one, or follow the steps below under “Verify without this page”.'
    : 'Browsers verify nothing on pages that come over plain http. Save this page and open the saved file, or follow the steps below under “Verify without this page”.'
}

function neededText({ threshold, quiz }: CertificateFile['body']): string {
  const share = `No; counts from ${percent(threshold)}`
  return quiz?.required && !quiz.passed ? `${share}, with the questions passed` : share
}

function factsOf({ body, hash, keyId }: CertificateFile): HTMLElement {
  const { person, organization, video, viewing, completedAt, quiz } = body
  const source = viewing?.secondSource
  const facts: ([string, Child] | null | undefined)[] = [
    ['Person', `${person.name}, ${person.email}`],
    ['Organization', organization.name],
    ['Video', `${video.title}, version ${video.version}`],
    viewing && [
      'Watched',
      `${percent(viewing.share)} (${exactly(viewing.coveredMs)} of ${exactly(video.durationMs)})`,
    ],
    source && ['Evidence', stateWord(source.state)],
    source && ['Handed out by the server', sourceOf(source)],
    ['Completed', completedAt ? instant(completedAt) : neededText(body)],
    quiz && ['Quiz', quizText(quiz)],
    ['Issued', `No. ${body.number}, ${instant(body.issuedAt)}`],
    ['Fingerprint', element('code', {}, hash)],
    ['Key', element('code', {}, keyId)],
  ]
  const lines = facts.flatMap((fact) => (fact ? [fact] : []))
  return element(
    'dl',
    {},
    ...lines.map(([term, value]) => element('div', {}, element('dt', {}, term), element('dd', {}, value))),
  )
}

type SecondSource = NonNullable<NonNullable<CertificateBody['viewing']>['secondSource']>

/** A certificate that this page does not vouch for may say anything. */
const stateWord = (state: string) => sourceStates[state as keyof typeof sourceStates] ?? state

function sourceOf({ state, parts }: SecondSource): HTMLElement {
  const lines = sumsOf(parts).map(
    (sum) => `${stateWord(sum.state)}, ${exactly(sum.ms)}: ${sourceReasons[sum.reason] ?? sum.reason}`,
  )
  const [only] = lines
  if (lines.length < 2) return element('span', {}, only ?? stateWord(state))
  return element('ul', {}, ...lines.map((line) => element('li', {}, line)))
}

function quizText({ attempts, passed, bestScore, maxScore }: NonNullable<CertificateBody['quiz']>): string {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const result = passed === null ? tries : `${passed ? 'Passed' : 'Not passed'}, ${tries}`
  return bestScore === null || maxScore === null
    ? result
    : `${result}, best ${bestScore / 100} of ${maxScore / 100}`
}

function viewingOf({ viewing, video }: CertificateBody): Node[] {
  if (!viewing) return []
  const { covered, secondSource, sessions, evidence } = viewing
  const viewBox = `0 0 ${video.durationMs} 10`
  const box = { viewBox, preserveAspectRatio: 'none', 'aria-hidden': 'true' }
  const strip = (rects: SVGElement[], name: string) => drawing('svg', { class: name, ...box }, ...rects)
  const rect = (from: number, to: number, more = {}) =>
    drawing('rect', { x: String(from), width: String(to - from), height: '10', ...more })
  const judged = secondSource?.parts ?? covered.map(([fromMs, toMs]) => ({ fromMs, toMs, state: null }))
  const parts = judged.map(({ fromMs, toMs, state }) => {
    const word = state === null ? '' : `: ${stateWord(state)}`
    return element('li', {}, `${exactly(fromMs)} to ${exactly(toMs)}${word}`)
  })
  const sourceBar = secondSource?.parts.map(({ fromMs, toMs, state }) =>
    rect(fromMs, toMs, { 'data-state': state }),
  )
  return [
    strip(
      covered.map(([from, to]) => rect(from, to)),
      'bar',
    ),
    ...(sourceBar ? [strip(sourceBar, 'bar thin')] : []),
    element('details', {}, element('summary', {}, 'Watched parts'), element('ul', {}, ...parts)),
    element(
      'details',
      {},
      element('summary', {}, `Sessions (${sessions.length})`),
      tableOf(sessions),
      element(
        'p',
        {},
        `Raw facts: ${evidence.spans === 1 ? '1 span' : `${evidence.spans} spans`}, SHA-256 `,
        element('code', {}, evidence.hash),
      ),
    ),
  ]
}

const heads = ['Began', 'Last report', 'Device', 'Watched', 'Clock', 'Reports', 'Handed out', 'Not counted']

function tableOf(sessions: readonly CertificateSession[]): HTMLElement {
  const rows = sessions.map((one) =>
    [
      instant(one.startedAt),
      instant(one.endedAt),
      `${one.device}${one.muted ? ', muted' : ''}`,
      exactly(one.watchedMs),
      exactly(one.wallMs),
      `${one.batchesSeen} of ${one.batchesExpected}`,
      one.secondSource ? stateWord(one.secondSource.state) : 'not stated',
      one.refused
        .map(({ fromMs, toMs, reason }) => `${exactly(fromMs)} to ${exactly(toMs)}: ${refusalTexts[reason]}`)
        .join('; ') || 'nothing',
    ].map((text) => element('td', {}, text)),
  )
  const head = element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)))
  const table = element(
    'table',
    {},
    element('thead', {}, head),
    element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells))),
  )
  return element('div', { class: 'wide', tabindex: '0', role: 'group', 'aria-label': 'Sessions' }, table)
}

/** What several certificates say together. */
export function chainArticle(notes: readonly ChainNote[]): HTMLElement {
  const isBroken = notes.some(({ isFault }) => isFault)
  const list = element('ul', {}, ...notes.map(({ text }) => element('li', {}, text)))
  const title = isBroken ? 'These certificates do not follow one another' : 'The chain of these certificates'
  return element(
    'article',
    { 'data-state': isBroken ? 'altered' : 'genuine' },
    element('div', { class: 'verdict' }, element('strong', {}, title)),
    element('div', {}, list),
  )
}
