import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { trainingStates } from '#contract/matrix/standing.ts'
import { trainingSorts, type readTraining, type TrainingVideo } from '#contract/matrix/training.ts'
import { choiceFrom, choicePattern, chosenFrom } from './choice.ts'
import type { RowQuery } from './useRows.ts'

export type Page = Reply<typeof readTraining>

const id = z.catch(z.union([z.uuid(), z.literal('')]), '')
/** What the address says of the matrix. */
export const search = z.object({
  organization: id,
  q: z.catch(z.union([z.string(), z.pipe(z.number(), z.transform(String))]), ''),
  group: id,
  project: id,
  /** Whoever the mail of this day to the reader names; set by its link. */
  toldOn: z.catch(z.union([z.iso.date(), z.literal('')]), ''),
  videos: z.catch(z.enum(['assigned', 'any']), 'assigned'),
  /** As it read at the end of this day; '': as it reads now. */
  on: z.catch(z.union([z.iso.date(), z.literal('')]), ''),
  state: z.catch(z.union([z.enum(trainingStates), z.literal('')]), ''),
  /** Only who has this video yet to do. */
  open: id,
  sort: z.catch(z.enum(trainingSorts), 'name'),
  /** Order of the columns. */
  order: z.catch(z.enum(['title', 'newest', 'open', 'overdue', 'chosen']), 'title'),
  /** Which columns there are. */
  cols: z.catch(z.string().check(z.regex(choicePattern)), ''),
  look: z.catch(z.enum(['words', 'signs']), 'words'),
  offset: z.catch(z.coerce.number().check(z.gte(0), z.lte(10_000)), 0),
  /** The open cell: a person and a video. */
  cell: z.catch(z.string().check(z.regex(/^[\da-f-]{36}\.[\da-f-]{36}$/)), ''),
})
export type Search = z.output<typeof search>

export function filterOf({ q, group, project, toldOn, videos, on }: Search) {
  return {
    ...(q ? { q } : {}),
    ...(group ? { groupId: group } : {}),
    ...(project ? { projectId: project } : {}),
    ...(toldOn ? { toldOn } : {}),
    ...(on ? { on } : {}),
    videos,
  }
}

export function rowsOf(state: Search): RowQuery {
  return {
    ...filterOf(state),
    sort: state.sort,
    ...(state.state ? { state: state.state } : {}),
    ...(state.open ? { notDone: state.open } : {}),
  }
}

export const columnOrders: Record<
  Search['order'],
  { label: string; by: (a: TrainingVideo, b: TrainingVideo) => number }
> = {
  title: { label: 'By title', by: () => 0 },
  newest: { label: 'Newest first', by: (a, b) => b.createdAt.localeCompare(a.createdAt) },
  open: { label: 'Most open first', by: (a, b) => b.required - b.done - (a.required - a.done) },
  overdue: { label: 'Most late first', by: (a, b) => b.overdue - a.overdue },
  chosen: { label: 'As chosen', by: () => 0 },
}

/** The chosen videos in the chosen order; where none were chosen, and with a state, those that have it with somebody. */
export function shownVideos(
  videos: readonly TrainingVideo[],
  { state, order, cols }: Search,
): readonly TrainingVideo[] {
  const chosen = chosenFrom(videos, choiceFrom(cols))
  const wanted =
    state === '' || cols !== '' ? chosen : chosen.filter(({ counts }) => (counts[state] ?? 0) > 0)
  if (order === 'chosen') return wanted
  const byTitle = videos.filter((video) => wanted.includes(video))
  return order === 'title' ? byTitle : byTitle.toSorted(columnOrders[order].by)
}
