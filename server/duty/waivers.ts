import type { Erase } from '../platform/erasing.ts'
import * as z from 'zod/mini'
import type { ParsedBody } from '#contract/endpoint.ts'
import { rowReasons } from '#contract/operations.ts'
import type { TrainingCell, Waiver, waiveTraining } from '#contract/matrix/training.ts'
import { hasRow, requireRow, rows, unlessTaken, type Tx } from '../platform/db/client.ts'
import { idsOf } from '../platform/db/rows.ts'
import { sql } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { auditMany } from '../platform/http/audit.ts'
import { personBehind, type Caller } from '../platform/http/bearer.ts'
import { seesUser } from '../platform/http/visibility.ts'
import { instantOf } from '../directory/organizations/days.ts'
import type { DoneRow, KindOfOperation, UndoneRow, Work } from '../operations/kinds.ts'
import { actingFor, recordsLeft, sortOut, undone } from '../operations/rows.ts'

export type CellKey = { userId: string; videoId: string }

type WaivingCaller = Pick<Caller, 'userId' | 'name' | 'viewer'>
type Waive = CellKey & { organizationId: string; by: WaivingCaller; body: ParsedBody<typeof waiveTraining> }

const End = z.object({ until: z.nullable(z.string()) })

/**
 * Returns the instant until which a waiver holds, which is the end of the given day in the organization; null means for good. Refuses a day
 * that does not lie ahead.
 */
export async function waiverEnd(
  tx: Tx,
  organizationId: string,
  given: string | null,
): Promise<string | null> {
  const end = sql`select ${isoText(instantOf(given))} as until from organizations where id = ${organizationId}`
  const { until } = await requireRow(tx, End, end)
  if (until !== null && Date.parse(until) <= Date.now())
    throw refuse('validation_failed', { fields: { until: ['not_ahead'] } })
  return until
}

/** Waives one person for one video. Only one waiver holds at a time, so one that ran out by itself is ended as of then. */
export async function waive(tx: Tx, { organizationId, userId, videoId, by, body }: Waive): Promise<void> {
  const { reason } = body
  const until = await waiverEnd(tx, organizationId, body.until ?? null)
  const { id, name } = personBehind(by)
  if (id === userId) throw refuse('forbidden', { reason: { code: 'own_waiver' } })
  await tx.execute(
    sql`update training_waivers set ended_at = until where organization_id = ${organizationId} and user_id = ${userId}
      and video_id = ${videoId} and ended_at is null and until <= now()`,
  )
  const made = await hasRow(
    tx,
    sql`insert into training_waivers (organization_id, user_id, video_id, reason, until, given_by, given_by_name)
      values (${organizationId}, ${userId}, ${videoId}, ${reason}, ${until}::timestamptz, ${id}, ${name})
      on conflict (organization_id, user_id, video_id) where ended_at is null do nothing returning id`,
  )
  if (!made) throw refuse('conflict', { reason: { code: 'waived_already' } })
}

export const EndedWaiver = z.object({ id: z.string(), endedAt: z.string(), reason: z.string() })
export type EndedWaiver = z.infer<typeof EndedWaiver>

/** Finds the waiver that holds in a cell. */
function standing({ waivers }: TrainingCell): Waiver | undefined {
  return waivers.find(({ endedAt }) => endedAt === null)
}

/** Takes back the waiver of a cell. Refuses where none holds, because somebody may have taken it back a moment ago. */
export async function endWaiver(tx: Tx, cell: TrainingCell, by: WaivingCaller): Promise<EndedWaiver> {
  const present = standing(cell)
  const { id, name } = personBehind(by)
  const [ended] = await rows(
    tx,
    EndedWaiver,
    sql`update training_waivers set ended_at = now(), ended_by = ${id}, ended_by_name = ${name}
      where id = ${present?.id ?? null}::uuid and ended_at is null returning id, ${isoText(sql`ended_at`)} as "endedAt", reason`,
  )
  if (!ended) throw refuse('conflict', { reason: { code: 'not_waived' } })
  return ended
}

const WaiverRow = z.object({
  id: z.string(),
  userId: z.string(),
  videoTitle: z.string(),
  blockedReason: z.nullable(z.enum(rowReasons)),
})
type WaiverRow = z.infer<typeof WaiverRow>

/** Taking a waiver back happens at once, so this operation only undoes that. */
const removal: KindOfOperation = {
  kind: 'waivers.remove',

  apply: (_work, pending) =>
    Promise.resolve(pending.map(({ position }) => ({ position, outcome: 'skipped', reason: 'not_allowed' }))),

  undo: (work, done) => restore(work, done),
}

/** Lets waivers hold again that were taken back and not given anew; the rows are named after them. */
export async function restore(work: Work, done: readonly DoneRow[]): Promise<UndoneRow[]> {
  const { tx, visibility } = work
  const found = await rows(
    tx,
    WaiverRow,
    sql`select x.id, x.user_id as "userId", v.title as "videoTitle", case when x.ended_at is distinct from r."endedAt" then 'changed_since'
            when u.deleted_at is not null then 'gone' when not ${seesUser(visibility, sql`x.user_id`) ?? sql`true`} then 'not_allowed'
            when exists (select from training_waivers o where o.organization_id = x.organization_id and o.user_id = x.user_id
              and o.video_id = x.video_id and o.ended_at is null) then 'waived_again' end as "blockedReason"
        from ${recordsLeft(done)} as r(id uuid, "endedAt" timestamptz)
          join training_waivers x on x.id = r.id join users u on u.id = x.user_id join videos v on v.id = x.video_id
        where x.organization_id = ${visibility.organizationId} order by x.id for update of x`,
  )
  const { fit, things, others } = sortOut(done, found)
  const isRestored = await unlessTaken(tx, () =>
    tx.execute(
      sql`update training_waivers set ended_at = null, ended_by = null, ended_by_name = null
        where organization_id = ${visibility.organizationId} and id = any(${idsOf(things)})`,
    ),
  )
  // Another waiver was given since they were looked at, and the next look sees it.
  if (!isRestored) return restore(work, done)
  const entries = things.map((one) => ({
    organizationId: visibility.organizationId,
    action: 'training.waiver_restored' as const,
    entity: 'user',
    entityId: one.userId,
    after: { video: one.videoTitle },
  }))
  await auditMany(tx, actingFor(work), entries)
  return undone(fit, others)
}

export const waiverKinds = [removal]

/** Takes away the reasons for which they need not watch something. */
export const eraseReasons: Erase = ({ gone }) => [
  sql`update training_waivers w set reason = '' from ${gone} where w.user_id = r.id`,
]
