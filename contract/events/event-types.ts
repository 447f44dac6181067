import * as z from 'zod/mini'
import { Id, Instant, type Schema } from '../endpoint.ts'

/** Everything that an address of an organization can be told of. */
export const eventTypes = [
  'person.created',
  'person.changed',
  'person.left',
  'delivery.accepted',
  'delivery.returned',
  'delivery.unknown',
  'video.opened',
  'video.completed',
  'questions.passed',
  'questions.failed',
  'certificate.issued',
  'assignment.overdue',
  'assignment.done',
  'assignment.expiring',
  'import.finished',
] as const
export type EventType = (typeof eventTypes)[number]

/** Of a test, which no address asks for and everybody gets. */
export const testType = 'event.test'

/** `externalId` is what another system calls them; null means that none was given. */
export const EventPerson = z.strictObject({
  id: Id,
  name: z.string(),
  email: z.string(),
  externalId: z.nullable(z.string()),
})
const Titled = z.strictObject({ id: Id, title: z.string() })
const Transmission = z.strictObject({ id: Id, subject: z.string() })
const Assignment = z.strictObject({ id: Id, name: z.string() })

/** What of a person an event tells as changed. */
export const changedFields = [
  'name',
  'email',
  'phone',
  'externalId',
  'role',
  'state',
  'manager',
  'fields',
] as const

export const EventPersonWhole = z.extend(EventPerson, {
  phone: z.nullable(z.string()),
  role: z.nullable(z.string()),
  state: z.string(),
})
export const EventOfPerson = z.strictObject({ person: EventPersonWhole })
export const EventOfDelivery = z.strictObject({
  person: EventPerson,
  transmission: Transmission,
  /** `reason` is in the words of whoever took or refused the message. */
  delivery: z.strictObject({ id: Id, state: z.string(), reason: z.nullable(z.string()) }),
})
export const EventOfAttempt = z.strictObject({
  person: EventPerson,
  video: Titled,
  /** `number` counts from 1 for each person and video; `score` is of `maxScore` points. */
  attempt: z.strictObject({ id: Id, number: z.number(), score: z.number(), maxScore: z.number() }),
})
export const EventOfObligation = z.strictObject({
  person: EventPerson,
  video: Titled,
  assignment: Assignment,
  /** Instants; null where the assignment has no such day. */
  dueAt: z.nullable(Instant),
  doneAt: z.nullable(Instant),
  validUntil: z.nullable(Instant),
})

/** What `data` of each event has. */
export const eventData = {
  'person.created': EventOfPerson,
  'person.changed': z.extend(EventOfPerson, { changed: z.array(z.enum(changedFields)) }),
  'person.left': EventOfPerson,
  'delivery.accepted': EventOfDelivery,
  'delivery.returned': EventOfDelivery,
  'delivery.unknown': EventOfDelivery,
  'video.opened': z.strictObject({
    person: EventPerson,
    video: Titled,
    transmission: Transmission,
    delivery: z.strictObject({ id: Id }),
  }),
  'video.completed': z.strictObject({ person: EventPerson, video: Titled, completedAt: Instant }),
  'questions.passed': EventOfAttempt,
  'questions.failed': EventOfAttempt,
  'certificate.issued': z.strictObject({
    person: EventPerson,
    video: Titled,
    certificate: z.strictObject({ id: Id, number: z.number(), issuedAt: Instant }),
  }),
  'assignment.overdue': EventOfObligation,
  'assignment.done': EventOfObligation,
  'assignment.expiring': EventOfObligation,
  'import.finished': z.strictObject({
    import: z.strictObject({
      id: Id,
      fileName: z.string(),
      /** `done`, `failed` or `cancelled`. */
      state: z.string(),
      rows: z.number(),
      /** How many rows had which outcome. */
      counts: z.record(z.string(), z.number()),
    }),
  }),
} as const satisfies Record<EventType, Schema>

/** One event as it is posted. */
export const postedOf = (type: EventType) =>
  z.strictObject({ type: z.literal(type), timestamp: Instant, data: eventData[type] })

/** What is posted. `timestamp` says when it happened; where only completions are recorded, no more than the day. */
export const PostedEvent = z.union(
  eventTypes.map((type) =>
    z.strictObject({ type: z.literal(type), timestamp: Instant, data: eventData[type] }),
  ),
)
