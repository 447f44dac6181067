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
const Person = z.strictObject({
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

const WholePerson = z.extend(Person, {
  phone: z.nullable(z.string()),
  role: z.nullable(z.string()),
  state: z.string(),
})
const OfPerson = z.strictObject({ person: WholePerson })
const OfDelivery = z.strictObject({
  person: Person,
  transmission: Transmission,
  /** `reason` is in the words of whoever took or refused the message. */
  delivery: z.strictObject({ id: Id, state: z.string(), reason: z.nullable(z.string()) }),
})
const OfAttempt = z.strictObject({
  person: Person,
  video: Titled,
  /** `number` counts from 1 for each person and video; `score` is of `maxScore` points. */
  attempt: z.strictObject({ id: Id, number: z.number(), score: z.number(), maxScore: z.number() }),
})
const OfObligation = z.strictObject({
  person: Person,
  video: Titled,
  assignment: Assignment,
  /** Instants; null where the assignment has no such day. */
  dueAt: z.nullable(Instant),
  doneAt: z.nullable(Instant),
  validUntil: z.nullable(Instant),
})

/** What `data` of each event has. */
export const eventData = {
  'person.created': OfPerson,
  'person.changed': z.extend(OfPerson, { changed: z.array(z.enum(changedFields)) }),
  'person.left': OfPerson,
  'delivery.accepted': OfDelivery,
  'delivery.returned': OfDelivery,
  'delivery.unknown': OfDelivery,
  'video.opened': z.strictObject({
    person: Person,
    video: Titled,
    transmission: Transmission,
    delivery: z.strictObject({ id: Id }),
  }),
  'video.completed': z.strictObject({ person: Person, video: Titled, completedAt: Instant }),
  'questions.passed': OfAttempt,
  'questions.failed': OfAttempt,
  'certificate.issued': z.strictObject({
    person: Person,
    video: Titled,
    certificate: z.strictObject({ id: Id, number: z.number(), issuedAt: Instant }),
  }),
  'assignment.overdue': OfObligation,
  'assignment.done': OfObligation,
  'assignment.expiring': OfObligation,
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

/** What is posted. `timestamp` says when it happened; where only completions are recorded, no more than the day. */
export const PostedEvent = z.union(
  eventTypes.map((type) =>
    z.strictObject({ type: z.literal(type), timestamp: Instant, data: eventData[type] }),
  ),
)
