import { chapterFaults, faultsOf, timeOf, timeText } from '#contract/videos/chapter-text.ts'
import type { KeptChapter } from '#contract/videos/shown-chapters.ts'

/** A chapter as it is typed; its time may be none. */
export type ChapterRow = { time: string; title: string; toCheck: boolean }

/** One line for each, as which a form keeps and merges them: `3:10 Lock out`, with a question mark in front of what is to be checked. */
export const lineOf = ({ time, title, toCheck }: ChapterRow): string =>
  `${toCheck ? '?' : ''}${time.replaceAll(/\s/g, '')} ${title}`

export function rowOf(line: string): ChapterRow {
  const toCheck = line.startsWith('?')
  const text = toCheck ? line.slice(1) : line
  const end = text.indexOf(' ')
  return { time: text.slice(0, end), title: text.slice(end + 1), toCheck }
}

export const lineOfChapter = ({ startMs, title, toCheck }: KeptChapter): string =>
  lineOf({ time: timeText(startMs), title, toCheck })

/** What a line says where it is read by people. */
export const wordsOf = (line: string): string => line.replace(/^\?/, '')

type Typed = { chapters: KeptChapter[]; faults: ReadonlyMap<number, string> }

/** The chapters of the lines, and what is wrong with which of them. */
export function chaptersOf(lines: readonly string[], durationMs: number): Typed {
  const faults = new Map<number, string>()
  const chapters = lines.map((line, at): KeptChapter => {
    const { time, title, toCheck } = rowOf(line)
    const startMs = timeOf(time)
    if (startMs === undefined) faults.set(at, 'Write a time such as 3:10.')
    return { startMs: startMs ?? -1 - at, title: title.trim(), toCheck }
  })
  for (const { at, fault } of faultsOf(chapters, durationMs))
    if (!faults.has(at)) faults.set(at, chapterFaults[fault])
  return { chapters, faults }
}

/** The lines with another one, at its place among their times. */
export function withChapterAt(lines: readonly string[], ms: number): { lines: string[]; at: number } {
  // Whole seconds are what is read and typed.
  const startMs = Math.floor(ms / 1_000) * 1_000
  const later = lines.findIndex((line) => (timeOf(rowOf(line).time) ?? 0) > startMs)
  const at = later < 0 ? lines.length : later
  const added = lineOf({ time: timeText(startMs), title: '', toCheck: false })
  return { lines: lines.toSpliced(at, 0, added), at }
}
