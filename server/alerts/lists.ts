import type { alertsOf } from '#contract/platform/alerts.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import type { Visibility } from '../platform/http/visibility.ts'
import type { OrganizationScope } from './scope.ts'
import * as people from './people.ts'
import * as sending from './sending.ts'
import * as work from './work.ts'

type Kind<List extends keyof typeof alertsOf> = (typeof alertsOf)[List][number]

/** Condition: the rows of a list that a dashboard has counted, from the same query by which it counted them. */
const among = (id: string, found: SQL) => sql`${sql.raw(id)} in (select matter.id from (${found}) matter)`

const ofTransmissions: Record<Kind<'transmissions'>, (scope: OrganizationScope) => SQL> = {
  paused_transmissions: sending.pausedTransmissions,
  pending_approvals: sending.pendingApprovals,
  returned_messages: sending.returnedMessages,
  failing_senders: sending.failingTransmissions,
}

/** Of `transmissions t`. */
export const needsTransmission = (kind: Kind<'transmissions'>, scope: OrganizationScope) =>
  among('t.id', ofTransmissions[kind](scope))

const ofOrganizations: Record<Kind<'organizations'>, SQL> = {
  organizations_without_admin: people.organizationsWithoutAdmin,
  failing_senders: sending.failingSenders,
}

/** Of `organizations o`. */
export const needsOrganization = (kind: Kind<'organizations'>) => among('o.id', ofOrganizations[kind])

/** Of `videos v`. */
export const needsVideo = (scope: OrganizationScope) => among('v.id', work.failedVideos(scope))

/** Of `operations p`. */
export const needsOperation = (scope: OrganizationScope) => among('p.id', work.failedOperations(scope))

/** Of `invitations i`. */
export const needsInvitation = (kind: Kind<'invitations'>, scope: OrganizationScope) =>
  among(
    'i.id',
    kind === 'failed_invitations' ? people.failedInvitations(scope) : people.expiringInvitations(scope),
  )

const ofUsers: Record<Kind<'users'>, (visibility: Visibility) => SQL> = {
  dormant_admins: ({ organizationId }) => people.dormantAdmins(organizationId),
  barred_addresses: people.barredAddresses,
  people_without_group: people.peopleWithoutGroup,
}

/** Of `users u`. */
export const needsUser = (kind: Kind<'users'>, visibility: Visibility) =>
  among('u.id', ofUsers[kind](visibility))

/** Of `groups g`. */
export const needsGroup = (scope: OrganizationScope) => among('g.id', people.groupsWithoutGroupadmin(scope))
