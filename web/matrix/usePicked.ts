import { useState } from 'react'
import { sentence } from '#web/api/errors.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { nothingPicked, rangeOf, withPicked, type Picked } from './picked.ts'
import { idsOf, type RowQuery } from './useRows.ts'

type Matrix = { orgId: string; query: RowQuery; videoIds: readonly string[] }

export type Picking = {
  picked: Picked
  clear: () => void
  allVideos: () => void
  /** Picks a row by its number. With `isRange`, all from the last pressed one along become what it becomes. */
  person: (at: { number: number; id: string }, isRange: boolean) => void
  video: (at: { number: number; id: string }, isRange: boolean) => void
}

/** Keeps what is picked in a matrix. Another filter is another matrix. */
export function usePicked({ orgId, query, videoIds }: Matrix): Picking {
  const matrix = JSON.stringify([orgId, { ...query, sort: undefined }])
  const [stored, store] = useState({ matrix, picked: nothingPicked })
  const picked = stored.matrix === matrix ? stored.picked : nothingPicked
  const set = (next: Partial<Picked>) =>
    store((before) => ({
      matrix,
      picked: { ...(before.matrix === matrix ? before.picked : nothingPicked), ...next },
    }))
  return {
    picked,
    clear: () => set(nothingPicked),
    allVideos: () => set({ videos: new Set(videoIds) }),
    person({ number, id }, isRange) {
      const isOn = !picked.people.has(id)
      const from = { ...picked.from, person: number }
      const span = rangeOf(picked.from.person, number, isRange)
      // Some rows of the range may not have been in sight yet.
      const add = (ids: readonly string[]) => set({ people: withPicked(picked.people, ids, isOn), from })
      if (span.until - span.from === 1) add([id])
      else idsOf(orgId, query, span).then(add, (error: unknown) => toast.failure(sentence(error)))
    },
    video({ number, id }, isRange) {
      const { from, until } = rangeOf(picked.from.video, number, isRange)
      const videos = withPicked(picked.videos, videoIds.slice(from, until), !picked.videos.has(id))
      set({ videos, from: { ...picked.from, video: number } })
    },
  }
}
