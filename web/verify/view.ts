import type {
  CertificateBody,
  CertificateFile,
  CertificateSession,
} from '#contract/evidence/certificate-format.ts'
import {
  deviceIn,
  percent as percentIn,
  sumsOf,
  exactly as exactlyIn,
} from '#contract/evidence/certificate-labels.ts'
import { localeOf } from '#contract/platform/text/languages.ts'
import type { ChainNote, Installation, Verdict } from './check.ts'
import { language, say, tell, wordOf } from './words.ts'
import { bar, barsOf, signsOf, stripSize, thread } from '#contract/evidence/certificate-strip.ts'
import type { Part } from '#contract/tracking/missing-parts.ts'

const marks = {
  genuine: 'M20 6 9 17l-5-5',
  altered: 'M18 6 6 18M6 6l12 12',
  other: 'M12 8v5M12 16.5v.5M12 3 2.5 20h19z',
}

const instants = new Intl.DateTimeFormat(localeOf[language], {
  dateStyle: 'medium',
  timeStyle: 'long',
  timeZone: 'UTC',
})
const percent = (share: number) => percentIn(share, language)

/** What an unknown certificate calls an instant may be anything. */
function instant(iso: string): string {
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? iso : instants.format(date)
}

type Shown = Extract<Verdict, { seal: object }>

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

const exactly = (ms: number): string => exactlyIn(ms, language)
const fromTo = (from: number, to: number): string => tell('fromTo', { from: exactly(from), to: exactly(to) })

/**
 * The seal of the file over that of its text: where every byte of the file is vouched for they slide into one another and lock, else
 * they stay apart, with what differs marked across both. It is said in words beside the picture, always.
 */
function sealFigure(verdict: Shown): HTMLElement {
  const { seal, file } = verdict
  if (seal.state === 'none') return element('p', {}, say('sealNone'))
  const { durationMs } = file.body.video
  const written = barsOf(file.body.viewing?.covered ?? [], durationMs)
  const drawn = seal.state === 'differs' ? seal.drawn : written
  const odd = seal.state === 'differs' ? [...seal.more, ...seal.less] : []
  const { width, height } = stripSize
  const picture = drawing(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
    ...(seal.state === 'alone' ? [] : [stripOf(drawn, { durationMs, name: 'drawn' })]),
    stripOf(written, { durationMs, name: 'written' }),
    ...odd.map((part) => oddRect(part, durationMs)),
    ...(isLocked(verdict)
      ? [rect({ class: 'lock', x: -4, y: -4, width: width + 8, height: height + 8, rx: 4 })]
      : []),
  )
  return element(
    'figure',
    { class: 'seal', 'data-seal': isLocked(verdict) ? 'locked' : seal.state, 'aria-label': say('seal') },
    picture,
    element('code', {}, signsOf(file.hash)),
    element('div', {}, ...wordsOf(verdict).map((text) => element('p', {}, text))),
  )
}

/** Only where the pages are sealed is it known that the drawing is the one that the page shows. */
const isLocked = (verdict: Shown) =>
  verdict.state === 'genuine' && verdict.seal.state === 'fits' && verdict.page === 'sealed'

function wordsOf(verdict: Shown): string[] {
  const { seal } = verdict
  if (seal.state === 'differs') return differenceOf(seal)
  if (seal.state !== 'fits') return [say('sealAlone')]
  if (isLocked(verdict)) return [say('sealLocked')]
  return [say(verdict.state === 'genuine' ? 'sealMoved' : 'sealUnvouched')]
}

function differenceOf({ more, less }: { more: readonly Part[]; less: readonly Part[] }): string[] {
  const named = [
    more.length > 0 && say('sealMore', { parts: listOf(more) }),
    less.length > 0 && say('sealLess', { parts: listOf(less) }),
  ].filter((text) => text !== false)
  return [say('sealDiffers'), ...(named.length > 0 ? named : [say('sealOtherwise')])]
}

/** More than these nobody looks up one by one. */
const mostListed = 6

function listOf(parts: readonly Part[]): string {
  const listed = parts.slice(0, mostListed).map(([from, to]) => fromTo(from, to))
  const unlisted = parts.length - listed.length
  if (unlisted > 0) listed.push(say('sealRest', { count: String(unlisted) }))
  return new Intl.ListFormat(localeOf[language]).format(listed)
}

/** A drawing that somebody has changed may have any bars; on paper they end where the strip ends, too. */
const placeOf = ([from, to]: Part, durationMs: number) => {
  const at = (ms: number) => Math.max(0, Math.min(1, ms / Math.max(1, durationMs))) * stripSize.width
  return { x: at(from), width: Math.max(0, at(to) - at(from)) }
}

type Box = { x: number; width: number; y: number; height: number; rx?: number; class?: string }
const rect = (box: Box) =>
  drawing('rect', Object.fromEntries(Object.entries(box).map(([name, value]) => [name, String(value)])))

function stripOf(
  bars: readonly Part[],
  { durationMs, name }: { durationMs: number; name: string },
): SVGElement {
  const parts = bars.flatMap((part) => {
    const { x, width } = placeOf(part, durationMs)
    const box = { y: bar.y, height: bar.height }
    const around = { ...box, x: x - bar.gap, width: width + 2 * bar.gap }
    return [rect({ ...around, class: 'gap' }), rect({ ...box, x, width, rx: 2 })]
  })
  return drawing(
    'g',
    { class: name },
    rect({ x: 0, width: stripSize.width, ...thread, class: 'thread' }),
    ...parts,
  )
}

const oddRect = (part: Part, durationMs: number) =>
  rect({ ...placeOf(part, durationMs), class: 'odd', y: -stripSize.height, height: 3 * stripSize.height })

/** What is said about one file, in words first. */
export function articleOf(name: string, verdict: Verdict, installation: Installation): HTMLElement {
  const { title, text } = headOf(verdict, installation)
  const state = toneOf(verdict)
  const mark = state === 'genuine' || state === 'altered' ? marks[state] : marks.other
  const size = { width: '24', height: '24', viewBox: '0 0 24 24', 'aria-hidden': 'true' }
  const icon = drawing('svg', size, drawing('path', { d: mark }))
  const words = [element('strong', {}, title), element('p', {}, text)]
  const head = element('div', { class: 'verdict' }, icon, ...words)
  const about = element('div', {}, element('h2', {}, name))
  if ('file' in verdict) {
    if (verdict.state !== 'genuine') about.append(element('p', {}, say('unvouched')))
    about.append(sealFigure(verdict), factsOf(verdict.file), ...viewingOf(verdict.file.body))
  }
  return element('article', { 'data-state': state }, head, about)
}

/** No program draws another seal when it saves a PDF anew. */
const isForged = (verdict: Verdict) => verdict.state === 'genuine' && verdict.seal.state === 'differs'

function toneOf(verdict: Verdict): string {
  if (isForged(verdict)) return 'altered'
  return verdict.state === 'genuine' && verdict.page === 'changed' ? 'changed' : verdict.state
}

function headOf(verdict: Verdict, { address }: Installation): { title: string; text: string } {
  if (verdict.state === 'unreadable') return { title: say('unreadable'), text: say(verdict.fault) }
  if (verdict.state === 'altered') return { title: say('altered'), text: faultsText(verdict.faults) }
  if (verdict.state === 'foreign')
    return { title: say('foreign'), text: say('foreignText', { key: verdict.file.keyId }) }
  if (verdict.state === 'unchecked') return { title: say('unchecked'), text: uncheckedText(verdict.faults) }
  const { person, organization, issuedAt } = verdict.file.body
  const issued = { person: person.name, organization: organization.name, address, at: instant(issuedAt) }
  const page = { own: '', sealed: say('pagesSealed'), changed: say('pagesChanged') }[verdict.page]
  const texts = [say('issuedFor', issued), page, verdict.isResaved ? say('resaved') : '']
  const title = isForged(verdict)
    ? 'genuineForged'
    : verdict.page === 'changed'
      ? 'genuineChanged'
      : 'genuine'
  return {
    title: say(title),
    text: texts.filter(Boolean).join(' '),
  }
}

type Faults = Extract<Verdict, { state: 'altered' }>['faults']
const faultsText = (faults: Faults) => faults.map((fault) => say(fault)).join(' ')

function uncheckedText(faults: Faults): string {
  if (faults.length > 0) return faultsText(faults)
  return say(isSecureContext ? 'uncheckedBrowser' : 'uncheckedHttp')
}

function neededText({ threshold, quiz }: CertificateFile['body']): string {
  const needed = { share: percent(threshold) }
  return quiz?.required && !quiz.passed ? say('neededQuestions', needed) : say('neededShare', needed)
}

function factsOf({ body, hash, keyId }: CertificateFile): HTMLElement {
  const { person, organization, video, viewing, completedAt, quiz, confirmations = [] } = body
  const source = viewing?.secondSource
  const facts: ([string, Child] | null | undefined)[] = [
    [say('person'), `${person.name}, ${person.email}`],
    [say('organization'), organization.name],
    [say('video'), say('videoVersion', { title: video.title, version: String(video.version) })],
    viewing && [
      tell('watched'),
      say('watchedShare', {
        share: percent(viewing.share),
        watched: exactly(viewing.coveredMs),
        length: exactly(video.durationMs),
      }),
    ],
    source && [say('evidence'), wordOf(source.state)],
    source && [say('handedOut'), sourceOf(source)],
    [say('completed'), completedAt ? instant(completedAt) : neededText(body)],
    quiz && [say('quiz'), quizText(quiz)],
    ...confirmations.map(({ statement, at }): [string, Child] => [
      say('confirmed'),
      say('confirmedAt', { at: instant(at), statement }),
    ]),
    [say('issued'), say('issuedNumber', { number: String(body.number), at: instant(body.issuedAt) })],
    [say('fingerprint'), element('code', {}, hash)],
    [say('key'), element('code', {}, keyId)],
  ]
  const lines = facts.flatMap((fact) => (fact ? [fact] : []))
  return element(
    'dl',
    {},
    ...lines.map(([term, value]) => element('div', {}, element('dt', {}, term), element('dd', {}, value))),
  )
}

type SecondSource = NonNullable<NonNullable<CertificateBody['viewing']>['secondSource']>

function sourceOf({ state, parts }: SecondSource): HTMLElement {
  const lines = sumsOf(parts).map((sum) =>
    say('sourceSum', {
      state: wordOf(sum.state),
      time: exactly(sum.ms),
      reason: wordOf(sum.reason),
    }),
  )
  const [only] = lines
  if (lines.length < 2) return element('span', {}, only ?? wordOf(state))
  return element('ul', {}, ...lines.map((line) => element('li', {}, line)))
}

function quizText({ attempts, passed, bestScore, maxScore }: NonNullable<CertificateBody['quiz']>): string {
  const tries = tell('attempts', { count: attempts })
  const result = passed === null ? tries : say(passed ? 'passed' : 'notPassed', { attempts: tries })
  if (bestScore === null || maxScore === null) return result
  return tell('best', { attempts: result, score: points(bestScore), most: points(maxScore) })
}

const points = (hundredths: number) => (hundredths / 100).toLocaleString(localeOf[language])

function viewingOf({ viewing, video }: CertificateBody): Node[] {
  if (!viewing) return []
  const { covered, secondSource, sessions, evidence } = viewing
  const viewBox = `0 0 ${video.durationMs} 10`
  const box = { viewBox, preserveAspectRatio: 'none', 'aria-hidden': 'true' }
  const judged = secondSource?.parts ?? covered.map(([fromMs, toMs]) => ({ fromMs, toMs, state: null }))
  const parts = judged.map(({ fromMs, toMs, state }) => {
    const part = fromTo(fromMs, toMs)
    return element('li', {}, state === null ? part : say('part', { part, state: wordOf(state) }))
  })
  const bars = judged.map(({ fromMs, toMs, state }) => {
    const place = { x: String(fromMs), width: String(toMs - fromMs), height: '10' }
    return drawing('rect', { ...place, 'data-state': state ?? '' })
  })
  return [
    drawing('svg', { class: 'bar', ...box }, ...bars),
    element('details', {}, element('summary', {}, say('parts')), element('ul', {}, ...parts)),
    element(
      'details',
      {},
      element('summary', {}, say('sessionsCount', { count: String(sessions.length) })),
      tableOf(sessions),
      element('p', {}, `${say('rawFacts', { count: evidence.spans })} `, element('code', {}, evidence.hash)),
    ),
  ]
}

const heads = [
  ...(['began', 'lastReport', 'device', 'watched', 'clock', 'reports'] as const).map((key) => tell(key)),
  say('handedOutShort'),
  say('notCounted'),
]

function deviceText({ device: signed, muted }: CertificateSession): string {
  const device = deviceIn(signed, tell)
  return muted ? say('muted', { device }) : device
}

function tableOf(sessions: readonly CertificateSession[]): HTMLElement {
  const rows = sessions.map((one) =>
    [
      instant(one.startedAt),
      instant(one.endedAt),
      deviceText(one),
      exactly(one.watchedMs),
      exactly(one.wallMs),
      say('ofReports', { seen: String(one.batchesSeen), expected: String(one.batchesExpected) }),
      one.secondSource ? wordOf(one.secondSource.state) : say('notStated'),
      one.refused
        .map(({ fromMs, toMs, reason }) => say('part', { part: fromTo(fromMs, toMs), state: wordOf(reason) }))
        .join('; ') || say('nothing'),
    ].map((text) => element('td', {}, text)),
  )
  const head = element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)))
  const table = element(
    'table',
    {},
    element('thead', {}, head),
    element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells))),
  )
  return element('div', { class: 'wide', tabindex: '0', role: 'group', 'aria-label': say('sessions') }, table)
}

/** What several certificates say together. */
export function chainArticle(notes: readonly ChainNote[]): HTMLElement {
  const isBroken = notes.some(({ isFault }) => isFault)
  const list = element('ul', {}, ...notes.map((note) => element('li', {}, noteText(note))))
  const title = say(isBroken ? 'chainBroken' : 'chain')
  return element(
    'article',
    { 'data-state': isBroken ? 'altered' : 'genuine' },
    element('div', { class: 'verdict' }, element('strong', {}, title)),
    element('div', {}, list),
  )
}

function noteText({ kind, ...numbers }: ChainNote): string {
  const [before, after] = [String(numbers.before), String(numbers.after)]
  return kind === 'twice' ? say('twice', { number: after }) : say(kind, { before, after })
}
