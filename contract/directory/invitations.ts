import * as z from 'zod/mini'
import { alertsOf } from '../platform/alerts.ts'
import { endpoint, Id, Instant, only, page, PageQuery, asItComes } from '../endpoint.ts'
import { Name, SearchText } from './organizations.ts'
import type { ReasonCode } from '../platform/reasons.ts'
import { everyRole, mayGrant, roles, type Role } from '../roles.ts'
import { Email } from './users.ts'

export const invitationStates = ['pending', 'accepted', 'expired', 'revoked'] as const
/** Days that the link of an invitation works, and the day on which one mail reminds of it. */
export const invitationDays = { life: 7, reminder: 5 } as const
/** The most addresses of one request. */
export const mostInvited = 1_000

/**
 * Roles that somebody may invite with: never above their own. A superadmin belongs to no organization, everybody else to
 * one; a groupadmin moreover invites only into groups of their own.
 */
export function invitable(actor: Role, into: 'organization' | 'installation'): readonly Role[] {
  return roles.filter(
    (role) => mayGrant(actor, role) && (role === 'superadmin') === (into === 'installation'),
  )
}

/** How far the newest mail of the invitation has come. `resting`: in the outbox, for want of a mail server. */
const InvitationMail = z.object({
  state: z.enum(['resting', 'queued', 'sending', 'sent', 'failed']),
  error: z.nullable(z.string()),
})

/** The secret of the link is not part of it, here and in every other answer. */
export const Invitation = z.object({
  id: Id,
  /** Null: to administer the installation. */
  organizationId: z.nullable(Id),
  email: z.string(),
  name: z.nullable(z.string()),
  role: z.enum(roles),
  groups: z.array(z.object({ id: Id, name: z.string() })),
  /** The person, where one was created beforehand. */
  userId: z.nullable(Id),
  state: z.enum(invitationStates),
  invitedBy: z.string(),
  mail: z.nullable(InvitationMail),
  sentAt: Instant,
  remindedAt: z.nullable(Instant),
  expiresAt: Instant,
  acceptedAt: z.nullable(Instant),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Invitation = z.infer<typeof Invitation>

const GroupIds = z._default(z.array(Id).check(z.maxLength(1_000, 'too_long')), [])

export const InvitationInput = z.object({
  /** Null: to administer the installation. */
  organizationId: z.nullable(Id),
  email: Email,
  name: z.optional(z.nullable(Name)),
  role: z.enum(roles),
  groupIds: GroupIds,
})

export const listInvitations = endpoint({
  name: 'listInvitations',
  method: 'GET',
  path: '/invitations',
  summary: 'Invitations that the caller may see; a groupadmin those into their own groups',
  access: only(everyRole, 'person'),
  query: z.extend(PageQuery, {
    /** `none`: those to administer the installation. */
    organizationId: z.optional(z.union([Id, z.literal('none')])),
    userId: z.optional(Id),
    state: z.optional(z.enum(invitationStates)),
    attention: z.optional(z.enum(alertsOf.invitations)),
    q: SearchText,
    sort: z._default(z.enum(['-createdAt', 'createdAt', 'expiresAt', '-expiresAt']), '-createdAt'),
  }),
  reply: page(Invitation),
  cacheSeconds: 5,
})

export const createInvitation = endpoint({
  name: 'createInvitation',
  method: 'POST',
  path: '/invitations',
  summary: 'Invite somebody with a role that is not above your own',
  access: only(everyRole, 'person'),
  body: InvitationInput,
  reply: Invitation,
  status: 201,
  fresh: true,
  idempotent: true,
})

/** What becomes of one address. The first two are mailed; nothing is done about the others. */
export const inviteOutcomes = [
  'invited',
  /** As `invited`; somebody who only receives so far. */
  'recipient',
  'already_invited',
  'has_account',
  'not_an_address',
  'twice',
  'not_allowed',
] as const

export const inviteReasons = [
  'invite_role',
  'invite_disabled',
  'invited_meanwhile',
  'invite_failed',
] as const satisfies readonly ReasonCode[]

export const InviteRow = z.object({
  /** As it was given. */
  given: z.string(),
  email: z.nullable(z.string()),
  name: z.nullable(z.string()),
  outcome: z.enum(inviteOutcomes),
  /** Why, where the outcome alone does not tell. */
  reason: z.nullable(z.enum(inviteReasons)),
  /** The invitation that was sent; or the one that waits already and can be sent again. */
  invitationId: z.nullable(Id),
})
export type InviteRow = z.infer<typeof InviteRow>

export const BulkInput = z.object({
  organizationId: z.nullable(Id),
  role: z.enum(roles),
  groupIds: GroupIds,
  /** As people write them: one per line or with commas, `Name <a@b.c>`. */
  addresses: z.optional(z.string().check(z.maxLength(200_000, 'too_long'), asItComes)),
  rows: z.optional(
    z
      .array(
        z.object({
          email: z.string().check(z.maxLength(400, 'too_long'), asItComes),
          name: z.optional(z.nullable(z.string().check(z.maxLength(200, 'too_long'), asItComes))),
          /** Another role than the one of the request. */
          role: z.optional(z.enum(roles)),
        }),
      )
      .check(z.maxLength(mostInvited, 'too_long')),
  ),
  /** Only tells what would become of each. */
  dryRun: z._default(z.boolean(), false),
})

export const inviteMany = endpoint({
  name: 'inviteMany',
  method: 'POST',
  path: '/invitations/bulk',
  summary: 'Invite many people; an address that is wrong keeps nobody else from being invited',
  access: only(everyRole, 'person'),
  body: BulkInput,
  reply: z.object({ dryRun: z.boolean(), invited: z.number(), rows: z.array(InviteRow) }),
  fresh: true,
  idempotent: true,
})

const InvitationParams = z.object({ invitationId: Id })

export const resendInvitation = endpoint({
  name: 'resendInvitation',
  method: 'POST',
  path: '/invitations/:invitationId/resend',
  summary: 'Mail a new link with seven new days, also after the former has expired or was revoked',
  access: only(everyRole, 'person'),
  params: InvitationParams,
  reply: Invitation,
  fresh: true,
  idempotent: true,
})

export const revokeInvitation = endpoint({
  name: 'revokeInvitation',
  method: 'POST',
  path: '/invitations/:invitationId/revoke',
  summary: 'Revoke an invitation, so that its link no longer works',
  access: only(everyRole, 'person'),
  params: InvitationParams,
  reply: Invitation,
})
