import type { Receipt } from '#contract/evidence/certificates.ts'
import { missingSentence, type Part } from '#contract/tracking/missing-parts.ts'
import type { WatchData } from '#contract/watch-page.ts'
import { clockOf } from '#web/player/clock.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import type { Controls } from '#web/player/controls.ts'
import { createFigure } from './figure.ts'
import { claimsOf } from '../recorder/claims.ts'
import { partPlayer, playMissing } from './parts.ts'
import { named } from './receipt.module.css?adopted'
import { locale, sayOf } from './words.ts'

const say = sayOf('receipt')

export type ReceiptParts = {
  video: HTMLVideoElement
  /** Starts playing at this second, also where nothing was played yet. */
  playAt: (seconds: number) => void
  /** Whose strip shows what is missing. */
  controls: () => Promise<Controls | undefined>
  /** What was played in this visit. */
  spans: () => readonly Span[]
}

/** Shorter gaps come from pausing and seeking; they are counted, and only played together with the others. */
const worthAButton = 1_000
const rowsAtMost = 6
/** How often the server is asked again for what was played last, before it is taken to count no more of it. */
const looksAtMost = 4

/** Beside the player: what somebody has seen, and what is missing, to be played with one press. */
export function startReceipt(data: WatchData, parts: ReceiptParts): void {
  const section = document.getElementById('receipt')
  if (section) tellIn(section, data, parts)
}

function tellIn(
  section: HTMLElement,
  data: WatchData,
  { video, playAt, controls, spans }: ReceiptParts,
): void {
  const { playToken, durationMs } = data
  const { maxRate } = claimsOf(playToken)
  const figure = createFigure({ durationMs, maxRate, spans })
  const stops = data.quiz?.stops ?? []
  const ask = (path: string, more = {}) =>
    fetch(`/api/tracks/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ playToken, ...more }),
    })
  const parts = partPlayer(video, playAt)
  const tellMissing = data.missing && playMissing(data.missing, { video, playAt, player: parts, say })
  const showStrip = (missing: readonly Part[] | null) =>
    void controls().then((own) => own?.showMissing(missing))
  let timer: ReturnType<typeof setTimeout> | undefined
  let shown = ''
  let known: Receipt | undefined
  let announced = ''
  let looks = 0

  async function refresh(): Promise<void> {
    clearTimeout(timer)
    const next = await look().catch(() => 15_000)
    if (next > 0) timer = setTimeout(() => void refresh(), next)
  }

  /** Milliseconds until the next look; 0 when there is no need for one. */
  async function look(): Promise<number> {
    const answer = await ask('receipt', { language: pageLanguage() })
    if (answer.status === 429) return 5_000
    if (!answer.ok) return 0
    const receipt = (await answer.json()) as Receipt
    show(receipt)
    if (receipt.isBehind) return 1_500
    if (!video.paused) return 15_000
    // The report of what was played last may still be on its way.
    if (figure.of(receipt).share !== receipt.share && looks++ < looksAtMost) return 1_500
    // Of a preview the server never knows.
    if (data.own) figure.settle()
    tell()
    return receipt.isChecking ? 3_000 : 0
  }

  /** The words and the strip, as they are at this moment. */
  function tell(): void {
    const [seen, more] = section.querySelectorAll('p')
    if (!known || !seen || !more) return
    const receipt = figure.of(known)
    const [words, sentence] = [seenOf(receipt, durationMs), sentenceOf(receipt, fastText())]
    const text = JSON.stringify([receipt.missing, sentence])
    if (text === announced) return
    announced = text
    // Nobody is read every second anew how far they are.
    seen.ariaLive = video.paused ? 'polite' : 'off'
    seen.replaceChildren(...words)
    if (more.textContent !== sentence) more.textContent = sentence
    showStrip(receipt.missing)
  }

  const fastText = () => (figure.fastMs() > 0 || video.playbackRate > maxRate ? say('tooFast') : '')

  /** Only what has changed is drawn anew: somebody may just be about to press a button, or be read the text. */
  function show(receipt: Receipt): void {
    const text = JSON.stringify({ ...receipt, isBehind: false })
    if (text === shown) return
    shown = text
    known = receipt
    const focused = section.contains(document.activeElement)
    const words = [...section.querySelectorAll('p')]
    section.replaceChildren(...(words.length > 0 ? words : emptyWords()), ...stepsOf(receipt))
    announced = ''
    tell()
    document.getElementById('length')?.remove()
    veil(receipt)
    offerToConfirm(receipt)
    if (focused) (section.querySelector('button') ?? video).focus()
    tellMissing?.(nowMissing(receipt))
  }

  function emptyWords(): HTMLElement[] {
    return ['seen', 'soft'].map((kind) => {
      const one = document.createElement('p')
      one.className = kind
      one.setAttribute('role', 'status')
      return one
    })
  }

  /** What is left to do, the one next step first. */
  function stepsOf(receipt: Receipt): HTMLElement[] {
    const { completedAt, share, mayCertify, failed } = receipt
    // Before anything was seen, the press on play says it.
    const gaps = share === 0 ? [] : askedOf(receipt)
    const playAll = (kind = '') =>
      gaps.length > 0 ? [button(say('playAll'), () => parts.play(askedOf(figure.of(receipt))), { kind })] : []
    const main = completedAt === null ? playAll(named('go')) : []
    const list = document.createElement('ul')
    list.className = named('todo')
    for (const gap of gaps.filter(isLong).slice(0, rowsAtMost))
      list.append(partRow(gap, unheardIn(receipt, gap)))
    if (receipt.openQuestions > 0) list.append(questionRow(receipt.openQuestions))
    const row = document.createElement('div')
    row.className = named('row')
    const isMain = main.length === 0 && receipt.next === null
    if (mayCertify) {
      const label = say(failed ? 'recordOfViewing' : 'certificate')
      row.append(button(label, (own) => void download(own), isMain ? { kind: named('go') } : {}))
    }
    // Once it is completed, what is missing is there for whoever wants it.
    if (completedAt !== null) row.append(...playAll())
    if (isDone(receipt))
      row.append(
        ...trainingLink(receipt),
        button(say('watchAgain'), () => playAt(0)),
      )
    return [...main, ...[list, row].filter((one) => one.childElementCount > 0)]
  }

  /** The page's own way to everything that they owe, where they find what comes next. */
  function trainingLink({ next }: Receipt): HTMLElement[] {
    const there = document.querySelector<HTMLAnchorElement>('a[href^="/w/me"]')
    if (next === null || !there) return []
    const link = document.createElement('a')
    link.className = named('go')
    link.href = there.href
    link.textContent = there.textContent
    return [link]
  }

  function partRow(gap: Part, unheard: string): HTMLElement {
    const [from, to] = gap
    const label = say('playPart', { part: wordsOf(gap) })
    const made = button(wordsOf(gap), () => parts.play([gap]), { label })
    const length = document.createElement('span')
    const time = lengthOf(to - from)
    length.textContent = to >= durationMs - 1000 ? say('lengthToEnd', { time }) : time
    const item = document.createElement('li')
    item.append(made, length)
    if (unheard !== '') {
      const words = document.createElement('q')
      words.dir = 'auto'
      words.textContent = unheard
      item.append(words)
    }
    return item
  }

  function questionRow(open: number): HTMLElement {
    const item = document.createElement('li')
    item.className = named('ask')
    item.append(say('openQuestions', { count: open }))
    const [only] = stops
    if (only && stops.length === 1) {
      const at = document.createElement('span')
      at.textContent =
        only.atMs === null ? say('atEnd') : say('atTime', { time: clockOf(Math.floor(only.atMs / 1000)) })
      item.append(at)
    }
    return item
  }

  /** Over the picture, while nothing plays, that all is done; the press on play goes through it. */
  function veil(receipt: Receipt): void {
    const frame = video.parentElement
    frame?.querySelector(`.${named('veil')}`)?.remove()
    if (!isDone(receipt) || (!video.ended && video.played.length > 0)) return
    const made = document.createElement('p')
    made.className = named('veil')
    const title = document.createElement('b')
    title.textContent = restText(receipt)
    const at = document.createElement('span')
    at.textContent = doneText(receipt)
    made.append(title, at)
    frame?.append(made)
    video.addEventListener('playing', () => made.remove(), { once: true })
  }

  async function download(own: HTMLButtonElement): Promise<void> {
    own.setAttribute('aria-busy', 'true')
    const [file, name] = await ask('certificate', { language: pageLanguage() })
      .then(async (answer) => (answer.ok ? ([await answer.blob(), nameOf(answer)] as const) : []))
      .catch(() => [])
    own.removeAttribute('aria-busy')
    if (!file) {
      own.textContent = say('failed')
      return
    }
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = name ?? ''
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  }

  // The report of a pause is on its way; it counts about a second after it has arrived. `answered` comes from the questions.
  for (const type of ['pause', 'ended', 'answered']) video.addEventListener(type, () => wait(1_500))
  // The next look is a moment away, and until then nobody who has just passed is asked to try again.
  video.addEventListener('answered', (event) => {
    const hasPassed = event instanceof CustomEvent && event.detail.hasPassed === true
    if (known && hasPassed) show({ ...known, openQuestions: 0, mustPass: false, failed: null })
  })
  video.addEventListener('playing', () => wait(15_000))
  for (const type of ['timeupdate', 'ratechange']) video.addEventListener(type, tell)
  function wait(ms: number): void {
    looks = 0
    clearTimeout(timer)
    timer = setTimeout(() => void refresh(), ms)
  }
  if (data.missing) showStrip(data.missing)
  void refresh()
}

/** What the server calls a file: after its person and its video. */
const nameOf = ({ headers }: Response): string | undefined =>
  /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1]

/** The forms stand in the page and wait for the rest to be done. */
function offerToConfirm({ toConfirm }: Receipt): void {
  for (const id of toConfirm)
    for (const part of document.querySelectorAll<HTMLElement>(`#confirm-${id} :is(form, .soft)`))
      part.hidden = part.localName !== 'form'
}

type Look = { kind?: string; label?: string }

function button(
  text: string,
  press: (own: HTMLButtonElement) => void,
  { kind = '', label }: Look = {},
): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.className = kind
  if (label !== undefined) made.setAttribute('aria-label', label)
  made.textContent = text
  made.addEventListener('click', () => press(made))
  return made
}

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

/** What a reminder still asks to be seen, in words; empty once it is enough. */
function nowMissing({ completedAt, missing }: Receipt): string {
  return completedAt === null ? missingSentence(missing ?? [], say, locale) : ''
}

const pageLanguage = () => document.documentElement.lang.slice(0, 2)

/** What is said in a part that is missing. */
function unheardIn({ missing, unheard }: Receipt, [from]: Part): string {
  return unheard[(missing ?? []).findIndex(([start]) => start === from)] ?? ''
}

const isLong = ([from, to]: Part) => to - from >= worthAButton

/** What is asked to be seen: every moment before it is completed, and then nothing that is too short for a press. */
function askedOf({ completedAt, missing }: Receipt): readonly Part[] {
  return (missing ?? []).filter((gap) => completedAt === null || isLong(gap))
}

/** Nothing is left to be seen or to be answered. */
function isDone(receipt: Receipt): boolean {
  const { completedAt, missing, openQuestions, failed, toConfirm } = receipt
  const isSeen = missing !== null && askedOf(receipt).length === 0
  return toConfirm.length === 0 && completedAt !== null && isSeen && openQuestions === 0 && !failed
}

/** "You have seen 39%. 1:50 left." */
function seenOf(receipt: Receipt, durationMs: number): (Node | string)[] {
  const { share, missing, completedAt } = receipt
  const strong = document.createElement('b')
  const left = askedOf(receipt).reduce((sum, [from, to]) => sum + to - from, 0)
  if (share === null) strong.textContent = completedAt === null ? say('notCompleted') : ''
  else if (missing?.length === 0)
    strong.textContent = say('allOf', { time: clockOf(Math.round(durationMs / 1000)) })
  else strong.textContent = say('recorded', { share: percentOf(share) })
  return left >= 1000 ? [strong, ` ${say('left', { time: clockOf(Math.ceil(left / 1000)) })}`] : [strong]
}

function sentenceOf(receipt: Receipt, tooFast: string): string {
  const shown = [
    doneText(receipt),
    evidenceText(receipt),
    receipt.isDoubted && receipt.completedAt === null ? say('doubted') : '',
    receipt.completedAt === null ? tooFast : '',
    momentsText(askedOf(receipt)),
    isDone(receipt) ? restText(receipt) : '',
    passText(receipt),
    receipt.toConfirm.length > 0 ? say('pleaseConfirm') : '',
  ]
  return shown.filter(Boolean).join(' ')
}

/** What comes after this video, if anything does. */
const restText = ({ next }: Receipt): string =>
  next === null ? say('nothingLeft') : say('next', { title: next })

function doneText({ completedAt, failed }: Receipt): string {
  if (completedAt === null) return ''
  return say(failed ? 'completedBefore' : 'completed', { at: day.format(new Date(completedAt)) })
}

/** What the questions mean for completing the video, and what to do next. */
function passText({ completedAt, mustPass, failed }: Receipt): string {
  if (completedAt !== null || !mustPass) return ''
  if (failed) return say(failed.isFinal ? 'failedForGood' : 'failedSoFar')
  return say('haveToBePassed')
}

/** What the server's own record says of it, where that matters to the viewer. */
function evidenceText({ isChecking, evidence }: Receipt): string {
  if (isChecking) return say('checking')
  return evidence === 'contradicted' ? say('contradicted') : ''
}

const percent = new Intl.NumberFormat(locale, { style: 'percent' })
/** Whole percent, and never 100 while something is missing. */
function percentOf(share: number): string {
  return percent.format(Math.floor(share / 100) / 100)
}

function momentsText(gaps: readonly Part[]): string {
  const isShort = gaps.length > 0 && !gaps.some(isLong)
  return isShort ? say('missingMoments') : ''
}

/** "50 s", "1:00" */
function lengthOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60 ? say('seconds', { count: String(seconds) }) : clockOf(seconds)
}

/** Wide rather than narrow, so that what is named holds all that is missing. */
function wordsOf([from, to]: Part): string {
  return say('part', { from: clockOf(Math.floor(from / 1000)), to: clockOf(Math.ceil(to / 1000)) })
}
