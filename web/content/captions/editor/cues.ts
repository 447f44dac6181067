import { mostSigns } from '#contract/videos/readiness.ts'
import { latestCue, longestCue } from '#contract/videos/captions.ts'
import { shownText } from '#contract/videos/cue-text.ts'
import type { EditedCue } from '#contract/videos/cues.ts'

export type Cues = readonly EditedCue[]

/** Milliseconds that a caption has at least after it was divided, and that a new one has where there is room. */
const shortest = 100
const usual = 2_000

/** Signs of a line, lines of a caption, and signs a second that most people can read; from the second on nobody can. */
export const readable = { line: 42, lines: 2, speed: 17, tooFast: mostSigns } as const

export const inOrder = (cues: Cues): Cues => {
  const isOrdered = cues.every(({ startMs }, at) => at === 0 || (cues[at - 1]?.startMs ?? 0) <= startMs)
  return isOrdered ? cues : cues.toSorted((a, b) => a.startMs - b.startMs)
}

export const indexOf = (cues: Cues, key: string | null): number =>
  key === null ? -1 : cues.findIndex((one) => one.key === key)

export function changeCue(cues: Cues, key: string, change: Partial<EditedCue>): Cues {
  const at = indexOf(cues, key)
  const cue = cues[at]
  if (!cue) return cues
  return inOrder(cues.with(at, { ...cue, ...change }))
}

export const removeCue = (cues: Cues, key: string): Cues => cues.filter((one) => one.key !== key)

/** An empty one that begins there, no longer than until the next begins. */
export function addCue(cues: Cues, startMs: number, key: string): Cues {
  const next = cues.find((one) => one.startMs > startMs)
  const room = next ? next.startMs - startMs : usual
  const endMs = startMs + Math.max(shortest, Math.min(usual, room))
  return inOrder([...cues, { key, id: '', startMs, endMs, settings: '', text: '' }])
}

/** Where in a text, and when, a caption is divided. */
type Cut = { at: number; ms: number }

/** At the cursor: the time as far along as the text is. Null where nothing would be left of one half. */
export function cutAtCursor({ text, startMs, endMs }: EditedCue, at: number): Cut | null {
  if (text.slice(0, at).trim() === '' || text.slice(at).trim() === '') return null
  if (endMs - startMs < 2 * shortest) return null
  const share = shownText(text.slice(0, at)).trim().length / Math.max(1, shownText(text).trim().length)
  const ms = Math.round(startMs + (endMs - startMs) * share)
  return { at, ms: Math.min(endMs - shortest, Math.max(startMs + shortest, ms)) }
}

/** At a moment: the text between the words that are as far along as the time is. */
export function cutAtMoment({ text, startMs, endMs }: EditedCue, ms: number): Cut | null {
  if (ms < startMs + shortest || ms > endMs - shortest) return null
  const wanted = (text.length * (ms - startMs)) / (endMs - startMs)
  const gaps = [...text.matchAll(/\s+/g)].map(({ index }) => index).filter((at) => at > 0)
  const at = gaps.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0] ?? text.length
  return { at, ms }
}

/** Tags that are open at the end of a text, the outermost first. */
function openAt(text: string): string[] {
  const open: string[] = []
  for (const [tag, isEnd] of text.matchAll(/<(\/?)[a-z][^<>]*>/gi)) {
    if (isEnd === '/') open.pop()
    else open.push(tag)
  }
  return open
}

/** A place within a tag means the one after it. */
const endOfTag = (text: string, at: number): number =>
  at + (/<[^<>]*$/.test(text.slice(0, at)) ? (/^[^<>]*>/.exec(text.slice(at))?.[0].length ?? 0) : 0)

export function splitCue(cues: Cues, key: string, { at, ms, second }: Cut & { second: string }): Cues {
  const index = indexOf(cues, key)
  const cue = cues[index]
  if (!cue) return cues
  const end = endOfTag(cue.text, at)
  const before = cue.text.slice(0, end)
  const open = openAt(before)
  const closing = open.toReversed().map((tag) => `</${/^<(\w+)/.exec(tag)?.[1] ?? ''}>`)
  const first = { ...cue, endMs: ms, text: `${before.trimEnd()}${closing.join('')}` }
  const rest = {
    ...cue,
    key: second,
    id: '',
    startMs: ms,
    text: `${open.join('')}${cue.text.slice(end).trimStart()}`,
  }
  return cues.toSpliced(index, 1, first, rest)
}

/** With the one after it; null where there is none, or where the text would be too long. */
export function mergeWithNext(cues: Cues, key: string): Cues | null {
  const index = indexOf(cues, key)
  const [cue, next] = cues.slice(index, index + 2)
  if (index < 0 || !cue || !next) return null
  const both = [cue.text, next.text].map((text) => text.trim()).filter((text) => text !== '')
  const isShort = shownText(both.join(' ')).length <= readable.line && !both.join('').includes('\n')
  const text = both.join(isShort ? ' ' : '\n')
  if (text.length > longestCue) return null
  return cues.toSpliced(index, 2, { ...cue, endMs: Math.max(cue.endMs, next.endMs), text })
}

/** All, or all from one on, by so many milliseconds; null where one would begin before the video, or end too late. */
export function shiftCues(cues: Cues, ms: number, from: string | null = null): Cues | null {
  const first = from === null ? 0 : indexOf(cues, from)
  const moved = cues.map((cue, at) =>
    at < first ? cue : { ...cue, startMs: cue.startMs + ms, endMs: cue.endMs + ms },
  )
  if (moved.some(({ startMs, endMs }) => startMs < 0 || endMs > latestCue)) return null
  return inOrder(moved)
}

type Wanted = { find: string; replacement: string; isExact: boolean }

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

const sought = ({ find, isExact }: Omit<Wanted, 'replacement'>) =>
  new RegExp(escaped(find), isExact ? 'gu' : 'giu')

/** Keys of the captions in which it is found, and how often. */
export function findAll(cues: Cues, wanted: Omit<Wanted, 'replacement'>): { keys: string[]; count: number } {
  if (wanted.find === '') return { keys: [], count: 0 }
  const pattern = sought(wanted)
  let count = 0
  const keys: string[] = []
  for (const { key, text } of cues) {
    const found = text.match(pattern)?.length ?? 0
    if (found > 0) keys.push(key)
    count += found
  }
  return { keys, count }
}

/** Null where a text would become too long. */
export function replaceAll(cues: Cues, wanted: Wanted): Cues | null {
  if (wanted.find === '') return cues
  const pattern = sought(wanted)
  const next = cues.map((cue) => {
    const text = cue.text.replaceAll(pattern, () => wanted.replacement)
    return text === cue.text ? cue : { ...cue, text }
  })
  return next.some(({ text }) => text.length > longestCue) ? null : next
}

const signs = new Intl.Segmenter('en', { granularity: 'grapheme' })
const countSigns = (text: string): number => [...signs.segment(text)].length

/** Signs that are read in a second, spaces among them. */
export function speedOf({ text, startMs, endMs }: EditedCue): number {
  const shown = shownText(text).replaceAll(/\s+/g, ' ').trim()
  return (countSigns(shown) * 1_000) / Math.max(1, endMs - startMs)
}

/** What keeps a caption from being read easily. `overlap`: the one before it is still shown. */
export type CueFault =
  | { kind: 'speed'; speed: number; isTooFast: boolean }
  | { kind: 'line'; signs: number }
  | { kind: 'lines'; lines: number }
  | { kind: 'overlap'; ms: number }
  | { kind: 'empty' }

const known = new WeakMap<EditedCue, readonly CueFault[]>()

/** Of one by itself; kept for as long as it is the same. */
function faultsOfCue(cue: EditedCue): readonly CueFault[] {
  const found = known.get(cue)
  if (found) return found
  const lines = shownText(cue.text).trim().split('\n')
  const longest = Math.max(...lines.map(countSigns))
  const speed = speedOf(cue)
  const faults: CueFault[] = []
  if (lines.join('') === '') faults.push({ kind: 'empty' })
  if (speed > readable.speed) faults.push({ kind: 'speed', speed, isTooFast: speed > readable.tooFast })
  if (longest > readable.line) faults.push({ kind: 'line', signs: longest })
  if (lines.length > readable.lines) faults.push({ kind: 'lines', lines: lines.length })
  known.set(cue, faults)
  return faults
}

/** By the place among the captions; those without a fault are left out. */
export function faultsOf(cues: Cues): ReadonlyMap<number, readonly CueFault[]> {
  const all = new Map<number, readonly CueFault[]>()
  let until = 0
  for (const [at, cue] of cues.entries()) {
    const own = faultsOfCue(cue)
    const faults =
      at > 0 && cue.startMs < until ? [...own, { kind: 'overlap', ms: until - cue.startMs } as const] : own
    if (faults.length > 0) all.set(at, faults)
    until = Math.max(until, cue.endMs)
  }
  return all
}

/** Ends what is still shown where this one begins; where both begin at once, this one begins when the other ends. */
export function mendOverlap(cues: Cues, key: string): Cues {
  const index = indexOf(cues, key)
  const cue = cues[index]
  if (!cue) return cues
  const twin = cues.slice(0, index).findLast(({ startMs }) => startMs > cue.startMs - shortest)
  if (twin) {
    const endMs = Math.max(cue.endMs, twin.endMs + shortest)
    return inOrder(cues.with(index, { ...cue, startMs: twin.endMs, endMs }))
  }
  return cues.map((one, at) => (at < index && one.endMs > cue.startMs ? { ...one, endMs: cue.startMs } : one))
}

/** Which is shown at a moment: the one that began last. */
export function cueAt(cues: Cues, ms: number): EditedCue | undefined {
  let [low, high] = [0, cues.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cues[middle]?.startMs ?? 0) <= ms) low = middle + 1
    else high = middle
  }
  const found = cues[low - 1]
  return found && ms < found.endMs ? found : undefined
}

/** `0:01:02.345`; the hour only where there is one. */
export function timeText(ms: number): string {
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor(ms / 60_000) % 60
  const seconds = ((ms % 60_000) / 1_000).toFixed(3).padStart(6, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`
}

/** Milliseconds of `1:02:03.4`, `2:03,45` or `63.4`; undefined of anything else. */
export function timeOf(text: string): number | undefined {
  const found = /^(?:(?:(\d{1,3}):)?(\d{1,3}):)?(\d{1,6})(?:[.,](\d{1,3}))?$/.exec(text.replaceAll(/\s/g, ''))
  if (!found) return undefined
  const [, hours = '0', minutes = '0', seconds = '0', part = ''] = found
  const whole = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  const ms = whole * 1_000 + Number(part.padEnd(3, '0'))
  return ms <= latestCue ? ms : undefined
}
