import * as z from 'zod/mini'
import { alertsOf } from '../platform/alerts.ts'
import { bothWays, endpoint, Id, Instant, listPage, ListQuery, only, Removed, lines } from '../endpoint.ts'
import { Name, OrgParams, SearchText } from './organizations.ts'
import { GroupRule } from './rules.ts'
import { everyRole } from '../roles.ts'

/** `static`: people are put in by hand. `rule`: who is in it follows from what is known about them. */
export const groupKinds = ['static', 'rule'] as const

export const Group = z.object({
  id: Id,
  organizationId: Id,
  name: z.string(),
  description: z.nullable(z.string()),
  /** `rule`: whoever matches the rule is in it; nobody is put in or taken out by hand but groupadmins. */
  kind: z.enum(groupKinds),
  /** Null for people chosen by hand, and for a groupadmin, whose sight the rule may exceed. */
  rule: z.nullable(GroupRule),
  /** The members of a large group are still being worked out, which takes seconds. */
  isSettling: z.boolean(),
  memberCount: z.number(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Group = z.infer<typeof Group>

export const GroupInput = z.object({
  name: Name,
  description: z.optional(z.nullable(z.string().check(z.trim(), z.maxLength(2_000, 'too_long'), lines))),
  /**
   * Only for administrators. Left out: as it is. Null: people are chosen by hand, and whoever is in the group stays. With a rule,
   * members who do not match leave, except groupadmins.
   */
  rule: z.optional(z.nullable(GroupRule)),
})
export type GroupInput = z.infer<typeof GroupInput>

export const groupSorts = bothWays('name', 'members', 'createdAt')

export const GroupParams = z.object({ orgId: Id, groupId: Id })

/** Which groups of an organization: what a list shows, and a change in bulk is about. */
export const GroupFilter = z.object({
  q: SearchText,
  kind: z.optional(z.enum(groupKinds)),
  /** `none`: groups that nobody administers. */
  groupadmins: z.optional(z.enum(['none', 'some'])),
  attention: z.optional(z.enum(alertsOf.groups)),
})
export type GroupFilter = z.infer<typeof GroupFilter>

export const listGroups = endpoint({
  name: 'listGroups',
  method: 'GET',
  path: '/organizations/:orgId/groups',
  summary: 'Groups of an organization; a groupadmin sees their own',
  readsAlone: true,
  access: only(everyRole, 'people:read'),
  params: OrgParams,
  query: z.extend(ListQuery, {
    ...GroupFilter.shape,
    sort: z._default(z.enum(groupSorts), 'name'),
  }),
  reply: listPage(Group),
})

export const createGroup = endpoint({
  name: 'createGroup',
  method: 'POST',
  path: '/organizations/:orgId/groups',
  summary: 'Create a group; a groupadmin who creates one administers it',
  access: only(everyRole, 'people:write'),
  params: OrgParams,
  body: GroupInput,
  reply: Group,
  status: 201,
  idempotent: true,
})

export const readGroup = endpoint({
  name: 'readGroup',
  method: 'GET',
  path: '/organizations/:orgId/groups/:groupId',
  summary: 'One group',
  readsAlone: true,
  access: only(everyRole, 'people:read'),
  params: GroupParams,
  reply: Group,
})

export const updateGroup = endpoint({
  name: 'updateGroup',
  method: 'PUT',
  path: '/organizations/:orgId/groups/:groupId',
  summary: 'Change a group',
  access: only(everyRole, 'people:write'),
  params: GroupParams,
  body: GroupInput,
  reply: Group,
  ifMatch: true,
})

export const deleteGroup = endpoint({
  name: 'deleteGroup',
  method: 'DELETE',
  path: '/organizations/:orgId/groups/:groupId',
  summary: 'Remove a group; its members stay',
  access: only(everyRole, 'people:write'),
  params: GroupParams,
  reply: Removed,
})

export const addGroupUsers = endpoint({
  name: 'addGroupUsers',
  method: 'POST',
  path: '/organizations/:orgId/groups/:groupId/users',
  summary: 'Put users into a group; those who are in it already stay as they are',
  access: only(everyRole, 'people:write'),
  params: GroupParams,
  body: z.object({
    userIds: z.array(Id).check(z.minLength(1, 'required'), z.maxLength(1_000, 'too_long')),
    /** Sent by the client as the specification says; must agree with the path when present. */
    organizationId: z.optional(Id),
    groupId: z.optional(Id),
  }),
  reply: z.object({ added: z.number(), memberCount: z.number() }),
})

export const removeGroupUser = endpoint({
  name: 'removeGroupUser',
  method: 'DELETE',
  path: '/organizations/:orgId/groups/:groupId/users/:userId',
  summary: 'Take a user out of a group',
  access: only(everyRole, 'people:write'),
  params: z.object({ orgId: Id, groupId: Id, userId: Id }),
  reply: Removed,
})
