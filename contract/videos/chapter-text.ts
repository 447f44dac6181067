import { inOneLine } from '../platform/text/text.ts'
import { chapterLimits } from './chapter-limits.ts'

/** What keeps a list of chapters from being saved, and a sentence for its author. */
export const chapterFaults = {
  no_time: 'Begin with a time, as in “3:10 Lock out”.',
  no_vtt_time: 'These are no times of WebVTT. Write them like 00:03:10.000 --> 00:04:00.000.',
  no_title: 'Write a title behind the time.',
  long_title: `A title has at most ${chapterLimits.title} characters.`,
  same_time: 'Another chapter begins at this very time.',
  after_end: 'The video is over by then.',
  too_many: `A video has at most ${chapterLimits.count} chapters.`,
} as const satisfies Record<string, string>
export type ChapterFault = keyof typeof chapterFaults

export type ReadChapter = { startMs: number; title: string }
/** `line` counts from 1. */
type Located = ReadChapter & { line: number }
type LineFault = { line: number; fault: ChapterFault }

/** All that a text says, or the first line of it that says none. */
type ChaptersOfText = { chapters: ReadChapter[] } | LineFault

const minuteMs = 60_000
const hourMs = 3_600_000

/** "3:10", "63:10", "1:03:10" or "3:10.5" in milliseconds; undefined where it is no time. */
export function timeOf(text: string): number | undefined {
  const parts = /^(?:(\d{1,2}):([0-5]?\d)|(\d{1,4})):([0-5]\d)(?:[.,](\d{1,3}))?$/.exec(text.trim())
  if (!parts) return undefined
  const [, hours = '0', ofHour, minutes = '0', seconds = '0', fraction = ''] = parts
  const ms = Number(fraction.padEnd(3, '0'))
  return Number(hours) * hourMs + Number(ofHour ?? minutes) * minuteMs + Number(seconds) * 1_000 + ms
}

/** As `timeOf` reads it, to the millisecond where it has any. */
export function timeText(ms: number): string {
  const two = (n: number) => String(n).padStart(2, '0')
  const [hours, minutes] = [Math.floor(ms / hourMs), Math.floor(ms / minuteMs) % 60]
  const seconds = two(Math.floor(ms / 1_000) % 60)
  const rest = ms % 1_000
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0').replace(/0+$/, '')}`
  return hours > 0 ? `${hours}:${two(minutes)}:${seconds}${fraction}` : `${minutes}:${seconds}${fraction}`
}

/**
 * Reads lines such as `3:10 Lock out`, as they stand below videos elsewhere, or a WebVTT file. Lines may come in any order; what a line
 * holds beside its time is the title. Ends of lines are those of any system, and a mark of the encoding is passed over.
 */
export function chaptersIn(text: string, durationMs: number): ChaptersOfText {
  const lines = text
    .replace(/^\uFEFF/, '')
    .toWellFormed()
    .split(/\r\n|\n|\r|\u2028|\u2029/)
  const found = /^WEBVTT(?:[ \t].*)?$/.test(lines[0] ?? '') ? cuesIn(lines) : linesIn(lines)
  if (!Array.isArray(found)) return found
  const fault = firstFault(found, durationMs)
  if (fault) return { line: found[fault.at]?.line ?? 1, fault: fault.fault }
  return {
    chapters: inOrder(found).map(({ startMs, title }) => ({ startMs, title })),
  }
}

export const inOrder = <One extends ReadChapter>(list: readonly One[]): One[] =>
  list.toSorted((a, b) => a.startMs - b.startMs)

type Kept = ReadChapter & { toCheck?: boolean }
type FaultOfOne = { at: number; fault: ChapterFault }

/** What is wrong with chapters of a video of that length, by their places in the list; those still to be checked may be anywhere. */
export function faultsOf(list: readonly Kept[], durationMs: number): FaultOfOne[] {
  const times = new Map<number, number>()
  return list.flatMap(({ startMs, title, toCheck = false }, at): FaultOfOne[] => {
    const fault = (code: ChapterFault) => [{ at, fault: code }]
    if (at >= chapterLimits.count) return at === chapterLimits.count ? fault('too_many') : []
    if (title === '') return fault('no_title')
    if (title.length > chapterLimits.title) return fault('long_title')
    if (toCheck) return []
    if (startMs >= durationMs) return fault('after_end')
    if (times.has(startMs)) return fault('same_time')
    times.set(startMs, at)
    return []
  })
}

const firstFault = (list: readonly Kept[], durationMs: number) => faultsOf(list, durationMs)[0]

/** A time in front, in brackets or not, and what parts it from the title. */
const oneLine = /^[[(]?(\d(?:[\d:.,]*\d)?)[\])]?(?:[\s\-–—:|.)]+(.*))?$/u

function linesIn(lines: readonly string[]): Located[] | LineFault {
  const found: Located[] = []
  for (const [at, raw] of lines.entries()) {
    const text = inOneLine(raw)
    if (text === '') continue
    const [, time = '', title = ''] = oneLine.exec(text) ?? []
    const startMs = timeOf(time)
    if (startMs === undefined) return { line: at + 1, fault: 'no_time' }
    found.push({ line: at + 1, startMs, title: title.trim() })
  }
  return found
}

const arrow = '-->'

/** The cues of a WebVTT file: when each begins, and its text as the title. What else such a file may hold is passed over. */
function cuesIn(lines: readonly string[]): Located[] | LineFault {
  const found: Located[] = []
  for (let at = 1; at < lines.length; at += 1) {
    const text = lines[at] ?? ''
    if (!text.includes(arrow)) continue
    const startMs = vttTime(text.split(arrow)[0] ?? '')
    const endMs = vttTime((text.split(arrow)[1] ?? '').trim().split(/\s/)[0] ?? '')
    if (startMs === undefined || endMs === undefined) return { line: at + 1, fault: 'no_vtt_time' }
    const after = lines.slice(at + 1)
    const end = after.findIndex((one) => one === '' || one.includes(arrow))
    const payload = end < 0 ? after : after.slice(0, end)
    found.push({ line: at + 1, startMs, title: plainText(payload.join(' ')) })
  }
  return found
}

const vttTime = (text: string) =>
  /^(?:\d{2,}:)?\d{2}:\d{2}\.\d{3}$/.test(text.trim()) ? timeOf(text) : undefined

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' }

/** The text of a cue without its tags, which chapters have no use for. */
const plainText = (text: string) =>
  inOneLine(
    text
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_all, name: string) => entities[name] ?? ''),
  )
