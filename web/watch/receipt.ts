import type { Receipt } from '#contract/certificates.ts'
import { locale, sayOf } from './words.ts'

const say = sayOf('receipt')

export type ReceiptOptions = {
  video: HTMLVideoElement
  section: HTMLElement
  playToken: string
  /** Starts playing at this second, also where nothing was played yet. */
  playAt: (seconds: number) => void
}

type Part = readonly [number, number]

/** Seconds that a part is played before it begins and after it ends: players do not start and stop to the millisecond. */
const margin = 0.3
/** Shorter gaps come from pausing and seeking; they are counted, and only played together with the others. */
const worthAButton = 1_000
const buttonsAtMost = 6

/** Below the player: what has been recorded, and what is missing, to be played with one press. */
export function startReceipt({ video, section, playToken, playAt }: ReceiptOptions): void {
  const ask = (path: string, more = {}) =>
    fetch(`/api/tracks/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ playToken, ...more }),
    })
  const parts = partPlayer(video, playAt)
  let timer: ReturnType<typeof setTimeout> | undefined
  let shown = ''

  async function refresh(): Promise<void> {
    clearTimeout(timer)
    const next = await look().catch(() => 15_000)
    if (next > 0) timer = setTimeout(() => void refresh(), next)
  }

  /** Milliseconds until the next look; 0 when there is no need for one. */
  async function look(): Promise<number> {
    const answer = await ask('receipt')
    if (answer.status === 429) return 5_000
    if (!answer.ok) return 0
    const receipt = (await answer.json()) as Receipt
    show(receipt)
    if (receipt.isBehind) return 1_500
    if (receipt.isChecking) return 3_000
    return video.paused ? 0 : 15_000
  }

  /** Only what has changed is drawn anew: somebody may just be about to press a button, or be read the text. */
  function show(receipt: Receipt): void {
    const text = JSON.stringify({ ...receipt, isBehind: false })
    if (text === shown) return
    shown = text
    const focused = section.contains(document.activeElement)
    const status = section.querySelector('p') ?? document.createElement('p')
    status.setAttribute('role', 'status')
    status.textContent = sentenceOf(receipt)
    section.replaceChildren(status, ...buttonsOf(receipt))
    section.hidden = false
    if (focused) (section.querySelector('button') ?? video).focus()
  }

  function buttonsOf({ missing, mayCertify, failed }: Receipt): HTMLElement[] {
    const row = document.createElement('div')
    const gaps = missing ?? []
    const long = gaps.filter(([from, to]) => to - from >= worthAButton)
    if (gaps.length > 1) row.append(button(say('playAll'), () => parts.play(gaps)))
    if (long.length <= buttonsAtMost || gaps.length === 1)
      for (const gap of gaps.length === 1 ? gaps : long)
        row.append(button(say('playPart', { part: wordsOf(gap) }), () => parts.play([gap])))
    if (mayCertify) {
      const label = say(failed ? 'recordOfViewing' : 'certificate')
      row.append(button(label, (own) => void download(own)))
    }
    return row.childElementCount > 0 ? [row] : []
  }

  async function download(own: HTMLButtonElement): Promise<void> {
    own.setAttribute('aria-busy', 'true')
    const file = await ask('certificate', { language: document.documentElement.lang.slice(0, 2) })
      .then((answer) => (answer.ok ? answer.blob() : undefined))
      .catch(() => undefined)
    own.removeAttribute('aria-busy')
    if (!file) {
      own.textContent = say('failed')
      return
    }
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = `${say('fileName')}.pdf`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  }

  // The report of a pause is on its way; it counts about a second after it has arrived. `answered` comes from the questions.
  for (const type of ['pause', 'ended', 'answered']) video.addEventListener(type, () => wait(1_500))
  video.addEventListener('playing', () => wait(15_000))
  function wait(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void refresh(), ms)
  }
  void refresh()
}

function button(text: string, press: (own: HTMLButtonElement) => void): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.textContent = text
  made.addEventListener('click', () => press(made))
  return made
}

/** Plays parts one after another, and stops where the last of them ends. Whoever seeks goes their own way. */
function partPlayer(video: HTMLVideoElement, playAt: (seconds: number) => void) {
  let queue: Part[] = []
  let until = Infinity
  let target = -1

  function next(): void {
    const part = queue.shift()
    if (!part) {
      until = Infinity
      video.pause()
      return
    }
    until = part[1] / 1000 + margin
    target = Math.max(0, part[0] / 1000 - margin)
    playAt(target)
  }

  video.addEventListener('timeupdate', () => {
    // Parts that reach the end stop there by themselves.
    if (video.currentTime >= until && !video.seeking) next()
  })
  video.addEventListener('seeking', () => {
    if (Math.abs(video.currentTime - target) < 0.5) return
    queue = []
    until = Infinity
  })
  return {
    play(parts: readonly Part[]) {
      queue = [...parts]
      next()
    },
  }
}

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

function sentenceOf(receipt: Receipt): string {
  const { share, missing, completedAt, openQuestions } = receipt
  const nothing = share === null && completedAt === null ? say('notCompleted') : ''
  return [
    doneText(receipt),
    share === null ? '' : say('recorded', { share: percentOf(share) }),
    evidenceText(receipt),
    gapsText(missing ?? []),
    nothing,
    openQuestions === 0 ? '' : say('openQuestions', { count: openQuestions }),
    passText(receipt),
  ]
    .filter(Boolean)
    .join(' ')
}

function doneText({ completedAt, failed }: Receipt): string {
  if (completedAt === null) return ''
  return say(failed ? 'completedBefore' : 'completed', { at: day.format(new Date(completedAt)) })
}

/** What the questions mean for completing the video, and what to do next. */
function passText({ completedAt, openQuestions, mustPass, failed }: Receipt): string {
  if (completedAt !== null || !mustPass) return ''
  if (failed) return say(failed.isFinal ? 'failedForGood' : 'failedSoFar')
  return say(openQuestions > 0 ? 'theyHaveToBePassed' : 'haveToBePassed')
}

/** What the server's own record says of it, where that matters to the viewer. */
function evidenceText({ isChecking, evidence, completedAt }: Receipt): string {
  if (isChecking) return say('checking')
  if (evidence !== 'contradicted') return ''
  return say(completedAt === null ? 'contradicted' : 'contradictedButDone')
}

/** Whole percent, and never 100 while something is missing. */
function percentOf(share: number): string {
  return `${Math.floor(share / 100)} %`
}

const namedGaps = 3

function gapsText(gaps: readonly Part[]): string {
  const long = gaps.filter(([from, to]) => to - from >= worthAButton)
  if (gaps.length === 0) return ''
  if (long.length === 0) return say('missingMoments')
  const named = long.slice(0, namedGaps).map(wordsOf)
  const rest = long.length - named.length
  const list = rest > 0 ? [...named, say('moreParts', { count: rest })] : named
  return say('missing', { parts: new Intl.ListFormat(locale).format(list) })
}

/** Wide rather than narrow, so that what is named holds all that is missing. */
function wordsOf([from, to]: Part): string {
  return say('part', { from: clockOf(Math.floor(from / 1000)), to: clockOf(Math.ceil(to / 1000)) })
}

function clockOf(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const two = (n: number) => String(n).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}
