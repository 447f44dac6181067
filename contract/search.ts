import * as z from 'zod/mini'
import { endpoint, Id, Instant, only, requiredText, asItComes } from './endpoint.ts'
import { everyRole, pages, type Role } from './roles.ts'
import { Moment } from './videos/moments.ts'

/** What can be found, in the order in which equally close kinds are shown. */
export const searchKinds = ['organization', 'user', 'group', 'content', 'transmission'] as const
export type SearchKind = (typeof searchKinds)[number]

/** The page that a hit leads to; who may not open it does not find what would lead there. */
export const pageOfKind: Record<SearchKind, string> = {
  organization: '/organizations/$orgId/dashboard',
  user: '/organizations/$orgId/users/$userId',
  group: '/organizations/$orgId/groups/$groupId/edit',
  content: '/content/$videoId',
  transmission: '/transmissions/$transmissionId',
}

export function kindsFor(role: Role): SearchKind[] {
  return searchKinds.filter((kind) =>
    pages.some(({ path, roles }) => path === pageOfKind[kind] && roles.includes(role)),
  )
}

/** A part of a text that agrees with what was typed: its first letter and the one behind it, in units of UTF-16. */
export const Mark = z.tuple([z.number(), z.number()])
export type Mark = z.infer<typeof Mark>

export const SearchHit = z.object({
  kind: z.enum(searchKinds),
  id: Id,
  organizationId: Id,
  organizationName: z.string(),
  title: z.string(),
  titleMarks: z.array(Mark),
  /** A mail address, the beginning of a description or the place in it that agrees; empty where there is none. */
  detail: z.string(),
  detailMarks: z.array(Mark),
  /** Of its kind: `archived`, `suspended`, `disabled`, `ready` and others. Groups have none. */
  state: z.nullable(z.string()),
  /** Key of a face or a logo. */
  picture: z.nullable(z.string()),
  /** People in an organization or a group. */
  people: z.nullable(z.number()),
  createdAt: Instant,
  /** Where the words are said in a video that has them nowhere else; `detail` has what is said. */
  moment: z.nullable(Moment),
  /** The page of the console that shows it. */
  path: z.string(),
})
export type SearchHit = z.infer<typeof SearchHit>

export const SearchGroup = z.object({
  kind: z.enum(searchKinds),
  /**
   * Of its best hit. `exact`: its title, id or address is what was typed. `title`: words of its title begin so. `elsewhere`: the words
   * are in another part of it.
   */
  closeness: z.enum(['exact', 'title', 'elsewhere']),
  hits: z.array(SearchHit),
  total: z.number(),
  /** There are more hits than are ranked; further words narrow them down. */
  totalIsMinimum: z.boolean(),
})
export type SearchGroup = z.infer<typeof SearchGroup>

/** Hits of each kind that are ranked and can be paged through. */
export const mostHits = 100

const Kinds = z.pipe(
  z.pipe(
    z.string().check(z.maxLength(100)),
    z.transform((text) => text.split(',')),
  ),
  z.array(z.enum(searchKinds)),
)

const wholeNumber = (least: number, most: number) =>
  z.coerce.number().check(z.int(), z.gte(least), z.lte(most))

export const search = endpoint({
  name: 'search',
  method: 'GET',
  path: '/search',
  summary:
    'Everything that the caller may see and that has the words, is named by the id, or lies at the address',
  access: only(everyRole, 'person'),
  query: z.object({
    q: requiredText(500).check(asItComes),
    /** Separated by commas; all when left out. */
    kinds: z.optional(Kinds),
    /** Hits of each kind. */
    limit: z._default(wholeNumber(1, 50), 5),
    offset: z._default(wholeNumber(0, mostHits), 0),
  }),
  reply: z.object({
    /** Those with hits: the closest first, in the order of the kinds where one is as close as the other. */
    groups: z.array(SearchGroup),
    /** Nothing has the words; these come nearest. */
    approximate: z.boolean(),
  }),
  cacheSeconds: 10,
})
