import * as z from 'zod/mini'
import { endpoint, Id, Instant, only } from './endpoint.ts'
import { OrgParams } from './organizations.ts'
import { everyRole } from './roles.ts'
import { transmissionReasons, transmissionStates } from './transmissions.ts'
import { userStates } from './users.ts'

/** What an organization is told to look after, the most urgent first. */
export const attentionKinds = [
  'paused_transmissions',
  'failed_mails',
  'organizations_without_admin',
  'pending_approvals',
  'failed_videos',
  'failed_operations',
  'returned_messages',
  'overdue_people',
  'failed_invitations',
  'expiring_invitations',
  'dormant_admins',
  'groups_without_groupadmin',
  'barred_addresses',
  'people_without_group',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

/** When something begins to need attention. */
export const attentionLimits = {
  /** Without a sign of life of somebody who administers. */
  dormantDays: 90,
  /** Before an invitation ends. */
  expiringDays: 2,
  /** In which a mail could not be sent. */
  failedHours: 24,
  /** In which an operation or a video failed. */
  brokenDays: 7,
  /** In which a transmission was made whose messages came back. */
  returnedDays: 7,
  /** So many people, those who were added last, are asked whether they are in a group. */
  newestPeople: 10_000,
} as const

/** Where counting stops: more than that is just "more than". */
export const mostCounted = 1_000

export const Attention = z.object({
  kind: z.enum(attentionKinds),
  /** Exact up to `mostCounted`; one more means "more". */
  count: z.number(),
  /** The first three by name, where each of them has a page. */
  samples: z.array(z.object({ id: Id, name: z.string() })),
  /** Over all organizations, in place of samples: those that have most of it. */
  organizations: z.array(z.object({ id: Id, name: z.string(), count: z.number() })),
  /** Until when the caller does not want to see it; null: it is shown. */
  hiddenUntil: z.nullable(Instant),
})
export type Attention = z.infer<typeof Attention>

export const InFlight = z.object({
  id: Id,
  subject: z.string(),
  state: z.enum(transmissionStates),
  reason: z.nullable(z.enum(transmissionReasons)),
  audienceTotal: z.number(),
  /** Messages that the mail server took. */
  sent: z.number(),
  /** Messages that came back, were refused, or of which nobody knows. */
  troubled: z.number(),
  /** Messages that will not leave any more: left out or cancelled. */
  dropped: z.number(),
  createdAt: Instant,
})
export type InFlight = z.infer<typeof InFlight>

const Viewed = z.object({
  /** Null: a visitor without a personal link. */
  user: z.nullable(z.object({ id: Id, name: z.string(), avatar: z.nullable(z.string()) })),
  video: z.object({ id: Id, title: z.string() }),
  /** 0 to 1, over all visits; null where the organization records only completions, and then `lastAt` is their day (UTC). */
  share: z.nullable(z.number()),
  isCompleted: z.boolean(),
  lastAt: Instant,
})
export type Viewed = z.infer<typeof Viewed>

/** The last 30 days (UTC), and the 30 days before them. */
const Trend = z.object({ now: z.number(), before: z.number() })
export type Trend = z.infer<typeof Trend>

export const readOrganizationOverview = endpoint({
  name: 'readOrganizationOverview',
  method: 'GET',
  path: '/organizations/:orgId/overview',
  summary: 'How an organization is doing, and what needs attention; a groupadmin learns it of the own groups',
  access: only(everyRole),
  params: OrgParams,
  reply: z.object({
    people: z.object({
      total: z.number(),
      byState: z.record(z.enum(userStates), z.number()),
      admins: z.number(),
      groupadmins: z.number(),
      /** Added in the last 30 days and in the 30 before. */
      added: Trend,
    }),
    /** Messages of the transmissions that were made in these days. */
    messages: Trend,
    /** Media time watched, in milliseconds; null where the organization records only completions. */
    watchedMs: z.nullable(Trend),
    inFlight: z.object({ total: z.number(), items: z.array(InFlight) }),
    newest: z.array(Viewed),
    attention: z.array(Attention),
  }),
  cacheSeconds: 10,
})
