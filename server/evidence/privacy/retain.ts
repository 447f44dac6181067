import pg from 'pg'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { readRetention } from '#contract/evidence/privacy.ts'
import { eachApart } from '#server/platform/aside.ts'
import { toTheEnd } from '#server/platform/failures.ts'
import { type Database, hasRow, requireRow, row, rows, type Tx } from '#server/platform/db/client.ts'
import { keptFrom, keptMonths } from '#server/directory/organizations/privacy.ts'
import { audit } from '#server/platform/http/audit.ts'
import { sql } from '../../platform/db/sql.ts'
import { forgetPastCells } from '../../matrix/recompute.ts'
import { dueSessions, forgetBatches, forgetSessions, ForgottenRows } from '../../tracking/forget.ts'
import { sessionHours, type Budget } from './wipe.ts'

/** One transaction takes this number of sessions. */
const chunk = 500
const rowsAtOnce = 5_000
/** This day is before the first day of any log. */
const never = '1970-01-01'

/**
 * Nothing is kept from before these days (UTC): the first is for sessions, the second for the raw log, which goes sooner where only
 * completions are recorded.
 */
const Keeper = z.object({ id: z.string(), cutoff: z.string(), logCutoff: z.string(), isPrivate: z.boolean() })
type Keeper = z.infer<typeof Keeper>

/**
 * Deletes viewing evidence that organizations keep no longer. Days of the raw log that nobody keeps go as a whole, the rest by its
 * organization. It stops when the time is over, and goes on the next time.
 */
export async function retain(db: Database, budget: Budget): Promise<void> {
  const found = await rows(
    db.single,
    Keeper,
    sql`select id, cutoff::text, case when "isPrivate" then ((now() - make_interval(hours => ${sessionHours})) at time zone 'UTC')::date
        else cutoff end::text as "logCutoff", "isPrivate"
      from (select id, ${keptFrom} as cutoff, coalesce(policies->>'trackingMode' = 'completed_only', false) as "isPrivate"
        from organizations o) o order by id`,
  )
  const oldest = found.map(({ cutoff }) => cutoff).toSorted()[0]
  if (oldest === undefined) return
  const nameOf = ({ id }: Keeper) => ({ item: `retention ${id}`, organizationId: id })
  const keep = async (keeper: Keeper) => {
    while (Date.now() < budget.until && (await expireSome(db, keeper)));
    while (Date.now() < budget.until && (await forgetPast(db, keeper)));
    await clearLog(db, keeper, budget)
    await note(db, keeper)
  }
  await toTheEnd([
    () => dropDays(db, oldest),
    () => eachApart({ db, loop: 'housekeeping', nameOf }, found, keep),
  ])
}

const Days = z.object({ day: z.string(), name: z.string() })

/** Drops whole days of the log. A day that waits for the aggregation is left alone. */
async function dropDays(db: Database, before: string): Promise<void> {
  const days = await rows(
    db.single,
    Days,
    sql`select to_date(right(c.relname, 8), 'YYYYMMDD')::text as day, c.relname as name
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'track_batches'::regclass and c.relname ~ '^track_batches_[0-9]{8}$'
        and to_date(right(c.relname, 8), 'YYYYMMDD') < ${before}::date order by 1`,
  )
  for (const { day, name } of days) {
    if (await hasRow(db.single, sql`select 1 from ${sql.raw(name)} where not folded limit 1`)) continue
    const isDropped = await dropDay(db, day)
    // Somebody is at work in the log, so it waits for the next hour.
    if (!isDropped) return
  }
}

async function dropDay(db: Database, day: string): Promise<boolean> {
  try {
    await db.as('system', async (tx) => {
      await tx.execute(sql`set local lock_timeout = '2s'`)
      await tx.execute(sql`select drop_track_day(${day}::date)`)
    })
    return true
  } catch (error) {
    const code =
      error instanceof Error && error.cause instanceof pg.DatabaseError ? error.cause.code : undefined
    if (code === '55P03') return false
    throw error
  }
}

/** Deletes some sessions. Returns whether there may be more. */
async function expireSome(db: Database, { id, cutoff }: Keeper): Promise<boolean> {
  const due = await dueSessions(
    db,
    sql`select id, video_id from play_sessions
      where organization_id = ${id} and last_at < ${cutoff}::timestamp at time zone 'UTC' order by last_at limit ${chunk}`,
  )
  for (const one of due)
    await db.as({ organizationId: id }, async (tx) =>
      tally(tx, id, await forgetSessions(tx, { ...one, daysOnly: false })),
    )
  return due.length > 0
}

/** Deletes how the training matrix read on days before. Returns whether there may be more. */
async function forgetPast(db: Database, { id, cutoff }: Keeper): Promise<boolean> {
  const gone = await db.as({ organizationId: id }, (tx) =>
    forgetPastCells(tx, id, { before: cutoff, most: rowsAtOnce }),
  )
  return gone === rowsAtOnce
}

const Mark = z.object({ clearedTo: z.string() })

/** Deletes batches of the log. Only the days since the last time are looked through, because the log has no index by organization. */
async function clearLog(db: Database, { id, logCutoff: cutoff }: Keeper, budget: Budget): Promise<void> {
  const scope = { organizationId: id }
  const mark = await db.as(scope, (tx) =>
    row(tx, Mark, sql`select cleared_to as "clearedTo" from retention_marks where organization_id = ${id}`),
  )
  if (mark && mark.clearedTo >= cutoff) return
  const from = mark?.clearedTo ?? never
  for (let deleted = rowsAtOnce; deleted === rowsAtOnce;) {
    if (Date.now() >= budget.until) return
    deleted = await db.as(scope, async (tx) => {
      const gone = await forgetBatches(tx, id, { from, before: cutoff, most: rowsAtOnce })
      await tally(tx, id, { sessions: 0, spans: 0, events: 0, batches: gone })
      return gone
    })
  }
  await db.as(scope, (tx) =>
    tx.execute(sql`update retention_marks set cleared_to = ${cutoff} where organization_id = ${id}`),
  )
}

/** Counts what was deleted, in the transaction in which it is. */
async function tally(tx: Tx, organizationId: string, gone: ForgottenRows): Promise<void> {
  const plus = (kind: keyof ForgottenRows) =>
    sql`${sql.raw(`'${kind}'`)}, coalesce((m.gone->>${sql.raw(`'${kind}'`)})::int, 0) + ${gone[kind]}::int`
  const sum = sql`jsonb_build_object(${plus('sessions')}, ${plus('spans')}, ${plus('events')}, ${plus('batches')})`
  await tx.execute(
    sql`insert into retention_marks as m (organization_id, cleared_to, gone) values (${organizationId}, ${never}, ${JSON.stringify(gone)}::jsonb)
      on conflict (organization_id) do update set gone = ${sum}`,
  )
}

const NoteRow = z.object({ gone: z.partial(ForgottenRows) })

/** Writes the deletion into the audit. In an organization that records only completions, the log that goes every day is no news. */
async function note(db: Database, { id, cutoff, isPrivate }: Keeper): Promise<void> {
  await db.as({ organizationId: id }, async (tx) => {
    const mark = await row(
      tx,
      NoteRow,
      sql`update retention_marks m set gone = '{}' from (select gone from retention_marks where organization_id = ${id} for update) old
        where m.organization_id = ${id} and old.gone <> '{}' returning old.gone`,
    )
    if (!mark || Object.values(mark.gone).every((n) => n === 0)) return
    if (isPrivate && mark.gone.sessions === 0) return
    await audit(tx, 'system', {
      organizationId: id,
      action: 'evidence.expired',
      entity: 'organization',
      entityId: id,
      after: { before: cutoff, ...mark.gone },
    })
  })
}

/** Reads how long viewing is kept, the oldest day of it that is there, and the day on which it goes; days are UTC. */
export function comingDeletion(tx: Tx, organizationId: string): Promise<Reply<typeof readRetention>> {
  return requireRow(
    tx,
    readRetention.reply,
    sql`select months, to_char(s.at at time zone 'UTC', 'YYYY-MM-DD') as oldest,
        case when s.at is not null then to_char(greatest((s.at at time zone 'UTC')::date
            + make_interval(months => months) + interval '1 day', (now() at time zone 'UTC')::date), 'YYYY-MM-DD') end as on
      from (select ${keptMonths} as months from organizations o
          where id = ${organizationId} and deleted_at is null) o,
        (select min(last_at) as at from play_sessions where organization_id = ${organizationId}) s`,
  )
}
