import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { alertsOf } from '#contract/platform/alerts.ts'
import { listVideos, searchVideos, videoSorts, videoStates } from '#contract/videos/videos.ts'
import { Tag } from '#contract/videos/tags.ts'
import { listParts, pageQuery } from '#web/lists/search.ts'
import { keep } from '#web/ui/browser/persisted.ts'

const id = z.catch(z.union([z.uuid(), z.literal('')]), '')

export const shapes = ['gallery', 'table'] as const
export type Shape = (typeof shapes)[number]

export const search = z.object({
  ...listParts,
  organization: id,
  project: id,
  state: z.catch(z.enum(['', ...videoStates]), ''),
  tag: z.catch(z.union([Tag, z.literal('')]), ''),
  sort: z.catch(z.enum(videoSorts), '-createdAt'),
  /** Pictures or rows; what is left out is as this browser remembers it. */
  shape: z.catch(z.optional(z.enum(shapes)), undefined),
  /** What a dashboard led to. */
  attention: z.catch(z.optional(z.enum(alertsOf.videos)), undefined),
  dialog: z.catch(z.enum(['', 'projects']), ''),
})
export type Search = z.output<typeof search>
export type ChangeSearch = (patch: Partial<Search>) => void

const storedShape = keep<Shape>('content-shape', {
  parse: (text) => shapes.find((shape) => shape === text) ?? 'gallery',
  format: (shape) => shape,
})

/** How the videos are shown: as the address says, and where it says nothing, as this browser remembers. */
export function useShape({ shape }: Search, change: ChangeSearch): [Shape, (next: Shape) => void] {
  const stored = useSyncExternalStore(storedShape.subscribe, storedShape.read)
  const choose = (next: Shape) => {
    storedShape.save(next)
    change({ shape: next })
  }
  return [shape ?? stored, choose]
}

/** Cards of a page: whole rows of them at every width. */
export const cards = 24

/** What the list is about, as the API has it. */
export function filterOf({ q, organization, project, state, tag, attention }: Search) {
  return {
    keyword: q,
    ...(organization ? { organizationId: organization } : {}),
    ...(project ? { projectId: project } : {}),
    ...(state ? { state } : {}),
    ...(tag ? { tag } : {}),
    ...(attention ? { attention } : {}),
  }
}

/** Without a keyword the list, with one the search: both answer pages of videos, and the list knows no keyword. */
export function source(given: Search) {
  const { before: _none, ...position } = pageQuery(given)
  const shape = given.shape ?? storedShape.read()
  const page = shape === 'gallery' ? { ...position, limit: cards } : position
  return {
    endpoint: given.q === '' ? (listVideos as unknown as typeof searchVideos) : searchVideos,
    address: { query: { ...filterOf(given), sort: given.sort, ...page } },
  }
}

export const isFiltered = ({ q, project, state, tag, attention }: Search) =>
  q !== '' || project !== '' || state !== '' || tag !== '' || attention !== undefined
export const unfiltered = { q: '', project: '', state: '', tag: '', attention: undefined } as const
