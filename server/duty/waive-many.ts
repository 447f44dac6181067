import * as z from 'zod/mini'
import { type OperationKind, rowReasons } from '#contract/operations.ts'
import { mostWaivers, type WaiverAction } from '#contract/duty/waivers.ts'
import { arrayOf, rows } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { auditMany, type AuditEntry } from '../platform/http/audit.ts'
import { seesUser } from '../platform/http/visibility.ts'
import type { DoneRow, KindOfOperation, PendingRow, RowResult, Work } from '../operations/kinds.ts'
import { actingFor, entityIds, left, sortOut, undone } from '../operations/rows.ts'
import { hasDone } from './completions.ts'
import { stands } from './obligations.ts'
import { restore, waiverKinds } from './waivers.ts'

/** This condition ties a row to a person `u` and a video `v`. */
const ofCell = (alias: string) => {
  const x = sql.raw(alias)
  return sql`${x}.organization_id = u.organization_id and ${x}.user_id = u.id and ${x}.video_id = v.id`
}
const isWaived = sql`exists (select 1 from training_waivers x where ${ofCell('x')} and ${stands})`
const isDone = hasDone({ organizationId: sql`u.organization_id`, userId: sql`u.id`, videoId: sql`v.id` })

/**
 * This expression says why a person `u` cannot be waived for a video `v`, or why a waiver of theirs cannot be taken back. Null means that
 * nothing is in the way.
 */
export function blockedReasonOf(action: WaiverAction['action'], actorId: string): SQL {
  if (action === 'end') return sql`case when not ${isWaived} then 'not_waived' end`
  return sql`case when u.id = ${actorId} then 'yourself' when ${isWaived} then 'already_waived' when ${isDone} then 'already_done' end`
}

export const kindOf: Record<WaiverAction['action'], OperationKind> = {
  waive: 'waivers.give',
  end: 'waivers.end',
}

/** The route has written this. It is gone once the person is erased, because a reason may tell of them. */
type Input = { videoId: string; reason: string; until: string | null } | null
const Cell = z.object({
  /** This is the id of the waiver that holds. */
  id: z.nullable(z.string()),
  userId: z.string(),
  videoId: z.string(),
  videoTitle: z.string(),
  blockedReason: z.nullable(z.enum(rowReasons)),
})
type Cell = z.infer<typeof Cell>
type JudgedCell = { position: number; cell: Cell; input: NonNullable<Input> }

const PositionedCell = z.extend(Cell, { position: z.number() })

/**
 * Judges each row by its person and video as they are now, and sorts out the rows that stay as they are. `id` is the waiver that holds, if
 * one does.
 */
async function judge(work: Work, pending: readonly PendingRow[], action: WaiverAction['action']) {
  const { tx, visibility, actor } = work
  const asked = pending.map(({ position, entityId, input }) => ({
    position,
    userId: entityId,
    videoId: (input as Input)?.videoId,
  }))
  const found = await rows(
    tx,
    PositionedCell,
    sql`select r.position, x.id, u.id as "userId", v.id as "videoId", v.title as "videoTitle",
        case when not ${seesUser(visibility, sql`u.id`) ?? sql`true`} then 'not_allowed'
          else ${blockedReasonOf(action, actor.userId)} end as "blockedReason"
      from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as r(position int, "userId" uuid, "videoId" uuid)
        join users u on u.id = r."userId" and u.organization_id = ${visibility.organizationId} and u.deleted_at is null
        join videos v on v.id = r."videoId" and v.organization_id = ${visibility.organizationId} and v.deleted_at is null
        left join training_waivers x on ${ofCell('x')} and x.ended_at is null`,
  )
  const byPosition = new Map(found.map((one) => [one.position, one]))
  const fit: JudgedCell[] = []
  const staying: RowResult[] = []
  for (const row of pending) {
    const cell = byPosition.get(row.position)
    const input = row.input as Input
    const blockedReason = cell ? cell.blockedReason : 'gone'
    if (cell && input && blockedReason === null) fit.push({ position: row.position, cell, input })
    else staying.push(left(row, blockedReason ?? 'gone'))
  }
  return { fit, staying }
}

type Action = 'training.waived' | 'training.waiver_ended'
type WaiverEntry = Pick<AuditEntry, 'before' | 'after'> & { userId: string }

function write(work: Work, action: Action, entries: readonly WaiverEntry[]): Promise<void> {
  const { organizationId } = work.visibility
  return auditMany(
    work.tx,
    actingFor(work),
    entries.map(({ userId, ...details }) => ({
      organizationId,
      action,
      entity: 'user',
      entityId: userId,
      ...details,
    })),
  )
}

/** It is as large as a whole selection can be, so that all of it shares one transaction. */
const chunk = mostWaivers

const UndoRow = z.extend(z.pick(Cell, { blockedReason: true }), {
  id: z.string(),
  userId: z.string(),
  videoTitle: z.string(),
  reason: z.string(),
})

const MadeWaiver = z.object({ position: z.number(), id: z.string() })

const giving: KindOfOperation = {
  kind: 'waivers.give',
  chunk,

  async apply(work, pending) {
    const { tx, visibility, actor } = work
    const { fit, staying } = await judge(work, pending, 'waive')
    const given = JSON.stringify(
      fit.map(({ position, cell: { userId, videoId }, input: { reason, until } }) => ({
        position,
        userId,
        videoId,
        reason,
        until,
      })),
    )
    const cells = sql`jsonb_to_recordset(${given}::jsonb)
      as r(position int, "userId" uuid, "videoId" uuid, reason text, until timestamptz)`
    await tx.execute(
      sql`update training_waivers x set ended_at = x.until from ${cells} where x.organization_id = ${visibility.organizationId}
        and x.user_id = r."userId" and x.video_id = r."videoId" and x.ended_at is null and x.until <= now()`,
    )
    const made = await rows(
      tx,
      MadeWaiver,
      sql`with made as (
          insert into training_waivers (organization_id, user_id, video_id, reason, until, given_by, given_by_name)
          select ${visibility.organizationId}, r."userId", r."videoId", r.reason, r.until, ${actor.userId}, ${actor.name} from ${cells}
          order by r."userId", r."videoId"
          on conflict (organization_id, user_id, video_id) where ended_at is null do nothing returning id, user_id, video_id)
        select r.position, made.id from made join ${cells} on r."userId" = made.user_id and r."videoId" = made.video_id`,
    )
    const waivers = new Map(made.map(({ position, id }) => [position, id]))
    const waived = fit.filter(({ position }) => waivers.has(position))
    await write(
      work,
      'training.waived',
      waived.map(({ cell: { userId, videoTitle }, input: { reason, until } }) => ({
        userId,
        after: { video: videoTitle, reason, until },
      })),
    )
    const results = fit.map(({ position }): RowResult => {
      const waiverId = waivers.get(position)
      // Somebody else has given a waiver in the meantime.
      return waiverId === undefined
        ? left({ position }, 'already_waived')
        : { position, outcome: 'created', after: { waiverId } }
    })
    return [...staying, ...results]
  },

  async undo(work, done) {
    const { tx, visibility } = work
    const named = byWaiver(done)
    const found = await rows(
      tx,
      UndoRow,
      sql`select x.id, x.user_id as "userId", v.title as "videoTitle", x.reason, case when x.ended_at is not null then 'changed_since'
            when not ${seesUser(visibility, sql`x.user_id`) ?? sql`true`} then 'not_allowed' end as "blockedReason"
        from training_waivers x join videos v on v.id = x.video_id
        where x.organization_id = ${visibility.organizationId} and x.id = any(${entityIds(named)}) order by x.id for update of x`,
    )
    const { fit, things, others } = sortOut(named, found)
    await end(
      work,
      things.map(({ id }) => id),
    )
    await write(
      work,
      'training.waiver_ended',
      things.map(({ userId, videoTitle, reason }) => ({
        userId,
        before: { video: videoTitle, reason },
      })),
    )
    return undone(fit, others)
  },
}

const ending: KindOfOperation = {
  kind: 'waivers.end',
  chunk,

  async apply(work, pending) {
    const { fit, staying } = await judge(work, pending, 'end')
    const ended = new Map(
      (
        await end(
          work,
          fit.flatMap(({ cell }) => cell.id ?? []),
        )
      ).map((one): [string | null, EndedWaiver] => [one.id, one]),
    )
    await write(
      work,
      'training.waiver_ended',
      fit.flatMap(({ cell: { id, userId, videoTitle } }) => {
        const one = ended.get(id)
        return one ? [{ userId, before: { video: videoTitle, reason: one.reason } }] : []
      }),
    )
    const results = fit.map(({ position, cell: { id } }): RowResult => {
      const one = ended.get(id)
      return one
        ? { position, outcome: 'changed', after: { waiverId: one.id, endedAt: one.endedAt } }
        : left({ position }, 'not_waived')
    })
    return [...staying, ...results]
  },

  undo: (work, done) => restore(work, byWaiver(done)),
}

/** Names the rows after their waivers, to take them back. The rows themselves are of people, so that they are erased with them. */
function byWaiver(done: readonly DoneRow[]): DoneRow[] {
  return done.map((row) => ({
    ...row,
    entityId: (row.after as { waiverId: string } | null)?.waiverId ?? null,
  }))
}

const EndedWaiver = z.object({ id: z.string(), endedAt: z.string(), reason: z.string() })
type EndedWaiver = z.infer<typeof EndedWaiver>

function end({ tx, visibility, actor }: Work, ids: readonly string[]): Promise<EndedWaiver[]> {
  return rows(
    tx,
    EndedWaiver,
    sql`update training_waivers x set ended_at = now(), ended_by = ${actor.userId}, ended_by_name = ${actor.name}
      where x.organization_id = ${visibility.organizationId} and x.id = any(${arrayOf([...ids], 'uuid')}) and x.ended_at is null
      returning x.id, ${isoText(sql`x.ended_at`)} as "endedAt", x.reason`,
  )
}

export const trainingKinds = [...waiverKinds, giving, ending]
