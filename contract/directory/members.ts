import * as z from 'zod/mini'
import { endpoint, Id, Instant, only, page, PageQuery, asItComes } from '../endpoint.ts'
import { GroupParams } from './groups.ts'
import { membershipCauses } from './membership.ts'
import { OrgParams, SearchText } from './organizations.ts'
import { adminRoles, everyRole, roles } from '../roles.ts'
import { GroupRule } from './rules.ts'
import { Email, userStates } from './users.ts'

export const Member = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  role: z.nullable(z.enum(roles)),
  state: z.enum(userStates),
  groupadmin: z.boolean(),
  /** In the group because its rule says so. */
  byRule: z.boolean(),
  since: Instant,
})
export type Member = z.infer<typeof Member>

export const memberKinds = ['all', 'groupadmin', 'byHand', 'byRule'] as const

export const listMembers = endpoint({
  name: 'listMembers',
  method: 'GET',
  path: '/organizations/:orgId/groups/:groupId/users',
  summary: 'Who is in a group, and how they came into it',
  access: only(everyRole, 'people:read'),
  params: GroupParams,
  query: z.extend(PageQuery, {
    q: SearchText,
    show: z._default(z.enum(memberKinds), 'all'),
    sort: z._default(z.enum(['name', '-name', 'email', '-email', 'since', '-since']), 'name'),
  }),
  reply: page(Member),
  cacheSeconds: 10,
})

/** The most entries of one list; a longer one is sent in several. */
export const mostEntries = 5_000

/**
 * `found`: can be added. `member`: is in the group already. `repeated`: the same person stands further up. `unknown`: nobody has
 * this address or external ID. `ambiguous`: several people have it. `invalid`: neither an address nor an external ID.
 */
export const matchOutcomes = ['found', 'member', 'repeated', 'unknown', 'ambiguous', 'invalid'] as const
export type MatchOutcome = (typeof matchOutcomes)[number]

export const Match = z.object({
  given: z.string(),
  outcome: z.enum(matchOutcomes),
  /** The person who was found. */
  user: z.nullable(z.object({ id: Id, name: z.string(), email: z.string() })),
  /** The address and the name as they were understood, for somebody unknown who could be added. */
  email: z.nullable(z.string()),
  name: z.nullable(z.string()),
})
export type Match = z.infer<typeof Match>

export const matchMembers = endpoint({
  name: 'matchMembers',
  method: 'POST',
  path: '/organizations/:orgId/groups/:groupId/users/match',
  summary: 'Whom each line of a pasted list of addresses or external IDs means; changes nothing',
  access: only(everyRole, 'people:read'),
  params: GroupParams,
  body: z.object({
    text: z.string().check(z.minLength(1, 'required'), z.maxLength(500_000, 'too_long'), asItComes),
  }),
  reply: z.object({ items: z.array(Match) }),
  cacheSeconds: 0,
})

export const addNewMembers = endpoint({
  name: 'addNewMembers',
  method: 'POST',
  path: '/organizations/:orgId/groups/:groupId/users/new',
  summary: 'Create recipients and put them into the group; whoever exists by now is only put in',
  access: only(adminRoles, 'people:write'),
  params: GroupParams,
  body: z.object({
    people: z
      .array(
        z.object({
          email: Email,
          name: z.optional(z.nullable(z.string().check(z.trim(), z.maxLength(200, 'too_long')))),
        }),
      )
      .check(z.minLength(1, 'required'), z.maxLength(1_000, 'too_long')),
  }),
  reply: z.object({ created: z.number(), added: z.number(), memberCount: z.number() }),
  idempotent: true,
})

export const setGroupadmin = endpoint({
  name: 'setGroupadmin',
  method: 'PUT',
  path: '/organizations/:orgId/groups/:groupId/users/:userId',
  summary: 'Let a member administer the group, or not any more; only for somebody with that role',
  access: only(adminRoles, 'people:write'),
  params: z.object({ orgId: Id, groupId: Id, userId: Id }),
  body: z.object({ groupadmin: z.boolean() }),
  reply: Member,
})

const Person = z.object({ id: z.nullable(Id), name: z.string() })

/**
 * Who did something. Null: an administrator of the installation, whom the organization does not see. `key`: the name of the key by which
 * it was done; left out or null where it was none, and in entries that do not tell.
 */
export const Author = z.object({
  id: Id,
  name: z.nullable(z.string()),
  key: z.optional(z.nullable(z.string())),
})
export type Author = z.infer<typeof Author>

export const authorName = ({ name, key }: Pick<Author, 'name' | 'key'>): string =>
  key ? `the key ${key}` : (name ?? /* text */ 'an administrator of the installation')

export const GroupEvent = z.object({
  id: Id,
  at: Instant,
  change: z.enum(['added', 'removed', 'groupadmin', 'no_groupadmin', 'created', 'changed', 'group_removed']),
  /** Who came or left; null when the group itself was changed. */
  member: z.nullable(Person),
  /** Who did it; null: the product itself. */
  by: z.nullable(Author),
  cause: z.nullable(z.enum(membershipCauses)),
  /** What was changed about the group itself. */
  changed: z.array(z.enum(['name', 'description', 'rule'])),
  /** The names before and after, when the group was given another. */
  names: z.nullable(z.object({ before: z.string(), after: z.string() })),
})
export type GroupEvent = z.infer<typeof GroupEvent>

export const readGroupHistory = endpoint({
  name: 'readGroupHistory',
  method: 'GET',
  path: '/organizations/:orgId/groups/:groupId/history',
  summary: 'Everybody who came or left, by whom and why, and every change of the group, newest first',
  access: only(everyRole, 'people:read'),
  params: GroupParams,
  query: z.extend(PageQuery, {
    show: z._default(z.enum(['all', 'members', 'group']), 'all'),
    /** About this person alone. */
    userId: z.optional(Id),
  }),
  reply: page(GroupEvent),
  cacheSeconds: 5,
})

export const previewRule = endpoint({
  name: 'previewRule',
  method: 'POST',
  path: '/organizations/:orgId/groups/rule-preview',
  summary: 'How many people match a rule, and who would join and leave a group that has it',
  access: only(adminRoles, 'people:read'),
  params: OrgParams,
  body: z.object({ rule: GroupRule, groupId: z.optional(Id) }),
  reply: z.object({
    count: z.number(),
    sample: z.array(z.object({ id: Id, name: z.string(), email: z.string() })),
    /** Of an existing group; null for a new one. Those who leave are named, the first five. */
    joins: z.nullable(z.number()),
    leaves: z.nullable(z.number()),
    leaving: z.array(z.object({ id: Id, name: z.string(), email: z.string() })),
  }),
  cacheSeconds: 0,
})
