import * as z from 'zod/mini'
import { endpoint, Id, Nothing, only, lines } from '../endpoint.ts'
import { Name } from './organizations.ts'
import { everyRole } from '../roles.ts'

/** The reports that can be kept as somebody sees them, by their names in addresses. */
export const viewedReports = [
  'account-user-activity',
  'user-engagement',
  'account-activity',
  'message-analytics',
  'quiz-metrics',
] as const

/** The lists that can be kept as somebody sees them. */
export const viewedLists = [
  'users',
  'groups',
  'organizations',
  'content',
  'transmissions',
  'training',
  'removed',
  'viewers',
  'quiz-people',
  ...viewedReports,
] as const
export type ViewedList = (typeof viewedLists)[number]

/** Those that no groupadmin opens. */
export const adminLists: ReadonlySet<ViewedList> = new Set([
  'content',
  'transmissions',
  'viewers',
  'quiz-people',
  'account-activity',
])

/** Those that a superadmin may see of all organizations at once: such a view belongs to none. */
export const wideLists: ReadonlySet<ViewedList> = new Set([
  'organizations',
  'content',
  'transmissions',
  'training',
  'removed',
  ...viewedReports,
])

/** What stands in the address behind the question mark: search, filters, order, columns, density, rows of a page. */
const Search = z.record(
  z.string().check(z.regex(/^[a-zA-Z]{1,40}$/, 'invalid')),
  // As long as the choice among all videos of a training matrix.
  z.string().check(z.maxLength(8_000, 'too_long'), lines),
)

/** A list as somebody wants to see it again. */
export const View = z.object({
  id: Id,
  list: z.enum(viewedLists),
  name: z.string(),
  search: z.record(z.string(), z.string()),
  /** Everybody of the organization who may open the list sees it; of all organizations, every superadmin. */
  shared: z.boolean(),
  /** The caller made it, and may change it. */
  own: z.boolean(),
  /** Null when the owner is not of the organization. */
  ownerName: z.nullable(z.string()),
  /** The caller may remove it: it is their own, or it is shared and they are an administrator. */
  mayRemove: z.boolean(),
})
export type View = z.infer<typeof View>

/** The most views of one person in one list. */
export const mostViews = 50

const ViewedPlace = z.object({
  list: z.enum(viewedLists),
  /** Whose list it is; left out for the list of all organizations. */
  organizationId: z.optional(Id),
})

const ViewParams = z.object({ viewId: Id })

export const listViews = endpoint({
  name: 'listViews',
  method: 'GET',
  path: '/views',
  summary: 'The views of a list: those of the caller, and those that others share',
  access: only(everyRole, 'person'),
  query: ViewedPlace,
  reply: z.object({ items: z.array(View) }),
})

export const createView = endpoint({
  name: 'createView',
  method: 'POST',
  path: '/views',
  summary: 'Save how a list looks; what a groupadmin saves is theirs alone',
  access: only(everyRole, 'person'),
  body: z.extend(ViewedPlace, { name: Name, search: Search, shared: z._default(z.boolean(), false) }),
  reply: View,
  status: 201,
  idempotent: true,
})

export const updateView = endpoint({
  name: 'updateView',
  method: 'PUT',
  path: '/views/:viewId',
  summary: 'Rename your own view, replace what it shows, share it or stop sharing it',
  access: only(everyRole, 'person'),
  params: ViewParams,
  body: z.object({ name: z.optional(Name), search: z.optional(Search), shared: z.optional(z.boolean()) }),
  reply: View,
})

export const deleteView = endpoint({
  name: 'deleteView',
  method: 'DELETE',
  path: '/views/:viewId',
  summary: 'Remove your own view, or as an administrator a shared one',
  access: only(everyRole, 'person'),
  params: ViewParams,
  reply: Nothing,
})
