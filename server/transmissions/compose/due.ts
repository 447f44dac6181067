import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { type TransmissionState, transmissionStates } from '#contract/transmissions/transmissions.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import { requireUnchanged } from '../../platform/http/mount.ts'
import { lockVideo } from '../../tracking/video-lock.ts'
import { requireAhead } from './create.ts'
import { daysOf } from '../../directory/organizations/days.ts'
import type { Key } from '../ledger/states.ts'

const DueRow = z.object({
  state: z.enum(transmissionStates),
  videoId: z.string(),
  dueAt: z.nullable(z.string()),
  updatedAt: z.string(),
})
type DueRow = z.infer<typeof DueRow>
type DueChange = { dueAt: string | null; by: { caller: Caller; request: FastifyRequest } }

/**
 * Sets the day of a transmission that was sent, or is about to be. Mails that left keep the day that they named. Its assignment follows,
 * with what its recipients owe.
 */
export async function setDue(
  tx: Tx,
  { id, organizationId }: Key,
  { dueAt: given, by }: DueChange,
): Promise<void> {
  const { dueAt } = await daysOf(tx, organizationId, { dueAt: given })
  const found = await requireRow(
    tx,
    DueRow,
    sql`select state, video_id as "videoId", ${isoText(sql`due_at`)} as "dueAt", ${isoText(sql`updated_at`)} as "updatedAt" from transmissions
      where id = ${id} and organization_id = ${organizationId} for update`,
  )
  requireUnchanged(by.request, new Date(found.updatedAt))
  requireSent(found.state)
  if (found.dueAt !== null && dueAt !== null && Date.parse(found.dueAt) === Date.parse(dueAt)) return
  requireAhead({ dueAt })
  await lockVideo(tx, found.videoId)
  await writeDue(tx, { id, organizationId }, sql`${dueAt}::timestamptz`)
  await audit(tx, by, {
    organizationId,
    action: 'transmission.due_changed',
    entity: 'transmission',
    entityId: id,
    before: { dueAt: found.dueAt },
    after: { dueAt },
  })
}

/** Writes the day (`dueAt` is an expression). What its recipients owe follows. */
export async function writeDue(tx: Tx, { id, organizationId }: Key, dueAt: SQL): Promise<void> {
  await tx.execute(
    sql`update transmissions set due_at = ${dueAt}, updated_at = now() where id = ${id} and organization_id = ${organizationId}`,
  )
}

/** Refuses what still waits to be sent. That is changed as a whole, so that nobody approves one day and another one is sent. */
function requireSent(state: TransmissionState): void {
  if (state === 'draft' || state === 'pending_approval')
    throw refuse('conflict', { reason: { code: 'not_sent_yet' } })
  if (state === 'cancelled') throw refuse('conflict', { reason: { code: 'cancelled_nothing_due' } })
}
