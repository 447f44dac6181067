import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { type OperationKind, type RowOutcome, type UndoOutcome, rowOutcomes } from '#contract/operations.ts'
import { roles } from '#contract/roles.ts'
import type { Tx } from '../platform/db/client.ts'
import type { ActingKey } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Services } from '../platform/http/services.ts'
import type { Visibility } from '../platform/http/visibility.ts'

/** The person who started an operation, with the rights that they have at this moment, not at its start. */
export const Actor = z.object({
  userId: z.string(),
  name: z.string(),
  role: z.enum(roles),
  organizationId: z.nullable(z.string()),
  groupIds: z.array(z.string()),
})
export type Actor = z.infer<typeof Actor>

/** `subject` is shown to people; `do` is the action as its endpoint has taken it. */
export const Params = z.object({ subject: z.optional(z.nullable(z.string())), do: z.optional(z.unknown()) })
export type Params = z.infer<typeof Params>

/** What a kind is told about the operation that it works on. */
export type Work = {
  services: Services
  tx: Tx
  operation: { id: string; organizationId: string | null; kind: OperationKind; params: Params }
  actor: Actor
  /** The key that began it, for which the actor answers; null where it was none, and for what a person takes back. */
  key: ActingKey | null
  /** What the actor sees of the organization; meaningless for operations about organizations themselves. */
  visibility: Visibility
}

/** The same for what also happens at a request: then with its request, and with its caller. */
export type Acting = {
  services: Services
  tx: Tx
  caller: { userId: string; name: string; viewer?: Caller['viewer']; key?: ActingKey | null }
  request: FastifyRequest | undefined
}

export const PendingRow = z.object({
  position: z.number(),
  entityId: z.nullable(z.string()),
  groupId: z.nullable(z.string()),
  label: z.string(),
  input: z.unknown(),
})
export type PendingRow = z.infer<typeof PendingRow>

/** What has become of a row. Only rows that are created, changed or removed can be taken back. */
export type RowResult = {
  position: number
  outcome: RowOutcome
  reason?: string | null
  entityId?: string | null
  label?: string
  before?: unknown
  after?: unknown
}

export const DoneRow = z.extend(PendingRow, {
  outcome: z.enum(rowOutcomes),
  before: z.unknown(),
  after: z.unknown(),
})
export type DoneRow = z.infer<typeof DoneRow>
export type UndoneRow = { position: number; undo: UndoOutcome; reason?: string | null }

/**
 * How one kind of operation works. Both functions run in a transaction that also keeps their results, so that a chunk happens
 * once or not at all; what is wrong with one row is a result, not an error.
 */
export type KindOfOperation = {
  kind: OperationKind
  /** Rows of one transaction; 500 unless told. */
  chunk?: number
  apply(work: Work, rows: readonly PendingRow[]): Promise<RowResult[]>
  /** Rows come in the opposite order of `apply`. */
  undo(work: Work, rows: readonly DoneRow[]): Promise<UndoneRow[]>
}
