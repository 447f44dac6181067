import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { picturePath } from '#contract/directory/picture-limits.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { escapeHtml } from '../../platform/http/pages/html.ts'
import { ownTrainingPolicy } from '../../platform/http/headers.ts'
import { sayIn } from '../../platform/messages.ts'
import { bandOf, choiceOf, shell, type PageText } from '../shell.ts'
import type { Certified, Duty } from '../../duty/own-duties.ts'
import type { Next } from './next.ts'
import type { Owner } from './owner.ts'
import { houseStyle } from '#server/platform/http/pages/house-style.ts'

type Around = {
  language: Language
  product: string
  owner: Owner
  /** This is the secret of its link; null on a device that is open and came without one. */
  secret: string | null
}

const addressOf = (secret: string | null) =>
  secret === null ? '/w/me?' : `/w/me?${new URLSearchParams({ d: secret }).toString()}`

type Sheet = { title: string; address: string; body: string }

/** This page adds these rules to the style of the pages around a video (`server/pages/watch-page.css`), whose colors it uses. */
const ownStyle = `
${houseStyle(['bad', 'bad-tint'])}
main{align-items:start}
.panel{align-content:start}
.panel h2{font-size:1.0625rem}
.panel ul{padding:0;list-style:none}
.panel li{padding-block:.75rem;border-top:1px solid var(--line)}
.panel li:last-child{padding-bottom:0}
.panel li div{align-items:center;justify-content:space-between}
.panel li p{margin-top:.25rem}
.panel form{display:flex;flex-wrap:wrap;align-items:end;gap:.5rem}
.panel label{display:grid;gap:.25rem}
.panel input{width:9rem;min-height:2.75rem;padding:0 .75rem;font:inherit;font-size:1.0625rem;letter-spacing:.15em;color:var(--ink);background:var(--card);border:1px solid var(--edge);border-radius:var(--corner)}
.due{margin-inline-start:0;padding:0;background:none;color:var(--soft)}
.late{padding:0 .75rem;background:var(--bad-tint);color:var(--bad)}
.told{color:var(--ink);font-weight:600}
.panel a{display:inline-grid;align-items:center;min-height:2.75rem;padding:0 1rem;color:var(--ink);border:1px solid var(--edge);border-radius:var(--corner);text-decoration:none}
.panel .go{font-weight:600;color:var(--on);background:var(--accent);border-color:var(--accent)}
.page{grid-column:1/-1}
@media(max-width:767px){.page{padding-inline:1rem}main{padding-top:1rem}}
`.replaceAll('\n', '')

/** Draws a page in the brand of the organization, like the page of a video. It runs no script at all. */
export function sheet(
  { language, product, owner }: Omit<Around, 'secret'>,
  { title, address, body }: Sheet,
): PageText {
  const { organization, name: recipient, accentColor } = owner
  const logo = owner.logo && { ...owner.logo, src: picturePath(owner.logo.key) }
  return shell({
    language,
    accentColor,
    policy: ownTrainingPolicy,
    moreStyle: ownStyle,
    choice: choiceOf({ language, address }),
    title,
    product,
    description: `${title}, ${organization}`,
    body: `${bandOf({ language, organization, logo, recipient })}
<main>
<h1 class="page">${escapeHtml(title)}</h1>
${body}
</main>`,
  })
}

const page = (around: Around, body: string): PageText =>
  sheet(around, {
    title: sayIn(around.language, 'training')('title'),
    address: addressOf(around.secret),
    body,
  })

type Panel = { id: string; title: string; rows: readonly string[] }

const panel = ({ id, title, rows }: Panel) => `<section class="panel" aria-labelledby="${id}">
<h2 id="${id}">${escapeHtml(title)}</h2>
${rows.join('\n')}
</section>`

const column = (...panels: readonly string[]) => `<div class="words">\n${panels.join('\n')}\n</div>`
const list = (items: readonly string[]) =>
  `<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`
const text = (words: string) => `<p>${escapeHtml(words)}</p>`
const soft = (words: readonly string[]) =>
  words.length === 0 ? '' : `<p class="soft">${escapeHtml(words.join(' '))}</p>`

type Action = {
  to: string
  label: string
  hidden?: Readonly<Record<string, string>>
  inside?: string
  name?: string
}

/** Draws an action as a form, so that it works where no script runs. */
function form({ to, label, hidden = {}, inside = '', name }: Action): string {
  const fields = Object.entries(hidden).map(
    ([key, value]) => `<input type="hidden" name="${key}" value="${escapeHtml(value)}">`,
  )
  const named = name === undefined ? '' : ` aria-label="${escapeHtml(name)}"`
  return `<form method="post" action="/w/me/${to}">${fields.join('')}${inside}<button type="submit"${named}>${escapeHtml(label)}</button></form>`
}

type Watching = { videoId: string; title: string; secret: string }

function watchLink(language: Language, { videoId, title, secret }: Watching): string {
  const say = sayIn(language, 'training')
  const address = `/w/video/${videoId}?${new URLSearchParams({ d: secret }).toString()}`
  return `<a class="go" href="${escapeHtml(address)}" aria-label="${escapeHtml(say('watchTitle', { title }))}">${escapeHtml(say('watch'))}</a>`
}

function dayOf({ timeZone }: Pick<Owner, 'timeZone'>, language: Language): (at: string) => string {
  return (at) => dueText(at, timeZone, localeOf[language])
}

/** Writes the day alone. Pass UTC for an instant that is already cut to a day. */
const plainDay = (at: string, language: Language, timeZone: string) =>
  new Date(at).toLocaleDateString(localeOf[language], { timeZone, dateStyle: 'long' })

export type Asking = {
  /** This is the answer to a code, or to the request for one. */
  notice: string | null
  /** This is the flow of the code that was mailed; null means that none was asked for. */
  flow: string | null
}

/** Draws what the link alone shows, whatever else there is: its own video, and how to prove that it is oneself. */
export function linkPage(around: Around & { secret: string }, { notice, flow }: Asking): PageText {
  const { language, owner, secret } = around
  const { organization, title, videoId, dueAt } = owner
  const say = sayIn(language, 'training')
  const due =
    dueAt === null
      ? ''
      : // The link alone does not tell whether it is done, so nothing warns of its day either.
        `<span class="soft">${escapeHtml(say('by', { day: dayOf(owner, language)(dueAt) }))}</span>`
  const own = panel({
    id: 'this',
    title: say('thisVideo'),
    rows: [
      `<div><b>${escapeHtml(title)}</b>${due}</div>`,
      ...signInNote(language, owner),
      `<p>${watchLink(language, { videoId, title, secret })}</p>`,
    ],
  })
  const steps = owner.hasPin ? pinSteps(language, secret) : codeSteps(language, secret, flow)
  const proofPanel = panel({
    id: 'rest',
    title: say('rest'),
    rows: [
      text(owner.hasPin ? say('pinText') : say('restText', { organization })),
      ...(notice === null ? [] : [`<p class="told" role="status">${escapeHtml(notice)}</p>`]),
      ...steps,
    ],
  })
  return page(around, `${column(own)}\n${column(proofPanel)}`)
}

/** Says beforehand that a video asks who somebody is. */
const signInNote = (language: Language, { asksSignIn, organization }: Owner): string[] =>
  asksSignIn ? [soft([sayIn(language, 'training')('signIn', { organization })])] : []

const field = (label: string, more: string) =>
  `<label>${escapeHtml(label)}<input name="code" inputmode="numeric" maxlength="7" required${more}></label>`

/** Draws the two forms that ask for a code and take it. */
function codeSteps(language: Language, d: string, flow: string | null): string[] {
  const say = sayIn(language, 'training')
  const inside = field(say('code'), ' autocomplete="one-time-code" autofocus')
  return [
    ...(flow === null ? [] : [form({ to: 'open', label: say('open'), hidden: { d, flow }, inside })]),
    form({ to: 'code', label: say(flow === null ? 'mailCode' : 'mailAnother'), hidden: { d } }),
  ]
}

function pinSteps(language: Language, d: string): string[] {
  const say = sayIn(language, 'training')
  const inside = field(say('pin'), ' autocomplete="off"')
  return [form({ to: 'pin', label: say('open'), hidden: { d }, inside })]
}

export type TrainingContent = {
  duties: readonly Duty[]
  next: readonly Next[]
  certificates: readonly Certified[]
  /** The device stays open until this day. */
  until: string
  /** Returns the secret of a link, where this installation can still make it. */
  secretOf: (link: NonNullable<Duty['link']>) => string | undefined
  /** A request was refused for this reason. */
  refused: string | null
}

/** Draws everything that is somebody's, on a device that is open for them. */
export function trainingPage(around: Around, content: TrainingContent): PageText {
  const { language, owner } = around
  const say = sayIn(language, 'training')
  const waiting = content.duties.filter(({ state }) => state === 'open')
  const done = content.duties.filter(({ state }) => state !== 'open')
  const refused =
    content.refused === null ? '' : `<p class="told page" role="status">${escapeHtml(content.refused)}</p>\n`
  const open = panel({
    id: 'waiting',
    title: say('waiting'),
    rows: [
      ...(waiting.length === 0 ? [] : signInNote(language, owner)),
      waiting.length === 0
        ? text(say('nothingWaiting'))
        : list(waiting.map((one) => waitingItem(around, one, content))),
      ...content.next.map((one) => soft([say('next', one)])),
    ],
  })
  const over = panel({
    id: 'done',
    title: say('done'),
    rows: done.length === 0 ? [text(say('nothingDone'))] : [list(done.map((one) => doneItem(around, one)))],
  })
  const papers = panel({
    id: 'certificates',
    title: say('certificates'),
    rows:
      content.certificates.length === 0
        ? [text(say('nothingDone'))]
        : [list(content.certificates.map((one) => certificateItem(around, one)))],
  })
  const { organization } = owner
  const data = panel({
    id: 'data',
    title: say('yourData'),
    rows: [text(say('yourDataText', { organization })), form({ to: 'data', label: say('downloadData') })],
  })
  const device = panel({
    id: 'device',
    title: say('device'),
    rows: [
      text(say('deviceText', { day: plainDay(content.until, language, owner.timeZone) })),
      form({ to: 'forget', label: say('forget') }),
    ],
  })
  return page(around, `${refused}${column(open, over)}\n${column(papers, data, device)}`)
}

function waitingItem({ language, owner }: Around, duty: Duty, { secretOf }: TrainingContent): string {
  const say = sayIn(language, 'training')
  const { title, name, dueAt, isLate, share, requirement, asked, link, videoId } = duty
  const day = dueAt === null ? '' : dayOf(owner, language)(dueAt)
  const pill =
    dueAt === null
      ? ''
      : `<span class="due${isLate ? ' late' : ''}">${escapeHtml(say(isLate ? 'late' : 'by', { day }))}</span>`
  const percent = new Intl.NumberFormat(localeOf[language], { style: 'percent' })
  const secret = link ? secretOf(link) : undefined
  const words = [
    ...(name === null ? [] : [`${name}.`]),
    ...(share === null ? [] : [say('seen', { share: percent.format(share / 100) })]),
    ...(requirement === 'passed' ? [say('toPass')] : []),
    ...(asked && !asked.isReady ? [say('confirmAfter', { statement: asked.statement })] : []),
    ...(link === null ? [say('notSent')] : []),
  ]
  const go = secret === undefined ? '' : `<p>${watchLink(language, { videoId, title, secret })}</p>`
  return `<div><b>${escapeHtml(title)}</b>${pill}</div>${soft(words)}${asked?.isReady ? confirmForm(language, asked) : go}`
}

function confirmForm(language: Language, { id, statement }: NonNullable<Duty['asked']>): string {
  const say = sayIn(language, 'training')
  const sentence = `<p>${escapeHtml(say('toConfirm'))} <b>${escapeHtml(statement)}</b></p>`
  return `${sentence}${form({ to: 'confirm', label: say('confirm'), hidden: { obligation: id } })}`
}

function doneItem({ language, owner }: Around, duty: Duty): string {
  const say = sayIn(language, 'training')
  const { title, name, state, doneAt, isDay, waivedUntil, validUntil, mayCertify, asked, videoId } = duty
  const day = (at: string) => plainDay(at, language, owner.timeZone)
  const excused = waivedUntil === null ? say('excused') : say('excusedUntil', { day: day(waivedUntil) })
  const isOver = validUntil !== null && Date.parse(validUntil) <= Date.now()
  const words = [
    ...(name === null ? [] : [`${name}.`]),
    ...(state === 'waived' ? [excused] : []),
    ...(doneAt === null
      ? []
      : [say('doneOn', { day: plainDay(doneAt, language, isDay ? 'UTC' : owner.timeZone) })]),
    ...(validUntil === null ? [] : [say(isOver ? 'expired' : 'validUntil', { day: day(validUntil) })]),
    ...(asked && state === 'done' ? [say('confirmed', { statement: asked.statement })] : []),
  ]
  const paper = mayCertify
    ? form({
        to: 'certificate',
        label: say('certificate'),
        hidden: { video: videoId },
        name: say('certificateOf', { title }),
      })
    : ''
  return `<div><b>${escapeHtml(title)}</b>${paper}</div>${soft(words)}`
}

function certificateItem({ language, owner }: Around, { id, number, issuedAt, title }: Certified): string {
  const say = sayIn(language, 'training')
  const day = plainDay(issuedAt, language, owner.timeZone)
  const label = say('downloadNumber', { number: String(number) })
  return `<div><b>${escapeHtml(title)}</b><a href="/w/me/certificates/${id}" aria-label="${escapeHtml(label)}">${escapeHtml(say('download'))}</a></div>${soft([say('numbered', { number: String(number), day })])}`
}
