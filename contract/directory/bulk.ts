import * as z from 'zod/mini'
import { endpoint, Id, only, type Schema, Count } from '../endpoint.ts'
import { GroupFilter } from './groups.ts'
import { Operation, rowReasons } from '../operations.ts'
import { OrganizationFilter, OrgParams, organizationStates } from './organizations.ts'
import { everyRole, superadminOnly } from '../roles.ts'
import { UserSelection } from './users.ts'

/** What can be done with many people at once. */
export const UserAction = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('remove') }),
  /** Roles are given one by one: each needs a proof, an invitation and groups to administer. */
  z.strictObject({ action: z.literal('change'), state: z.enum(['active', 'disabled']) }),
  z.strictObject({ action: z.literal('add_to_group'), groupId: Id }),
  z.strictObject({ action: z.literal('remove_from_group'), groupId: Id }),
  /** A new invitation, or the waiting one under a new link, for people with a role who have not come yet. */
  z.strictObject({ action: z.literal('invite') }),
])
export type UserAction = z.infer<typeof UserAction>

const ids = z.array(Id).check(z.minLength(1, 'required'), z.maxLength(1_000, 'too_long'))
const exceptIds = z._default(z.array(Id).check(z.maxLength(1_000, 'too_long')), [])
/** How many the person was told; with another number by now nothing happens. */
const expected = Count

/** Things of a list, picked one by one or all that a filter finds but a few. */
export function selectionBy<const F extends Schema>(filter: F) {
  return z.union([z.strictObject({ ids }), z.strictObject({ filter, exceptIds, expected })])
}

/** Groups, picked one by one or found by a filter. */
export const GroupSelection = selectionBy(GroupFilter)
export type GroupSelection = z.infer<typeof GroupSelection>

/** Organizations, picked one by one or found by a filter. */
export const OrganizationSelection = selectionBy(OrganizationFilter)
export type OrganizationSelection = z.infer<typeof OrganizationSelection>

export const GroupAction = z.discriminatedUnion('action', [z.strictObject({ action: z.literal('remove') })])
export type GroupAction = z.infer<typeof GroupAction>

export const OrganizationAction = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('remove') }),
  z.strictObject({ action: z.literal('change'), state: z.enum(organizationStates) }),
])
export type OrganizationAction = z.infer<typeof OrganizationAction>

/**
 * What the change would do right now. Where the selection has another number than `expected` by now, the preview shows that, and the
 * change itself is refused.
 */
export const BulkPreview = z.object({
  total: z.number(),
  changing: z.number(),
  /** The first few of those by name; none of things without one. */
  names: z.array(z.string()),
  /** Why the others stay as they are, most frequent first. */
  staying: z.array(z.object({ reason: z.enum(rowReasons), count: z.number() })),
})
export type BulkPreview = z.infer<typeof BulkPreview>

export const UserBulk = z.object({ selection: UserSelection, do: UserAction })
export const GroupBulk = z.object({ selection: GroupSelection, do: GroupAction })
export const OrganizationBulk = z.object({ selection: OrganizationSelection, do: OrganizationAction })

export const changeUsers = endpoint({
  name: 'changeUsers',
  method: 'POST',
  path: '/organizations/:orgId/users/bulk',
  summary:
    'Change, invite or remove many people at once; a groupadmin puts people into their groups and takes them out',
  access: only(everyRole, 'people:write'),
  params: OrgParams,
  body: UserBulk,
  reply: Operation,
  status: 202,
  idempotent: true,
})

export const previewUsers = endpoint({
  name: 'previewUsers',
  method: 'POST',
  path: '/organizations/:orgId/users/bulk/preview',
  summary: 'How many of the people would change, and why the others would not',
  access: only(everyRole, 'people:write'),
  params: OrgParams,
  body: UserBulk,
  reply: BulkPreview,
})

export const changeGroups = endpoint({
  name: 'changeGroups',
  method: 'POST',
  path: '/organizations/:orgId/groups/bulk',
  summary: 'Remove many groups at once',
  access: only(everyRole, 'people:write'),
  params: OrgParams,
  body: GroupBulk,
  reply: Operation,
  status: 202,
  idempotent: true,
})

export const previewGroups = endpoint({
  name: 'previewGroups',
  method: 'POST',
  path: '/organizations/:orgId/groups/bulk/preview',
  summary: 'How many of the groups would change, and why the others would not',
  access: only(everyRole, 'people:write'),
  params: OrgParams,
  body: GroupBulk,
  reply: BulkPreview,
})

export const changeOrganizations = endpoint({
  name: 'changeOrganizations',
  method: 'POST',
  path: '/organizations/bulk',
  summary: 'Change or remove many organizations at once',
  access: only(superadminOnly, 'directory'),
  body: OrganizationBulk,
  reply: Operation,
  status: 202,
  idempotent: true,
})

export const previewOrganizations = endpoint({
  name: 'previewOrganizations',
  method: 'POST',
  path: '/organizations/bulk/preview',
  summary: 'How many of the organizations would change, and why the others would not',
  access: only(superadminOnly, 'directory'),
  body: OrganizationBulk,
  reply: BulkPreview,
})
