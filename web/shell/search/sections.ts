import type { Reply } from '#contract/endpoint.ts'
import type { search, SearchHit } from '#contract/search.ts'
import type { Visit } from '#web/api/visits.ts'
import { formatNumber } from '#web/ui/format.ts'
import { beginnings, matchingPlaces, type Place } from './places.ts'
import { kindWords } from './words.ts'

export type Option =
  | { type: 'hit'; key: string; hit: SearchHit }
  | { type: 'visit'; key: string; visit: Visit }
  | { type: 'place'; key: string; place: Place }
  | { type: 'all'; key: string; q: string }

/** `note` stands at the end of the heading. */
export type Section = { key: string; label: string; note?: string | undefined; options: readonly Option[] }

const recent = 5
const often = 3
/** Opened so many times is often. */
const oftenFrom = 3

/** What an empty field offers: what was opened last, what is opened often, and what one may want to begin. */
export function startingSections(kept: readonly Visit[], places: readonly Place[]): Section[] {
  const asOption = (visit: Visit): Option => ({ type: 'visit', key: visit.path, visit })
  const last = kept.slice(0, recent)
  const frequent = kept
    .slice(recent)
    .filter(({ times }) => times >= oftenFrom)
    .toSorted((one, other) => other.times - one.times)
    .slice(0, often)
  return [
    { key: 'recent', label: 'Recent', options: last.map(asOption) },
    { key: 'often', label: 'Often', options: frequent.map(asOption) },
    { key: 'begin', label: 'Begin', options: beginnings(places).map(placeOption) },
  ].filter(({ options }) => options.length > 0)
}

const placeOption = (place: Place): Option => ({ type: 'place', key: place.key, place })

type Found = Reply<typeof search>

/** What agrees with a text: pages that are surely meant first, then what was found, then other pages, then the way to all of it. */
export function foundSections(q: string, places: readonly Place[], found: Found | undefined): Section[] {
  const matches = matchingPlaces(places, q)
  const pages = (isLeading: boolean): Section => ({
    key: isLeading ? 'meant' : 'pages',
    label: 'Pages and actions',
    options: matches.filter((match) => match.isLeading === isLeading).map(placeOption),
  })
  const groups = (found?.groups ?? []).map(({ kind, hits, total, totalIsMinimum }): Section => ({
    key: kind,
    label: kindWords[kind].many,
    note:
      total > hits.length
        ? `${hits.length} of ${totalIsMinimum ? 'more than ' : ''}${formatNumber(total)}`
        : undefined,
    options: hits.map((hit) => ({ type: 'hit', key: hit.id, hit })),
  }))
  const all: Section[] =
    groups.length === 0 ? [] : [{ key: 'all', label: 'More', options: [{ type: 'all', key: 'all', q }] }]
  return [pages(true), ...groups, pages(false), ...all].filter(({ options }) => options.length > 0)
}
