import * as z from 'zod/mini'
import { alertsOf } from '../platform/alerts.ts'
import {
  bothWays,
  endpoint,
  Id,
  Instant,
  only,
  page,
  PageQuery,
  TransmissionParams,
  requiredLines,
  Count,
} from '../endpoint.ts'
import { Approval } from './approvals.ts'
import { Leaving, When } from './leaving.ts'
import { Letter, Mail } from '../identity/mail-preview.ts'
import { evidenceStates } from '../tracking/evidence-states.ts'
import { Failed } from '../quizzes/failed.ts'
import { Reminders } from '../duty/reminders.ts'
import { adminRoles } from '../roles.ts'
import { Standing } from '../matrix/standing.ts'
import { transmissionReasons } from './transmission-reasons.ts'
import { TransmissionVideo } from './transmission-video.ts'
import { Viewing } from '../tracking/viewing.ts'
import { WavePlan, ZoneAhead } from './waves.ts'

export const transmissionStates = [
  'draft',
  'pending_approval',
  'scheduled',
  'held',
  'preparing',
  'sending',
  'paused',
  'completed',
  'cancelled',
  'failed',
] as const
export type TransmissionState = (typeof transmissionStates)[number]

export const deliveryStates = [
  'queued',
  'sending',
  'deferred',
  'accepted',
  'delivered',
  'bounced',
  'rejected',
  'skipped',
  'unknown',
  'cancelled',
  'expired',
] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** The states in which an action is possible. Server, pages and tests read this table. */
export const transmissionActions = {
  pause: ['preparing', 'sending'],
  resume: ['paused'],
  cancel: ['draft', 'pending_approval', 'scheduled', 'held', 'preparing', 'sending', 'paused'],
  edit: ['draft', 'pending_approval'],
  submit: ['draft'],
  withdraw: ['pending_approval'],
  approve: ['pending_approval', 'held'],
  reject: ['pending_approval'],
  release: ['held'],
  undo: ['scheduled'],
  send_now: ['scheduled'],
  send_outside: ['sending'],
  next_wave: ['sending'],
} as const satisfies Record<string, readonly TransmissionState[]>
export type TransmissionAction = keyof typeof transmissionActions

/** Why somebody in the audience gets nothing; they are listed by name all the same. */
export const skipReasons = [
  'inactive',
  'no_address',
  'duplicate_address',
  'suppressed',
  'already_done',
] as const

/**
 * Which people of an earlier transmission. `not_watched`: they have its mail, have not completed its video by it and are not excused from it; whoever has
 * completed it another way is left out as `already_done`. `failed`: their mail was refused, came back, or was given up. `unknown`: nobody knows
 * whether it arrived. `cancelled`: their mail was taken back before it left. `joined_since`: they belong to its audience by now and were no recipients.
 */
export const followUpParts = ['not_watched', 'failed', 'unknown', 'cancelled', 'joined_since'] as const
export type FollowUpPart = (typeof followUpParts)[number]

type Chosen = { userIds: readonly string[]; groupIds: readonly string[]; everyone: boolean }
const choosesOthers = ({ userIds, groupIds, everyone }: Chosen) =>
  everyone || userIds.length + groupIds.length > 0

export const Audience = z
  .object({
    /** People of an earlier transmission of the organization, as it is when the list of recipients is made. */
    of: z.optional(z.object({ transmissionId: Id, part: z.enum(followUpParts) })),
    /** By which way they are reached: the address that the organization has named for SMS and chat; left out: by mail. */
    channel: z.optional(z.literal('webhook')),
    userIds: z._default(z.array(Id).check(z.maxLength(10_000)), []),
    groupIds: z._default(z.array(Id).check(z.maxLength(1_000)), []),
    everyone: z._default(z.boolean(), false),
    /** Of these, only those who have watched, or not watched, in this way. */
    viewing: z.optional(Viewing),
    /** Members of these groups, and these people, get nothing, whatever brought them into the audience. */
    exceptGroupIds: z._default(z.array(Id).check(z.maxLength(1_000)), []),
    exceptUserIds: z._default(z.array(Id).check(z.maxLength(10_000)), []),
  })
  .check(
    z.refine((audience) => !audience.of || !(choosesOthers(audience) || audience.viewing), {
      error: 'invalid',
      path: ['of'],
    }),
  )
export type Audience = z.infer<typeof Audience>

export const DeliveryCounts = z.record(z.enum(deliveryStates), z.number())

export const Transmission = z.object({
  id: Id,
  organizationId: Id,
  organizationName: z.string(),
  /** As its author wrote it, with variables in braces. */
  subject: z.string(),
  /** What lists call it, without braces; empty of a draft without a subject. */
  name: z.string(),
  body: z.string(),
  state: z.enum(transmissionStates),
  /** Null when a person decided, or nothing had to be. */
  reason: z.nullable(z.enum(transmissionReasons)),
  /** What a mail server said of its sender or its message, where that has stopped it, or of its sender after all had left; null: nothing. */
  refusal: z.nullable(z.string()),
  version: z.number(),
  /** Null: a draft names none yet. */
  video: z.nullable(TransmissionVideo),
  sender: z.object({ id: Id, name: z.string() }),
  /** The earlier transmission to whose people it goes; null: it goes to others. */
  follows: z.nullable(z.object({ id: Id, subject: z.string(), part: z.enum(followUpParts) })),
  /** By which way it goes. */
  channel: z.enum(['email', 'webhook']),
  /** The assignment that sends it; null: a person did. */
  assignment: z.nullable(z.object({ id: Id, name: z.string() })),
  audienceTotal: z.number(),
  counts: DeliveryCounts,
  /** Who could not be put on its list of recipients, for a fault of the installation, and is tried again. */
  unlisted: z.array(z.object({ id: Id, name: z.string() })),
  /** Of those that are accepted, the ones that rest in the outbox: there was no mail server, so they have not left. */
  resting: z.number(),
  opened: z.number(),
  started: z.number(),
  /** By this message. */
  completed: z.number(),
  /** By when its recipients are asked to have watched; null: no such day. */
  dueAt: z.nullable(Instant),
  /** As its author asked for them before sending; null: none. */
  reminders: z.nullable(Reminders),
  /** The assignment of its day, once it is let go; null: there is none. */
  duty: z.nullable(z.object({ id: Id, name: z.string() })),
  /** When it leaves, or is to leave once it is let go; null: as soon as that, or it has begun. */
  leavesAt: z.nullable(Instant),
  /** When the hours begin for which it waits; null: for none. */
  goesOnAt: z.nullable(Instant),
  /** Null: all at once. */
  waves: z.nullable(WavePlan),
  /** Somebody wants it to leave whatever the hours of the organization are. */
  outsideHours: z.boolean(),
  /** It leaves at its hour on the clock of each recipient. */
  inOwnZones: z.boolean(),
  /** When its personal links end; null: they do not. */
  linksEndAt: z.nullable(Instant),
  /** Of the organization: in it days are told and chosen. */
  timeZone: z.string(),
  /** The last one that was asked for; null: none was. */
  approval: z.nullable(Approval),
  /** When it was written. */
  createdAt: Instant,
  /** When it was let go, which is the day that reports count it for; null: not yet. */
  releasedAt: z.nullable(Instant),
  updatedAt: Instant,
})
export type Transmission = z.infer<typeof Transmission>

const Message = requiredLines(20_000)

export const transmissionSorts = bothWays('createdAt', 'subject', 'recipients', 'state')

/** Which transmissions: what a list shows, a change in bulk is about, or a file holds. */
export const TransmissionFilter = z.object({
  organizationId: z.optional(Id),
  state: z.optional(z.enum(transmissionStates)),
  attention: z.optional(z.enum(alertsOf.transmissions)),
  /** Only those that went to people of this one. */
  follows: z.optional(Id),
})
export type TransmissionFilter = z.infer<typeof TransmissionFilter>

export const listTransmissions = endpoint({
  name: 'listTransmissions',
  method: 'GET',
  path: '/transmissions',
  summary:
    'Transmissions, newest first unless `sort` says otherwise; `state` is sorted in the order of its steps',
  access: only(adminRoles),
  query: z.extend(PageQuery, {
    ...TransmissionFilter.shape,
    sort: z._default(z.enum(transmissionSorts), '-createdAt'),
  }),
  reply: page(Transmission),
  cacheSeconds: 5,
})

export const createTransmission = endpoint({
  name: 'createTransmission',
  method: 'POST',
  path: '/transmissions',
  summary: 'Send a video with a message: to one user, or to an audience',
  access: only(adminRoles),
  body: z.extend(Letter, {
    body: Message,
    /** The one recipient; with `audience`, one more. */
    userId: z.optional(Id),
    /** The organization. */
    accountId: Id,
    audience: z.optional(Audience),
    ...When.shape,
  }),
  reply: Transmission,
  status: 201,
  idempotent: true,
})

/** Who can say yes, other than the author. Superadmins have no names here: they belong to no organization. */
const Approvers = z.object({
  /** Administrators of the organization. */
  admins: z.number(),
  /** Of some of them. */
  names: z.array(z.string()),
  superadmins: z.number(),
})
export type Approvers = z.infer<typeof Approvers>

export const AudienceCount = z.object({
  recipients: z.number(),
  skipped: z.partialRecord(z.enum(skipReasons), z.number()),
  /** People chosen more than once, counted once. */
  overlaps: z.number(),
  /** People who were chosen and get nothing because of the exceptions. */
  excepted: z.number(),
  sample: z.array(z.object({ id: Id, name: z.string(), email: z.string() })),
})
export type AudienceCount = z.infer<typeof AudienceCount>

export const previewAudience = endpoint({
  name: 'previewAudience',
  method: 'POST',
  path: '/transmissions/audience',
  summary: 'The exact number of people whom an audience reaches, and whom it leaves out, by reason',
  access: only(adminRoles),
  body: z.object({
    accountId: Id,
    audience: Audience,
    leavesAt: z.optional(Leaving),
    /** It has a day by which it is to be watched, so that whoever unsubscribed gets it too. */
    isDuty: z._default(z.boolean(), false),
    /** What it is about. */
    videoId: z.optional(Id),
  }),
  reply: z.extend(AudienceCount, {
    /** Of the recipients, those who have completed the video already; 0 without one. */
    completed: z.number(),
    /** When they get it, where it leaves at an hour of their own; otherwise none. */
    zones: z.array(ZoneAhead),
    /** When what is sent now begins to leave; null: at once. */
    goesOnAt: z.nullable(Instant),
    /** Null: it is sent without anybody else's approval. */
    approval: z.nullable(
      z.extend(Approvers, {
        /** More recipients than these need it. */
        above: z.number(),
      }),
    ),
  }),
})

export const readTransmission = endpoint({
  name: 'readTransmission',
  method: 'GET',
  path: '/transmissions/:transmissionId',
  summary: 'One transmission with the counts of its deliveries',
  access: only(adminRoles),
  params: TransmissionParams,
  reply: Transmission,
  cacheSeconds: 2,
})

const Named = z.array(z.object({ id: Id, name: z.string() }))

export const readTransmissionPlan = endpoint({
  name: 'readTransmissionPlan',
  method: 'GET',
  path: '/transmissions/:transmissionId/plan',
  summary: 'What a transmission that has not been sent yet would send, and to whom, as of now',
  access: only(adminRoles),
  params: TransmissionParams,
  reply: z.object({
    /** Of the transmission as it is planned here: whoever decides about this names it. */
    version: z.number(),
    count: AudienceCount,
    everyone: z.boolean(),
    channel: z.enum(['email', 'webhook']),
    /** How those who get it have watched, with what it is about; null: whatever they have watched. */
    viewing: z.nullable(z.object({ viewing: Viewing, title: z.string(), question: z.nullable(z.string()) })),
    /** Chosen one by one, as far as they are still there. */
    people: Named,
    groups: Named,
    exceptPeople: Named,
    exceptGroups: Named,
    /** Null: the video cannot be sent any more. */
    mail: z.nullable(Mail),
    approvers: Approvers,
  }),
  cacheSeconds: 2,
})

export const editTransmission = endpoint({
  name: 'editTransmission',
  method: 'POST',
  path: '/transmissions/:transmissionId/content',
  summary: 'Change what has not been sent yet, by its author; an approval that was asked for is void with it',
  access: only(adminRoles),
  params: TransmissionParams,
  body: z.extend(Letter, {
    version: Count,
    body: Message,
    audience: Audience,
    ...When.shape,
  }),
  reply: Transmission,
})

export const Delivery = z.object({
  id: Id,
  user: z.object({ id: Id, name: z.string(), email: z.string() }),
  state: z.enum(deliveryStates),
  /** When the personal link was taken back, and the reason that its reader is shown; null: it was not. */
  linkRevokedAt: z.nullable(Instant),
  linkRevokedReason: z.nullable(z.string()),
  /** Accepted by the outbox of the installation, for want of a mail server: it has not left. */
  resting: z.boolean(),
  reason: z.nullable(z.string()),
  /** Who handed it over, on paper; null: it is a mail. */
  handedBy: z.nullable(z.string()),
  attempt: z.number(),
  sentAt: z.nullable(Instant),
  openedAt: z.nullable(Instant),
  firstPlayAt: z.nullable(Instant),
  lastWatchedAt: z.nullable(Instant),
  /** Where the recipient stands with the video, as everywhere; null: nothing is known. */
  standing: z.nullable(Standing),
  /** By this message, or whichever other way. */
  completedAt: z.nullable(Instant),
  /** Not by this message. */
  completedElsewhere: z.boolean(),
  /** Why they do not owe it, though they have not completed it; null: they owe it, or did it. */
  excused: z.nullable(z.object({ state: z.enum(['waived', 'ended']), reason: z.nullable(z.string()) })),
  /** Null for who completed it. */
  failed: z.nullable(Failed),
  /** Milliseconds of the union watched. Where only completions are recorded this, share, parts and all instants but that day (UTC) are null. */
  watchedMs: z.nullable(z.number()),
  /** 0 to 1, of the version that was sent. */
  share: z.nullable(z.number()),
  /** Watched parts of the video as [startMs, endMs) pairs, in order, without overlaps. */
  coverage: z.nullable(z.array(z.tuple([z.number(), z.number()]))),
  /** What both sources say of it; null where only completions are recorded. */
  evidence: z.nullable(z.enum(evidenceStates)),
})
export type Delivery = z.infer<typeof Delivery>

export const changeTransmission = endpoint({
  name: 'changeTransmission',
  method: 'POST',
  path: '/transmissions/:transmissionId/actions',
  summary:
    'Pause, resume, cancel, undo, send now, or decide about approval; refused with the present state when it has moved on',
  access: only(adminRoles),
  params: TransmissionParams,
  body: z.object({
    action: z.enum([
      'pause',
      'resume',
      'cancel',
      'submit',
      'withdraw',
      'approve',
      'reject',
      'release',
      'undo',
      'send_now',
      'send_outside',
      'next_wave',
    ] satisfies TransmissionAction[]),
    version: Count,
    /** Why it is rejected; its author reads it. */
    reason: z.optional(requiredLines(1_000)),
    /** For how many recipients it is approved: those that the approver was shown. */
    recipients: z.optional(Count.check(z.gte(1, 'too_small'))),
  }),
  reply: Transmission,
})
