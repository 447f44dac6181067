import * as z from 'zod/mini'
import { alertLimits } from '#contract/platform/alerts.ts'
import { formatDuration } from '#contract/platform/text/format.ts'
import { checksIn, findBackups } from '../backup/list.ts'
import { requireRow, type Tx } from '../platform/db/client.ts'
import { isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import type { Env } from '../platform/env.ts'
import { found, type Found, type Patient } from './finding.ts'

const Plan = z.object({
  isOn: z.boolean(),
  updatedAt: z.string(),
  checkedAt: z.nullable(z.string()),
  damage: z.nullable(z.string()),
})
type Plan = z.infer<typeof Plan>
type Backups = Awaited<ReturnType<typeof findBackups>>

export async function lookAtBackups({ env, db }: Patient): Promise<Found[]> {
  return db ? db.reads('system', (tx) => lookIn(tx, env)) : []
}

async function lookIn(tx: Tx, env: Env): Promise<Found[]> {
  const plan = await requireRow(
    tx,
    Plan,
    sql`select is_on as "isOn", ${isoText(sql`updated_at`)} as "updatedAt", ${isoText(sql`checked_at`)} as "checkedAt", damage from backup_plan`,
  )
  const backups = await findBackups(tx, env)
  return [
    lastMade(plan, backups),
    ...checked(plan, backups),
    ...(backups.unreadable.length > 0
      ? [found('backups_unreadable', { names: backups.unreadable.join(', '), folder: backups.at })]
      : []),
  ]
}

const ageOf = (at: string) => Date.now() - Date.parse(at)
const isWithin = (at: string | null | undefined, days: number): at is string =>
  typeof at === 'string' && ageOf(at) < days * 86_400_000

/** A damaged one is none, and neither is one that is not whole. */
function lastMade({ isOn, updatedAt }: Plan, { own }: Backups): Found {
  const newest = own.find(
    ({ manifest, checked: known }) =>
      manifest.kind === 'whole' && !manifest.leftOut && (known === null || known.fault === null),
  )
  const at = newest?.manifest.snapshotAt
  if (isWithin(at, alertLimits.backupDays)) return found('backups_made', { age: formatDuration(ageOf(at)) })
  if (!isOn) return found('backups_off')
  return found(isWithin(updatedAt, alertLimits.backupDays) ? 'backups_awaited' : 'backups_missing')
}

function checked({ checkedAt, damage }: Plan, backups: Backups): Found[] {
  const { wholeAt, newest } = checksIn(backups)
  const fault = newest === null ? damage : newest.fault
  if (fault !== null) return [found('backups_damaged', { fault: fault.replace(/\.$/, '') })]
  const [at] = [checkedAt, wholeAt]
    .flatMap((one) => one ?? [])
    .toSorted()
    .toReversed()
  if (isWithin(at, alertLimits.checkedDays))
    return [found('backups_checked', { age: formatDuration(ageOf(at)) })]
  return backups.own.length > 0 ? [found('backups_unchecked')] : []
}
