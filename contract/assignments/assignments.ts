import * as z from 'zod/mini'
import {
  bothWays,
  endpoint,
  Id,
  Instant,
  listPage,
  ListQuery,
  only,
  requiredText,
  wholeBetween,
  requiredLines,
  Count,
} from '../endpoint.ts'
import { lacking } from '../duty/lacking.ts'
import { OrgParams, SearchText } from '../directory/organizations.ts'
import { Reminders } from '../duty/reminders.ts'
import { adminRoles, everyRole } from '../roles.ts'
import { transmissionReasons } from '../transmissions/transmission-reasons.ts'
import { Audience, transmissionStates } from '../transmissions/transmissions.ts'
import { UrgentReason } from '../videos/readiness.ts'
import { videoStates } from '../videos/videos.ts'

export const assignmentStates = ['draft', 'active', 'paused', 'ended'] as const
export type AssignmentState = (typeof assignmentStates)[number]

/** The video has to be watched up to the organization's threshold, or its questions have to be passed as well. */
export const requirements = ['watched', 'passed'] as const
export type Requirement = (typeof requirements)[number]

/** An action is possible in these states. Server, pages and tests read this table. */
export const assignmentActions = {
  edit: ['draft', 'active', 'paused'],
  start: ['draft'],
  /** It starts every draft that comes after it, too. */
  start_path: ['draft'],
  pause: ['active'],
  resume: ['paused'],
  end: ['active', 'paused'],
} as const satisfies Record<string, readonly AssignmentState[]>
export type AssignmentAction = keyof typeof assignmentActions

/**
 * These say where somebody stands with an assignment, in the order of its steps. `watched`: the video is completed, its questions are not
 * passed yet. `unconfirmed`: nothing is left but to confirm its sentence. `expired`: it was done and is not valid any more. `ended`: they
 * left the audience, were exempted, or the assignment ended.
 */
export const obligationStates = [
  'assigned',
  'started',
  'watched',
  'unconfirmed',
  'failed',
  'overdue',
  'done',
  'expired',
  'waived',
  'ended',
] as const
export type ObligationState = (typeof obligationStates)[number]

/** An obligation is over without being done for one of these reasons. */
export const endings = ['left', 'exempted', 'assignment_ended'] as const

/** It is due not at all, on a day, or this number of days after somebody became obliged. Days end where the organization is. */
export const Due = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('day'), day: z.iso.date() }),
  z.strictObject({
    kind: z.literal('after'),
    days: wholeBetween(1, 730),
    /** Only Monday to Friday count. */
    working: z.boolean(),
  }),
])
export type Due = z.infer<typeof Due>

/**
 * The months of a validity count from here. `done`: the day on which it was done. `last_end`: the end of the last time; the first time, or
 * once that has run out, the day on which it was done.
 */
export const validFrom = ['done', 'last_end'] as const
export type ValidFrom = (typeof validFrom)[number]

/** Null means for good. Otherwise it is valid for this number of months, and the next cycle begins this number of days before their end. */
export const Validity = z.nullable(
  z.strictObject({
    months: wholeBetween(1, 120),
    renewDays: wholeBetween(0, 90),
    from: z._default(z.enum(validFrom), 'done'),
  }),
)
export type Validity = z.infer<typeof Validity>

export const escalationReaders = ['manager', 'groupadmins'] as const

/**
 * These people are told of those who are late, this number of days after the due day, or after the first message where there is none; null
 * means that nobody is.
 */
export const Escalation = z.nullable(
  z.strictObject({ afterDays: wholeBetween(1, 90), to: z.enum(escalationReaders) }),
)
export type Escalation = z.infer<typeof Escalation>

/**
 * People confirm this sentence once they have done the rest, such as “I have read and understood the rules.”; null means that there is
 * none.
 */
export const Statement = z.nullable(requiredLines(500))

/** One path has at most this number of videos. */
export const mostSteps = 20

const step = { name: requiredText(200), videoId: Id }

const plan = {
  ...step,
  /** People begin once they have done that assignment, or were excused from it for good; null means at once. */
  waitsForId: z._default(z.nullable(Id), null),
  audience: Audience,
  requirement: z.enum(requirements),
  statement: z._default(Statement, null),
  due: Due,
  validity: Validity,
  /** Viewing since this day counts as well; null means that only viewing after somebody became obliged does. */
  countsSince: z.nullable(z.iso.date()),
  reminders: Reminders,
  escalation: z._default(Escalation, null),
  subject: requiredText(200),
  message: requiredLines(20_000),
}

/** Everybody who is or was obliged is counted in exactly one state. */
export const ObligationCounts = z.record(z.enum(obligationStates), z.number())

export const Assignment = z.object({
  id: Id,
  organizationId: Id,
  name: z.string(),
  state: z.enum(assignmentStates),
  version: z.number(),
  video: z.object({
    id: Id,
    title: z.string(),
    poster: z.nullable(z.string()),
    durationMs: z.nullable(z.number()),
    /** Nothing is sent while the video is not ready. */
    state: z.enum([...videoStates, 'removed']),
  }),
  audience: Audience,
  /** The recipients of this message owe it, and whatever they completed before counts; null means that its audience owes it. */
  transmission: z.nullable(
    z.object({
      id: Id,
      subject: z.string(),
      state: z.enum(transmissionStates),
      leavesAt: z.nullable(Instant),
    }),
  ),
  /** It is true when whoever comes into the audience later owes it as well. */
  grows: z.boolean(),
  requirement: z.enum(requirements),
  statement: Statement,
  due: Due,
  validity: Validity,
  countsSince: z.nullable(z.iso.date()),
  reminders: Reminders,
  escalation: Escalation,
  subject: z.string(),
  message: z.string(),
  /** Null means that the account is gone. */
  author: z.nullable(z.object({ id: Id, name: z.string() })),
  people: z.number(),
  counts: ObligationCounts,
  /** It is true when its people have been looked up since it was started or changed. */
  isPlanned: z.boolean(),
  /** Null means that people begin at once. */
  waitsFor: z.nullable(z.object({ id: Id, name: z.string(), state: z.enum(assignmentStates) })),
  /** Days are told and chosen in this zone, which is that of the organization. */
  timeZone: z.string(),
  createdAt: Instant,
  startedAt: z.nullable(Instant),
  updatedAt: Instant,
})
export type Assignment = z.infer<typeof Assignment>

export const assignmentSorts = bothWays('createdAt', 'name', 'state')

export const listAssignments = endpoint({
  name: 'listAssignments',
  method: 'GET',
  path: '/organizations/:orgId/assignments',
  summary: 'Assignments of an organization with where their people stand, newest first',
  access: only(adminRoles, 'evidence:read'),
  params: OrgParams,
  query: z.extend(ListQuery, {
    q: SearchText,
    state: z.optional(z.enum(assignmentStates)),
    videoId: z.optional(Id),
    sort: z._default(z.enum(assignmentSorts), '-createdAt'),
  }),
  reply: listPage(Assignment),
  cacheSeconds: 5,
})

export const createAssignment = endpoint({
  name: 'createAssignment',
  method: 'POST',
  path: '/organizations/:orgId/assignments',
  summary: 'Oblige an audience to see a video, or several after each other, as a draft or from now on',
  access: only(adminRoles, 'send'),
  params: OrgParams,
  body: z.object({
    ...plan,
    /** These are further videos for the same people on the same terms, each waiting for the one before. */
    further: z._default(z.array(z.object(step)).check(z.maxLength(mostSteps - 1, 'too_long')), []),
    start: z._default(z.boolean(), false),
    urgentReason: z.optional(UrgentReason),
  }),
  reply: Assignment,
  status: 201,
  idempotent: true,
})

export const AssignmentParams = z.object({ orgId: Id, assignmentId: Id })

const Named = z.array(z.object({ id: Id, name: z.string() }))

export const PathStep = z.extend(
  z.pick(Assignment, { id: true, name: true, state: true, people: true, counts: true }),
  { waitsForId: z.nullable(Id), videoId: Id },
)
export type PathStep = z.infer<typeof PathStep>

export const readAssignment = endpoint({
  name: 'readAssignment',
  method: 'GET',
  path: '/organizations/:orgId/assignments/:assignmentId',
  summary: 'One assignment with where its people stand',
  access: only(adminRoles, 'evidence:read'),
  params: AssignmentParams,
  reply: z.extend(Assignment, {
    /** These people and groups of the audience were chosen one by one; they are listed as far as they are still there. */
    named: z.object({ people: Named, groups: Named, exceptPeople: Named, exceptGroups: Named }),
    /** Somebody has to decide about these messages before they leave, such as by an approval; the oldest come first, 20 at most. */
    held: z.array(
      z.object({ transmissionId: Id, people: z.number(), reason: z.nullable(z.enum(transmissionReasons)) }),
    ),
    /** This number of people of the audience has not begun, because the earlier assignment is not done. */
    waiting: z.number(),
    /** These come before and after it, in order, with itself; the list is empty where it stands alone. */
    path: z.array(PathStep),
  }),
  cacheSeconds: 2,
})

export const editAssignment = endpoint({
  name: 'editAssignment',
  method: 'POST',
  path: '/organizations/:orgId/assignments/:assignmentId/content',
  summary:
    'Change an assignment, unless somebody else has meanwhile; its video, what it requires and waits for only while it is a draft',
  access: only(adminRoles, 'send'),
  params: AssignmentParams,
  body: z.object({
    ...plan,
    /**
     * This is for the assignment of a message, and lets whoever comes into its audience owe it as well. Every other assignment grows with
     * its audience.
     */
    grows: z._default(z.boolean(), true),
    version: Count,
  }),
  reply: Assignment,
})

export const changeAssignment = endpoint({
  name: 'changeAssignment',
  method: 'POST',
  path: '/organizations/:orgId/assignments/:assignmentId/actions',
  summary: 'Start, alone or with what comes after it, pause, resume or end; refused when it has moved on',
  access: only(adminRoles, 'send'),
  params: AssignmentParams,
  body: z.object({
    action: z.enum(['start', 'start_path', 'pause', 'resume', 'end'] satisfies AssignmentAction[]),
    version: Count,
    /** It is started for this reason although its video lacks the captions that the organization requires. */
    urgentReason: z.optional(UrgentReason),
  }),
  reply: Assignment,
})

/**
 * The newest message to somebody has not left for one of these reasons: somebody has to approve it or to decide otherwise, no mail server
 * is set up, its transmission is paused, or its turn has not come.
 */
export const unsentReasons = ['held', 'outbox', 'paused', 'turn'] as const
export type UnsentReason = (typeof unsentReasons)[number]

export const Obligation = z.object({
  id: Id,
  assignment: z.object({ id: Id, name: z.string(), state: z.enum(assignmentStates) }),
  video: z.object({ id: Id, title: z.string() }),
  user: z.object({ id: Id, name: z.string(), email: z.string() }),
  /** It is 1 for the first time. */
  cycle: z.number(),
  state: z.enum(obligationStates),
  /** This is the reason of a waiver or an ending, in words; null means that none was given. */
  reason: z.nullable(z.string()),
  ending: z.nullable(z.enum(endings)),
  since: Instant,
  dueAt: z.nullable(Instant),
  doneAt: z.nullable(Instant),
  /** It counts as done until then; null means for good, or not done. */
  validUntil: z.nullable(Instant),
  /** It is waived until then; null means for good, or not waived. */
  waivedUntil: z.nullable(Instant),
  /** This is left to see, in milliseconds. It is null where the organization records only completions, or where the length is unknown. */
  missingMs: z.nullable(z.number()),
  /** The last message left then, or a card was handed over. A message that still waits, or rests in the outbox, has not left. */
  lastMessageAt: z.nullable(Instant),
  /** Null means that the newest message has left, or that there is none. */
  unsent: z.nullable(z.enum(unsentReasons)),
  /** Null means that it is not owed any more. */
  lacks: z.nullable(z.enum(lacking)),
  /** They confirmed it then; null means not yet, or that nothing is to be confirmed. */
  confirmedAt: z.nullable(Instant),
  /** The next message is planned for this day; null means that none is. */
  nextMessageOn: z.nullable(z.iso.date()),
})
export type Obligation = z.infer<typeof Obligation>

export const obligationSorts = bothWays('name', 'dueAt', 'doneAt')

export const listObligations = endpoint({
  name: 'listObligations',
  method: 'GET',
  path: '/organizations/:orgId/assignments/:assignmentId/people',
  summary: 'The people of one assignment, each in the present cycle',
  access: only(adminRoles, 'evidence:read'),
  params: AssignmentParams,
  query: z.extend(ListQuery, {
    q: SearchText,
    state: z.optional(z.enum(obligationStates)),
    sort: z._default(z.enum(obligationSorts), 'name'),
  }),
  reply: listPage(Obligation),
  cacheSeconds: 2,
})

export const ObligationParams = z.object({ orgId: Id, assignmentId: Id, userId: Id })
export const decisionReason = requiredLines(500)

export const obligationMessages = ['first', 'reminder', 'again', 'manual'] as const

export const obligationChanges = ['waive', 'unwaive', 'extend', 'exempt', 'oblige'] as const

/**
 * `waive` excuses a person, to the end of a day of the organization or for good; `unwaive` takes that back. `extend` sets another due day,
 * which lies ahead. `exempt` ends the obligation of this person for good; `oblige` takes that back.
 */
const ObligationChange = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('waive'), reason: decisionReason, until: z.nullable(z.iso.date()) }),
  z.strictObject({ action: z.literal('unwaive'), reason: decisionReason }),
  z.strictObject({ action: z.literal('extend'), reason: decisionReason, day: z.iso.date() }),
  z.strictObject({ action: z.literal('exempt'), reason: decisionReason }),
  z.strictObject({ action: z.literal('oblige'), reason: decisionReason }),
])
export type ObligationChange = z.infer<typeof ObligationChange>

export const changeObligation = endpoint({
  name: 'changeObligation',
  method: 'POST',
  path: '/organizations/:orgId/assignments/:assignmentId/people/:userId/actions',
  summary: 'Waive, extend or exempt for one person, with the reason',
  access: only(adminRoles, 'send'),
  params: ObligationParams,
  body: z.object({ do: ObligationChange }),
  reply: Obligation,
})

/** One call names at most this number of people, and reminds as many where nobody is named. */
export const mostReminded = 200
export const mostRemindedOfAll = 2_000

export const remindObligation = endpoint({
  name: 'remindObligation',
  method: 'POST',
  path: '/organizations/:orgId/assignments/:assignmentId/people/:userId/reminder',
  summary: 'Remind one person by hand, at most once a day',
  access: only(adminRoles, 'send'),
  params: ObligationParams,
  reply: Obligation,
  status: 202,
  idempotent: true,
})

const ids = z.array(Id)
const Second = wholeBetween(0, 86_400)

export const remindPeople = endpoint({
  name: 'remindPeople',
  method: 'POST',
  path: '/organizations/:orgId/training/reminders',
  summary:
    'Remind people of what they owe, each at most once a day; a groupadmin reminds the members of their groups',
  access: only(everyRole, 'send'),
  params: OrgParams,
  body: z
    .object({
      /** Without it, everybody whom the caller sees and who owes it is meant, 2,000 at once; the next call reminds the others. */
      userIds: z.optional(ids.check(z.minLength(1, 'required'), z.maxLength(mostReminded, 'too_long'))),
      /** Only these videos are meant, or all where there are none. */
      videoIds: z._default(ids.check(z.maxLength(500, 'too_long')), []),
      /** Only this assignment is meant. */
      assignmentId: z.optional(Id),
      /** Only what this message asks for, or reminds of, is meant. */
      transmissionId: z.optional(Id),
      /** Only what is late is meant. */
      late: z._default(z.boolean(), false),
      /** Only people who lack something of a part of the one video are meant: from the beginning of one second to that of another. */
      part: z.optional(
        z
          .object({ from: Second, to: Second })
          .check(z.refine(({ from, to }) => from < to, { error: 'invalid', path: ['to'] })),
      ),
    })
    .check(
      z.refine(
        ({ userIds, videoIds, assignmentId, transmissionId }) =>
          userIds !== undefined ||
          videoIds.length > 0 ||
          assignmentId !== undefined ||
          transmissionId !== undefined,
        {
          error: 'required',
          path: ['userIds'],
        },
      ),
      z.refine(({ part, videoIds }) => part === undefined || videoIds.length === 1, {
        error: 'required',
        path: ['videoIds'],
      }),
    ),
  /** Each of the people is counted once. */
  reply: z.object({
    reminded: z.number(),
    nothingOwed: z.number(),
    /** These people had a message about all that they owe within a day. */
    remindedToday: z.number(),
    /** For these the assignment is just being sent by somebody else, or its video cannot be sent. */
    notNow: z.number(),
  }),
  status: 202,
  idempotent: true,
})

export const listOwedBy = endpoint({
  name: 'listOwedBy',
  method: 'GET',
  path: '/organizations/:orgId/users/:userId/obligations',
  summary: 'All that one person owes and has owed, the newest first',
  access: only(adminRoles, 'evidence:read'),
  params: z.object({ orgId: Id, userId: Id }),
  reply: z.object({ items: z.array(Obligation) }),
  cacheSeconds: 5,
})
