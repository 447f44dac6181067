import type { AudienceCurves } from '#contract/audience/audience.ts'
import type { ShownChapter } from '#contract/videos/shown-chapters.ts'

export type ChapterFigures = ShownChapter & {
  endMs: number
  /** Mean over its time of who saw it, of all who played. */
  share: number
  /** Plays that ended in it; those at the end of the video are none. */
  left: number
}

/** The curves over the time of each chapter. A bin that two chapters share counts for each by what it has of it. */
export function figuresByChapter(
  chapters: readonly ShownChapter[],
  { binSeconds, base, covered, exits }: AudienceCurves,
  durationMs: number,
): ChapterFigures[] {
  const binMs = binSeconds * 1_000
  return chapters.map((chapter, at) => {
    const { startMs } = chapter
    const endMs = chapters[at + 1]?.startMs ?? durationMs
    const inside = (bin: number) =>
      Math.max(0, Math.min(endMs, (bin + 1) * binMs, durationMs) - Math.max(startMs, bin * binMs))
    const seen = covered.reduce((sum, n, bin) => sum + n * inside(bin), 0)
    // Whoever leaves does so at one moment: a bin belongs to the chapter in which its middle lies.
    const left = exits
      .slice(0, -1)
      .reduce((sum, n, bin) => sum + (isIn((bin + 0.5) * binMs, startMs, endMs) ? n : 0), 0)
    return { ...chapter, endMs, share: seen / (endMs - startMs) / Math.max(base, 1), left }
  })
}

const isIn = (ms: number, startMs: number, endMs: number) => startMs <= ms && ms < endMs
