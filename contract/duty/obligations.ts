import * as z from 'zod/mini'
import {
  AssignmentParams,
  decisionReason as reason,
  obligationChanges,
  obligationMessages,
  ObligationParams,
  obligationSorts,
  obligationStates,
} from '../assignments/assignments.ts'
import { endpoint, FileReply, Id, Instant, only } from '../endpoint.ts'
import { SearchText } from '../directory/organizations.ts'
import { FileFormat } from '../platform/file-formats.ts'
import { adminRoles } from '../roles.ts'
import { deliveryStates } from '../transmissions/transmissions.ts'

/** This chooses people of an assignment: what the list shows, a decision is about, or a file holds. */
export const ObligationFilter = z.strictObject({
  q: SearchText,
  state: z.optional(z.enum(obligationStates)),
})
export type ObligationFilter = z.infer<typeof ObligationFilter>

const chosenUpTo = (most: number) => ({
  filter: z._default(ObligationFilter, {}),
  /** Only these of them are meant. */
  ids: z.optional(z.array(Id).check(z.minLength(1, 'required'), z.maxLength(most, 'too_long'))),
  /** All but these are meant. */
  exceptIds: z._default(z.array(Id).check(z.maxLength(1_000, 'too_long')), []),
})

export const ObligationDecision = z.object({
  action: z.enum(obligationChanges),
  reason: z.string(),
  until: z.nullable(Instant),
  by: z.string(),
  at: Instant,
})

/** These are the times that it was owed. */
export const ObligationCycle = z.object({
  cycle: z.number(),
  state: z.enum(obligationStates),
  since: Instant,
  dueAt: z.nullable(Instant),
  doneAt: z.nullable(Instant),
  validUntil: z.nullable(Instant),
  /** This says what was confirmed, word by word, of which version of the video, and by the link of which message. */
  confirmation: z.nullable(
    z.object({
      statement: z.string(),
      at: Instant,
      version: z.nullable(z.number()),
      subject: z.nullable(z.string()),
      sentAt: z.nullable(Instant),
    }),
  ),
})

export const ObligationMessage = z.object({
  kind: z.enum(obligationMessages),
  cycle: z.number(),
  /** It was planned for this day. */
  day: z.iso.date(),
  /** This has become of it; null means that it is being prepared. */
  state: z.nullable(z.enum(deliveryStates)),
  /** It is true when there was no mail server, so that it rests in the outbox. */
  resting: z.boolean(),
  /** It left then, or was laid into the outbox; null means neither yet. */
  sentAt: z.nullable(Instant),
})

export const readObligationHistory = endpoint({
  name: 'readObligationHistory',
  method: 'GET',
  path: '/organizations/:orgId/assignments/:assignmentId/people/:userId/history',
  summary:
    'What was decided about one person in an assignment, how often it was owed, and what was sent; newest first',
  access: only(adminRoles, 'evidence:read'),
  params: ObligationParams,
  reply: z.object({
    decisions: z.array(ObligationDecision),
    cycles: z.array(ObligationCycle),
    messages: z.array(ObligationMessage),
  }),
  cacheSeconds: 2,
})

export const exportObligations = endpoint({
  name: 'exportObligations',
  method: 'POST',
  path: '/organizations/:orgId/assignments/:assignmentId/people/export',
  summary: 'The people of one assignment, or those picked from them, as a file in the order of the list',
  access: only(adminRoles, 'evidence:read'),
  params: AssignmentParams,
  body: z.strictObject({
    ...chosenUpTo(1_000),
    sort: z._default(z.enum(obligationSorts), 'name'),
    format: FileFormat,
  }),
  ownTransactions: true,
  // It reads, and only asks by POST because ids of many people are no part of an address.
  whileImpersonating: true,
  reply: FileReply,
})

/** One request decides about at most this number of people. */
export const mostDecided = 500

export const manyActions = ['waive', 'extend', 'exempt', 'remind'] as const
export type ManyAction = (typeof manyActions)[number]

/**
 * Somebody was left out for one of these reasons: nobody excuses themselves; it is done, or somebody else has decided; or they owe nothing,
 * or had a message within a day.
 */
export const leftOutReasons = ['own_waiver', 'obligation_moved_on', 'not_reminded'] as const

const ManyChange = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('waive'), reason, until: z.nullable(z.iso.date()) }),
  z.strictObject({ action: z.literal('extend'), reason, day: z.iso.date() }),
  z.strictObject({ action: z.literal('exempt'), reason }),
  z.strictObject({ action: z.literal('remind'), reason }),
])
export type ManyChange = z.infer<typeof ManyChange>

export const changeObligations = endpoint({
  name: 'changeObligations',
  method: 'POST',
  path: '/organizations/:orgId/assignments/:assignmentId/people/actions',
  summary: 'Waive, extend, exempt or remind up to 500 people with one reason; says who was left out and why',
  access: only(adminRoles, 'send'),
  params: AssignmentParams,
  body: z.strictObject({
    ...chosenUpTo(mostDecided),
    do: ManyChange,
    /** The person was told this number; with another number by now nothing happens. */
    expected: z.number().check(z.int('invalid'), z.gte(1, 'too_small'), z.lte(mostDecided, 'too_big')),
  }),
  ownTransactions: true,
  reply: z.object({
    changed: z.number(),
    leftOut: z.array(
      z.object({ user: z.object({ id: Id, name: z.string() }), reason: z.enum(leftOutReasons) }),
    ),
  }),
})
