import type { Reply } from '#contract/endpoint.ts'
import type { search, SearchHit } from '#contract/search.ts'
import type { Visit } from '#web/api/visits.ts'
import { formatNumber } from '#web/ui/format.ts'
import { matchingPlaces, type Agreement } from './matching.ts'
import { beginnings, type SearchPlace } from './places.ts'
import { kindLabels } from './words.ts'

export type Option =
  | { type: 'hit'; key: string; hit: SearchHit }
  | { type: 'visit'; key: string; visit: Visit }
  | { type: 'place'; key: string; place: SearchPlace }
  | { type: 'all'; key: string; q: string }

/** `note` stands at the end of the heading. */
export type Section = { key: string; label: string; note?: string | undefined; options: readonly Option[] }

const recent = 5
const often = 3
/** Opened so many times is often. */
const oftenFrom = 3

/** `here`: the path of the page that is open, which nobody looks for. */
type Start = { visited: readonly Visit[]; here: string; places: readonly SearchPlace[] }

/** What was opened often long ago counts for less: half after thirty days. */
const weightOf = ({ times, at }: Visit) => times * 2 ** ((at - Date.now()) / (30 * 86_400_000))

/** What an empty field offers: what was opened last, what is opened often, and what one may want to begin. */
export function startingSections({ visited, here, places }: Start): Section[] {
  const asOption = (visit: Visit): Option => ({ type: 'visit', key: visit.path, visit })
  const others = visited.filter(({ path }) => path !== here)
  const last = others.slice(0, recent)
  const frequent = others
    .slice(recent)
    .filter(({ times }) => times >= oftenFrom)
    .toSorted((one, other) => weightOf(other) - weightOf(one))
    .slice(0, often)
  return [
    { key: 'recent', label: 'Recent', options: last.map(asOption) },
    { key: 'often', label: 'Often', options: frequent.map(asOption) },
    { key: 'begin', label: 'Begin', options: beginnings(places).map(placeOption) },
  ].filter(({ options }) => options.length > 0)
}

const placeOption = (place: SearchPlace): Option => ({ type: 'place', key: place.key, place })

type SearchReply = Reply<typeof search>

type Ranked = Section & { rank: number }

/** Where a section stands: what is called exactly so, what begins so, what has it in its name, what has it elsewhere. */
const ranks = {
  pages: { exact: 0, leading: 2, label: 4, words: 6, slip: 7 },
  hits: { exact: 1, title: 3, elsewhere: 5 },
} as const

/**
 * What agrees with a text, the best first: pages and actions, and what was found kind by kind, always in the same order where one
 * agrees as well as the other; then the way to all of it.
 */
export function foundSections(
  q: string,
  places: readonly SearchPlace[],
  found: SearchReply | undefined,
): Section[] {
  const matches = matchingPlaces(places, q)
  const pages = (key: string, agreements: readonly Agreement[]): Ranked[] => {
    const these = matches.filter(({ agreement }) => agreements.includes(agreement))
    const [best] = these
    const options = these.map(({ place }) => placeOption(place))
    return best ? [{ key, label: 'Pages and actions', options, rank: ranks.pages[best.agreement] }] : []
  }
  const groups = (found?.groups ?? []).map(({ kind, closeness, hits, total, totalIsMinimum }): Ranked => ({
    key: kind,
    label: kindLabels[kind].many,
    note:
      total > hits.length
        ? `${hits.length} of ${totalIsMinimum ? 'more than ' : ''}${formatNumber(total)}`
        : undefined,
    options: hits.map((hit) => ({ type: 'hit', key: hit.id, hit })),
    rank: ranks.hits[closeness],
  }))
  const all: Ranked[] =
    groups.length === 0
      ? []
      : [{ key: 'all', label: 'More', options: [{ type: 'all', key: 'all', q }], rank: Infinity }]
  return [
    ...pages('meant', ['exact', 'leading']),
    ...pages('pages', ['label', 'words', 'slip']),
    ...groups,
    ...all,
  ].toSorted((one, other) => one.rank - other.rank)
}

/** Whether a page is called exactly so, which is then surely meant, whatever else may be found. */
export const isCalled = (q: string, places: readonly SearchPlace[]): boolean =>
  matchingPlaces(places, q)[0]?.agreement === 'exact'
