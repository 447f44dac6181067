import * as z from 'zod/mini'
import { alertsOf } from '#contract/platform/alerts.ts'
import { seenChoices, userSorts, userStates as states } from '#contract/directory/users.ts'
import { listParts, pageQuery } from '#web/lists/search.ts'

export const roleFilters = ['admin', 'groupadmin', 'none'] as const
export const roleLabels: Record<(typeof roleFilters)[number], string> = {
  admin: 'Administrators',
  groupadmin: 'Group administrators',
  none: 'Without a role',
}

const day = z.catch(z.optional(z.iso.date()), undefined)

export const userSearch = z.object({
  ...listParts,
  sort: z.catch(z.enum(userSorts), 'name'),
  role: z.catch(z.optional(z.enum(roleFilters)), undefined),
  state: z.catch(z.optional(z.enum(states)), undefined),
  group: z.catch(z.optional(z.uuid()), undefined),
  seen: z.catch(z.optional(z.enum(seenChoices)), undefined),
  /** A video that people have not completed. */
  unwatched: z.catch(z.optional(z.uuid()), undefined),
  /** `key:value` of a field of the organization. */
  field: z.catch(z.optional(z.string().check(z.regex(/^[^:]+:[^]+$/))), undefined),
  from: day,
  until: day,
  /** What a dashboard led to. */
  attention: z.catch(z.optional(z.enum(alertsOf.users)), undefined),
})
export type UserSearch = z.output<typeof userSearch>
export type ChangeUserSearch = (patch: Partial<UserSearch>) => void

/** Filters as the address has them, in the words of the API. */
export function userFilter(search: UserSearch) {
  const { q, role, state, group, seen, unwatched, field, from, until, attention } = search
  return {
    attention,
    q,
    role,
    state,
    groupId: group,
    seen,
    notWatched: unwatched,
    field,
    createdFrom: from,
    createdUntil: until,
  }
}

export function userQuery(search: UserSearch) {
  return { ...userFilter(search), sort: search.sort, ...pageQuery(search) }
}

/** Nobody is left out. */
export const everybody = {
  q: '',
  role: undefined,
  state: undefined,
  group: undefined,
  seen: undefined,
  unwatched: undefined,
  field: undefined,
  from: undefined,
  until: undefined,
  attention: undefined,
} as const

export function isFiltered(search: UserSearch): boolean {
  return Object.values(userFilter(search)).some(Boolean)
}

export const seenNames: Record<(typeof seenChoices)[number], string> = {
  never: 'Never',
  within7: 'In the last 7 days',
  within30: 'In the last 30 days',
  within90: 'In the last 90 days',
  not30: 'Not in the last 30 days',
  not90: 'Not in the last 90 days',
  not365: 'Not in the last 365 days',
}
