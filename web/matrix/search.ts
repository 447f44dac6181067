import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { trainingStates } from '#contract/matrix/standing.ts'
import { trainingSorts, type readTraining, type TrainingVideo } from '#contract/matrix/training.ts'
import { choiceFrom, choicePattern, chosenFrom } from './choice.ts'
import type { RowQuery } from './useRows.ts'

export type Page = Reply<typeof readTraining>

const id = z.catch(z.union([z.uuid(), z.literal('')]), '')
/** The address says this of the matrix. */
export const search = z.object({
  organization: id,
  q: z.catch(z.union([z.string(), z.pipe(z.number(), z.transform(String))]), ''),
  group: id,
  project: id,
  /** It narrows to people whom the mail of this day to the reader names, and is set by the link in that mail. */
  toldOn: z.catch(z.union([z.iso.date(), z.literal('')]), ''),
  videos: z.catch(z.enum(['assigned', 'any']), 'assigned'),
  /** The matrix is shown as it read at the end of this day; '' means as it reads now. */
  on: z.catch(z.union([z.iso.date(), z.literal('')]), ''),
  state: z.catch(z.union([z.enum(trainingStates), z.literal('')]), ''),
  /** It narrows to people who have yet to do this video. */
  open: id,
  sort: z.catch(z.enum(trainingSorts), 'name'),
  /** This is the order of the columns. */
  order: z.catch(z.enum(['title', 'newest', 'open', 'overdue', 'chosen']), 'title'),
  /** These are the columns. */
  cols: z.catch(z.string().check(z.regex(choicePattern)), ''),
  look: z.catch(z.enum(['words', 'signs']), 'words'),
  offset: z.catch(z.coerce.number().check(z.gte(0), z.lte(10_000)), 0),
  /** This is the open cell: a person and a video. */
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

/** Returns the chosen videos in the chosen order. Where none were chosen, and with a state, it returns those that have it with somebody. */
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
