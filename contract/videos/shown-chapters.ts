import * as z from 'zod/mini'
import { requiredText, wholeBetween } from '../endpoint.ts'
import { chapterLimits } from './chapter-limits.ts'

export const Chapter = z.object({
  /** Where it begins, in milliseconds of the video. It ends where the next one begins, or with the video. */
  startMs: wholeBetween(0, chapterLimits.lastMs),
  title: requiredText(chapterLimits.title),
})

/** `toCheck`: the video was replaced, and what plays here now may be something else. Viewers are not shown it until it was checked. */
export const KeptChapter = z.extend(Chapter, { toCheck: z.boolean() })
export type KeptChapter = z.infer<typeof KeptChapter>

/** What viewers and reports are told of; where it ends follows from the next one. */
export const ShownChapter = z.object({ startMs: z.number(), title: z.string() })
export type ShownChapter = z.infer<typeof ShownChapter>

/** As the database keeps them; null where there are none. */
export const StoredChapters = z.nullable(z.array(KeptChapter))

/** What viewers and reports see of what is kept. */
export const shownOf = (kept: z.infer<typeof StoredChapters>): ShownChapter[] =>
  (kept ?? []).flatMap(({ startMs, title, toCheck }) => (toCheck ? [] : [{ startMs, title }]))
