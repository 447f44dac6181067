import type { attentionOf } from '#contract/attention.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import type { Sight } from '../platform/http/sight.ts'
import type { Ground } from './ground.ts'
import * as people from './people.ts'
import * as sending from './sending.ts'
import * as work from './work.ts'

type Kind<List extends keyof typeof attentionOf> = (typeof attentionOf)[List][number]

/** Condition: the rows of a list that a dashboard has counted, from the same query by which it counted them. */
const among = (id: string, found: SQL) => sql`${sql.raw(id)} in (select matter.id from (${found}) matter)`

const ofTransmissions: Record<Kind<'transmissions'>, (ground: Ground) => SQL> = {
  paused_transmissions: sending.pausedTransmissions,
  pending_approvals: sending.pendingApprovals,
  returned_messages: sending.returnedMessages,
  failing_senders: sending.failingTransmissions,
}

/** Of `transmissions t`. */
export const needsTransmission = (kind: Kind<'transmissions'>, ground: Ground) =>
  among('t.id', ofTransmissions[kind](ground))

const ofOrganizations: Record<Kind<'organizations'>, SQL> = {
  organizations_without_admin: people.organizationsWithoutAdmin,
  failing_senders: sending.failingSenders,
}

/** Of `organizations o`. */
export const needsOrganization = (kind: Kind<'organizations'>) => among('o.id', ofOrganizations[kind])

/** Of `videos v`. */
export const needsVideo = (ground: Ground) => among('v.id', work.failedVideos(ground))

/** Of `operations p`. */
export const needsOperation = (ground: Ground) => among('p.id', work.failedOperations(ground))

/** Of `invitations i`. */
export const needsInvitation = (kind: Kind<'invitations'>, ground: Ground) =>
  among(
    'i.id',
    kind === 'failed_invitations' ? people.failedInvitations(ground) : people.expiringInvitations(ground),
  )

const ofUsers: Record<Kind<'users'>, (sight: Sight) => SQL> = {
  dormant_admins: ({ organizationId }) => people.dormantAdmins(organizationId),
  barred_addresses: people.barredAddresses,
  people_without_group: people.peopleWithoutGroup,
}

/** Of `users u`. */
export const needsUser = (kind: Kind<'users'>, sight: Sight) => among('u.id', ofUsers[kind](sight))

/** Of `groups g`. */
export const needsGroup = (ground: Ground) => among('g.id', people.groupsWithoutGroupadmin(ground))
