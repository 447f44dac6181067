import * as z from 'zod/mini'
import {
  backupSteps,
  checkRhythms,
  type BackupPlanInput,
  type readBackupPlan,
  type readBackups,
} from '#contract/backup.ts'
import type { Reply } from '#contract/endpoint.ts'
import { hasRow, requireRow, row, type Database, type Tx } from '../platform/db/client.ts'
import { isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import type { Progress } from './progress.ts'
import { cut, storable } from '#contract/platform/text/text.ts'

type Plan = Reply<typeof readBackupPlan>
const PlanRow = z.object({
  isOn: z.boolean(),
  hour: z.number(),
  daily: z.number(),
  weekly: z.number(),
  monthly: z.number(),
  checkEvery: z.enum(checkRhythms),
  updatedAt: z.string(),
})

export function readPlan(tx: Tx): Promise<Plan> {
  return requireRow(
    tx,
    PlanRow,
    sql`select is_on as "isOn", hour, daily, weekly, monthly, check_every as "checkEvery", ${isoText(sql`updated_at`)} as "updatedAt"
      from backup_plan for update`,
  )
}

export async function writePlan(tx: Tx, plan: BackupPlanInput): Promise<void> {
  const { isOn, hour, daily, weekly, monthly, checkEvery } = plan
  await tx.execute(
    sql`update backup_plan set is_on = ${isOn}, hour = ${hour}, daily = ${daily}, weekly = ${weekly}, monthly = ${monthly}, check_every = ${checkEvery}, updated_at = now()`,
  )
}

const StateRow = z.object({
  since: z.nullable(z.string()),
  work: z.nullable(z.enum(['backup', 'check'])),
  step: z.nullable(z.enum(backupSteps)),
  done: z.nullable(z.number()),
  total: z.nullable(z.number()),
  isAsked: z.boolean(),
  endedAt: z.nullable(z.string()),
  failure: z.nullable(z.string()),
  checkEndedAt: z.nullable(z.string()),
  checkFailure: z.nullable(z.string()),
})

const backupIsOpen = sql`coalesce(started_at > coalesce(ended_at, '-infinity'), false)`
const checkIsOpen = sql`coalesce(check_started_at > coalesce(check_ended_at, '-infinity'), false)`
/** Nobody who makes or checks one is silent for so long. One thing is done at a time. */
const isAlive = sql`coalesce(told_at > now() - interval '1 minute', false)`
const isBusy = sql`((${backupIsOpen} or ${checkIsOpen}) and ${isAlive})`
/** Wished by a person since the last one began. */
const isWished = sql`coalesce(asked_at > coalesce(started_at, '-infinity'), false)`

type State = Pick<Reply<typeof readBackups>, 'running' | 'isAsked' | 'failure' | 'checkFailure'>

export async function stateOf(tx: Tx): Promise<State> {
  const found = await requireRow(
    tx,
    StateRow,
    sql`select case when not ${isAlive} then null when ${backupIsOpen} then 'backup' when ${checkIsOpen} then 'check' end as work,
        ${isoText(sql`case when ${backupIsOpen} then started_at else check_started_at end`)} as since,
        step, done::float8 as done, total::float8 as total,
        ${isWished} and asked_at > now() - interval '10 minutes' as "isAsked",
        ${isoText(sql`case when ${backupIsOpen} then coalesce(told_at, started_at) else ended_at end`)} as "endedAt",
        case when ${backupIsOpen} then 'It was broken off: the server ended meanwhile.' else failure end as failure,
        ${isoText(sql`case when ${checkIsOpen} then check_started_at else check_ended_at end`)} as "checkEndedAt",
        case when ${checkIsOpen} then 'It was broken off, and is done again within the next hour.' else check_failure end as "checkFailure"
      from backup_plan`,
  )
  const { work, since, step, done, total, isAsked } = found
  const failed = (at: string | null, message: string | null) =>
    at !== null && message !== null ? { at, message } : null
  return {
    running: work !== null && since !== null ? { work, since, step, done, total } : null,
    isAsked,
    failure: work === 'backup' ? null : failed(found.endedAt, found.failure),
    checkFailure: work === 'check' ? null : failed(found.checkEndedAt, found.checkFailure),
  }
}

const BackupRetention = z.object({ daily: z.number(), weekly: z.number(), monthly: z.number() })
export type BackupRetention = z.infer<typeof BackupRetention>

/** Somebody has asked, or its hour has come since the last one began. Writes down that it begins; undefined: nothing is due. */
export function beginIfDue(db: Database): Promise<BackupRetention | undefined> {
  return db.as('system', (tx) =>
    row(
      tx,
      BackupRetention,
      sql`update backup_plan set started_at = now(), told_at = now(), step = null, done = null, total = null
        where not ${isBusy} and (${isWished}
          or (is_on and coalesce(started_at, '-infinity') < (select max(at) from (values
            (date_trunc('day', now(), 'UTC') + make_interval(hours => hour)),
            (date_trunc('day', now(), 'UTC') + make_interval(hours => hour - 24))) v(at) where at <= now())
            and (started_at is not null or now() >= date_trunc('day', updated_at, 'UTC') + make_interval(hours => hour))))
        returning daily, weekly, monthly`,
    ),
  )
}

/** What the folder says of checks, by whomever they were made. */
export type Checks = {
  /** When one was last found to be whole. */
  wholeAt: string | null
  /** Of the newest one that was checked; null: none was. */
  newest: { fault: string | null } | null
}

/** As the database takes it. */
const storableFault = (fault: string | null) => fault && cut(storable(fault), 1_000)

/** Damage counts until a newer one is found to be whole, even when the damaged one was removed. */
export async function noteChecks(tx: Tx, { wholeAt, newest }: Checks): Promise<void> {
  const damage = newest === null ? sql`damage` : sql`${storableFault(newest.fault)}`
  await tx.execute(
    sql`update backup_plan set checked_at = greatest(checked_at, ${wholeAt}::timestamptz), damage = ${damage}`,
  )
}

/**
 * Whether the newest backup, which nobody has checked, is to be checked now; writes down that this begins. What was broken off is done
 * again at once, what could not be done after most of a day. After a damaged one the next is checked whatever the rhythm.
 */
export function beginCheckIfDue(db: Database): Promise<boolean> {
  return db.as('system', (tx) =>
    hasRow(
      tx,
      sql`update backup_plan set check_started_at = now(), told_at = now(), step = null, done = null, total = null
        where is_on and check_every <> 'never' and not ${isBusy} and not ${isWished}
          and (${checkIsOpen} or check_failure is null or check_ended_at < now() - interval '20 hours')
          and (check_every = 'backup' or damage is not null or coalesce(checked_at < now() - interval '156 hours', true))
        returning 1`,
    ),
  )
}

const Wish = z.object({ isWished: z.boolean() })

/** Says that the work goes on; answers whether somebody wishes a backup meanwhile. */
export async function tellProgress(db: Database, progress: Progress | undefined): Promise<boolean> {
  const { step = null, done = null, total = null } = progress ?? {}
  const wish = await db.as('system', (tx) =>
    requireRow(
      tx,
      Wish,
      sql`update backup_plan set told_at = now(), step = ${step}, done = ${done}, total = ${total} returning ${isWished} as "isWished"`,
    ),
  )
  return wish.isWished
}

export async function tellEnd(db: Database, failure: string | null): Promise<void> {
  await db.as('system', (tx) =>
    tx.execute(sql`update backup_plan set told_at = null, ended_at = now(), failure = ${storableFault(failure)},
        made_at = case when ${failure === null} then now() else made_at end`),
  )
}

/** `broken_off`: it stays open, and is done again. */
export async function tellCheckEnd(
  db: Database,
  result: { failure: string | null } | 'broken_off',
): Promise<void> {
  const ended =
    result === 'broken_off'
      ? sql`told_at = null`
      : sql`told_at = null, check_ended_at = now(), check_failure = ${storableFault(result.failure)}`
  await db.as('system', (tx) => tx.execute(sql`update backup_plan set ${ended}`))
}
