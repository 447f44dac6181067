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
import { UrgentReason } from '../videos/readiness.ts'

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

/** An action is possible in these states. Server, pages and tests read this table. */
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

/** Somebody in the audience gets nothing for one of these reasons; they are listed by name all the same. */
export const skipReasons = [
  'inactive',
  'no_address',
  'duplicate_address',
  'suppressed',
  'already_done',
] as const

/**
 * These choose people of an earlier transmission. `not_watched`: they have its mail, have not completed its video by it and are not excused
 * from it; whoever has completed it another way is left out as `already_done`. `failed`: their mail was refused, came back, or was given
 * up. `unknown`: nobody knows whether it arrived. `cancelled`: their mail was taken back before it left. `joined_since`: they belong to its
 * audience by now and were no recipients.
 */
export const followUpParts = ['not_watched', 'failed', 'unknown', 'cancelled', 'joined_since'] as const
export type FollowUpPart = (typeof followUpParts)[number]

type Chosen = { userIds: readonly string[]; groupIds: readonly string[]; everyone: boolean }
const choosesOthers = ({ userIds, groupIds, everyone }: Chosen) =>
  everyone || userIds.length + groupIds.length > 0

export const Audience = z
  .object({
    /** These are people of an earlier transmission of the organization, as it is when the list of recipients is made. */
    of: z.optional(z.object({ transmissionId: Id, part: z.enum(followUpParts) })),
    /** They are reached by the address that the organization has named for SMS and chat; left out, by mail. */
    channel: z.optional(z.literal('webhook')),
    userIds: z._default(z.array(Id).check(z.maxLength(10_000)), []),
    groupIds: z._default(z.array(Id).check(z.maxLength(1_000)), []),
    everyone: z._default(z.boolean(), false),
    /** Only those of them who have watched, or not watched, in this way are meant. */
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
  /** Its author wrote it like this, with variables in braces. */
  subject: z.string(),
  /** Lists call it this, without braces; it is empty for a draft without a subject. */
  name: z.string(),
  body: z.string(),
  state: z.enum(transmissionStates),
  /** It is null when a person decided, or nothing had to be decided. */
  reason: z.nullable(z.enum(transmissionReasons)),
  /**
   * A mail server said this of its sender or its message, where that has stopped it, or of its sender after all had left; null means
   * nothing.
   */
  refusal: z.nullable(z.string()),
  version: z.number(),
  /** Null means that a draft names none yet. */
  video: z.nullable(TransmissionVideo),
  sender: z.object({ id: Id, name: z.string() }),
  /** It goes to people of this earlier transmission; null means that it goes to others. */
  follows: z.nullable(z.object({ id: Id, subject: z.string(), part: z.enum(followUpParts) })),
  /** It goes by this way. */
  channel: z.enum(['email', 'webhook']),
  /** This assignment sends it; null means that a person did. */
  assignment: z.nullable(z.object({ id: Id, name: z.string() })),
  audienceTotal: z.number(),
  counts: DeliveryCounts,
  /** These people could not be put on its list of recipients, for a fault of the installation, and are tried again. */
  unlisted: z.array(z.object({ id: Id, name: z.string() })),
  /** This number of those that are accepted rests in the outbox: there was no mail server, so they have not left. */
  resting: z.number(),
  opened: z.number(),
  started: z.number(),
  /** They completed it by this message. */
  completed: z.number(),
  /** Its recipients are asked to have watched by then; null means that there is no such day. */
  dueAt: z.nullable(Instant),
  /** Its author asked for these reminders before sending; null means none. */
  reminders: z.nullable(Reminders),
  /** This is the assignment of its day, once it is let go; null means that there is none. */
  duty: z.nullable(z.object({ id: Id, name: z.string() })),
  /** It leaves then, or is to leave then once it is let go; null means as soon as that, or that it has begun. */
  leavesAt: z.nullable(Instant),
  /** It waits for hours that begin then; null means that it waits for none. */
  goesOnAt: z.nullable(Instant),
  /** Null means that all leave at once. */
  waves: z.nullable(WavePlan),
  /** It is true when somebody wants it to leave whatever the hours of the organization are. */
  outsideHours: z.boolean(),
  /** It is true when it leaves at its hour on the clock of each recipient. */
  inOwnZones: z.boolean(),
  /** Its personal links end then; null means that they do not. */
  linksEndAt: z.nullable(Instant),
  /** Days are told and chosen in this zone, which is that of the organization. */
  timeZone: z.string(),
  /** This is the last approval that was asked for; null means that none was. */
  approval: z.nullable(Approval),
  /** It was written then. */
  createdAt: Instant,
  /** It was let go then, which is the day that reports count it for; null means not yet. */
  releasedAt: z.nullable(Instant),
  updatedAt: Instant,
})
export type Transmission = z.infer<typeof Transmission>

const Message = requiredLines(20_000)

export const transmissionSorts = bothWays('createdAt', 'subject', 'recipients', 'state')

/** This chooses transmissions: what a list shows, a change in bulk is about, or a file holds. */
export const TransmissionFilter = z.object({
  organizationId: z.optional(Id),
  state: z.optional(z.enum(transmissionStates)),
  attention: z.optional(z.enum(alertsOf.transmissions)),
  /** Only transmissions that went to people of this one are meant. */
  follows: z.optional(Id),
})
export type TransmissionFilter = z.infer<typeof TransmissionFilter>

export const listTransmissions = endpoint({
  name: 'listTransmissions',
  method: 'GET',
  path: '/transmissions',
  summary:
    'Transmissions, newest first unless `sort` says otherwise; `state` is sorted in the order of its steps',
  access: only(adminRoles, 'evidence:read'),
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
  access: only(adminRoles, 'send'),
  body: z.extend(Letter, {
    body: Message,
    /** This is the one recipient; with `audience`, it is one more. */
    userId: z.optional(Id),
    /** This is the organization. */
    accountId: Id,
    audience: z.optional(Audience),
    ...When.shape,
    urgentReason: z.optional(UrgentReason),
  }),
  reply: Transmission,
  status: 201,
  idempotent: true,
})

/** These can say yes, other than the author. Superadmins have no names here, because they belong to no organization. */
const Approvers = z.object({
  /** This number of administrators of the organization can. */
  admins: z.number(),
  /** These are the names of some of them. */
  names: z.array(z.string()),
  superadmins: z.number(),
})
export type Approvers = z.infer<typeof Approvers>

export const AudienceCount = z.object({
  recipients: z.number(),
  skipped: z.partialRecord(z.enum(skipReasons), z.number()),
  /** This number of people was chosen more than once; each is counted once. */
  overlaps: z.number(),
  /** This number of people was chosen and gets nothing because of the exceptions. */
  excepted: z.number(),
  sample: z.array(z.object({ id: Id, name: z.string(), email: z.string() })),
})
export type AudienceCount = z.infer<typeof AudienceCount>

export const previewAudience = endpoint({
  name: 'previewAudience',
  method: 'POST',
  path: '/transmissions/audience',
  summary: 'The exact number of people whom an audience reaches, and whom it leaves out, by reason',
  access: only(adminRoles, 'send'),
  body: z.object({
    accountId: Id,
    audience: Audience,
    leavesAt: z.optional(Leaving),
    /** It is true when there is a day by which it is to be watched, so that whoever unsubscribed gets it too. */
    isDuty: z._default(z.boolean(), false),
    /** This is the video that it is about. */
    videoId: z.optional(Id),
  }),
  reply: z.extend(AudienceCount, {
    /** This number of the recipients has completed the video already; 0 without a video. */
    completed: z.number(),
    /** These say when they get it, where it leaves at an hour of their own; otherwise there are none. */
    zones: z.array(ZoneAhead),
    /** Something that is sent now begins to leave then; null means at once. */
    goesOnAt: z.nullable(Instant),
    /** Null means that it is sent without anybody else's approval. */
    approval: z.nullable(
      z.extend(Approvers, {
        /** More recipients than this number need it. */
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
  access: only(adminRoles, 'evidence:read'),
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
  access: only(adminRoles, 'evidence:read'),
  params: TransmissionParams,
  reply: z.object({
    /** This is the version of the transmission as it is planned here; whoever decides about it names it. */
    version: z.number(),
    count: AudienceCount,
    everyone: z.boolean(),
    channel: z.enum(['email', 'webhook']),
    /** These recipients have watched in this way, named with the video; null means whatever they have watched. */
    viewing: z.nullable(z.object({ viewing: Viewing, title: z.string(), question: z.nullable(z.string()) })),
    /** These were chosen one by one; they are listed as far as they are still there. */
    people: Named,
    groups: Named,
    exceptPeople: Named,
    exceptGroups: Named,
    /** Null means that the video cannot be sent any more. */
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
  access: only(adminRoles, 'send'),
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
  /** The personal link was taken back then, for the reason that its reader is shown; null means that it was not. */
  linkRevokedAt: z.nullable(Instant),
  linkRevokedReason: z.nullable(z.string()),
  /** It is true when the outbox of the installation took it, for want of a mail server, so that it has not left. */
  resting: z.boolean(),
  reason: z.nullable(z.string()),
  /** This person handed it over, on paper; null means that it is a mail. */
  handedBy: z.nullable(z.string()),
  attempt: z.number(),
  sentAt: z.nullable(Instant),
  openedAt: z.nullable(Instant),
  firstPlayAt: z.nullable(Instant),
  lastWatchedAt: z.nullable(Instant),
  /** The recipient stands here with the video, as everywhere; null means that nothing is known. */
  standing: z.nullable(Standing),
  /** They completed it then, by this message or another way. */
  completedAt: z.nullable(Instant),
  /** It is true when they did not complete it by this message. */
  completedElsewhere: z.boolean(),
  /** They do not owe it for this reason, though they have not completed it; null means that they owe it, or did it. */
  excused: z.nullable(z.object({ state: z.enum(['waived', 'ended']), reason: z.nullable(z.string()) })),
  /** It is null for somebody who completed it. */
  failed: z.nullable(Failed),
  /**
   * This is the length of the union watched, in milliseconds. Where only completions are recorded this, share, parts and all instants but
   * that day (UTC) are null.
   */
  watchedMs: z.nullable(z.number()),
  /** The share is between 0 and 1, of the version that was sent. */
  share: z.nullable(z.number()),
  /** These are the watched parts of the video as [startMs, endMs) pairs, in order, without overlaps. */
  coverage: z.nullable(z.array(z.tuple([z.number(), z.number()]))),
  /** Both sources say this of it; null where only completions are recorded. */
  evidence: z.nullable(z.enum(evidenceStates)),
})
export type Delivery = z.infer<typeof Delivery>

export const changeTransmission = endpoint({
  name: 'changeTransmission',
  method: 'POST',
  path: '/transmissions/:transmissionId/actions',
  summary:
    'Pause, resume, cancel, undo, send now, or decide about approval; refused with the present state when it has moved on',
  access: only(adminRoles, 'send'),
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
    /** It is rejected for this reason, which its author reads. */
    reason: z.optional(requiredLines(1_000)),
    /** It is approved for this number of recipients, which the approver was shown. */
    recipients: z.optional(Count.check(z.gte(1, 'too_small'))),
    /** It is submitted for this reason although its video lacks the captions that the organization requires. */
    urgentReason: z.optional(UrgentReason),
  }),
  reply: Transmission,
})
