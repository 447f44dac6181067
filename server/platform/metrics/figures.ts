import type { FastifyBaseLogger } from 'fastify'
import { statfs } from 'node:fs/promises'
import { Gauge } from 'prom-client'
import * as z from 'zod/mini'
import { jobKinds } from '#contract/platform/upkeep.ts'
import { isTold } from '../aside.ts'
import { requireRow, type Database } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import type { Env } from '../env.ts'
import { version } from '../version.ts'
import { registry } from './registry.ts'

const registers = [registry]
const gauge = (name: string, help: string, labelNames: string[] = []) =>
  new Gauge({ name, help, labelNames, registers })

const build = gauge('sendreel_build_info', 'Version of the program', ['version'])
const databaseUp = gauge('sendreel_database_up', 'Whether the database answers')
const databaseBytes = gauge('sendreel_database_size_bytes', 'Size of the database')
const connections = gauge('sendreel_database_connections', 'Connections of a pool to the database', [
  'pool',
  'state',
])
const connectionsMost = gauge('sendreel_database_connections_max', 'As many a pool may have', ['pool'])
const waiting = gauge('sendreel_database_waiting', 'Requests that wait for a connection of a pool', ['pool'])
const depth = gauge('sendreel_queue_depth', 'Jobs that could begin, run, or have failed for good', [
  'queue',
  'state',
])
const age = gauge('sendreel_queue_oldest_seconds', 'Since when the oldest job waits that could begin', [
  'queue',
])
const mails = gauge('sendreel_mails_waiting', 'Codes, invitations and notices that wait to leave')
const mailAge = gauge('sendreel_mails_oldest_seconds', 'Since when the oldest of them could leave')
const deliveries = gauge('sendreel_deliveries_waiting', 'Messages of transmissions that wait to leave')
const mailServerFailing = gauge(
  'sendreel_mail_server_failing_seconds',
  'Since when the mail server does not answer; 0 while it does',
)
const returnsFailing = gauge(
  'sendreel_returns_failing_seconds',
  'Since when the mailbox for returns cannot be read; 0 while it can, or where there is none',
)
const held = gauge('sendreel_sending_held', 'Whether sending waits for a superadmin after a restore')
const aside = gauge('sendreel_set_aside', 'What background work has stepped over and cannot work on')
const evidenceLag = gauge(
  'sendreel_evidence_lag_seconds',
  'Age of the oldest report of viewing that is not in the figures yet',
)
const auditLag = gauge('sendreel_audit_lag_seconds', 'Age of the oldest entry of the audit without a seal')
const backupMade = gauge(
  'sendreel_backup_last_success_timestamp_seconds',
  'When the last backup of the plan was made, or the plan was changed since; nothing while it is off',
)
const backupChecked = gauge(
  'sendreel_backup_last_checked_timestamp_seconds',
  'When a backup was last found to be whole, or the plan was changed since; nothing while none is to be checked',
)
const diskFree = gauge('sendreel_storage_free_bytes', 'Free for the data on its disk')
const diskSize = gauge('sendreel_storage_size_bytes', 'Size of the disk of the data')

/** Of which some have a sample for each queue. */
const single = [
  databaseBytes,
  mails,
  mailAge,
  deliveries,
  mailServerFailing,
  returnsFailing,
  held,
  aside,
  evidenceLag,
  auditLag,
  backupMade,
  backupChecked,
]

const Queue = z.object({
  queue: z.string(),
  waiting: z.number(),
  running: z.number(),
  failed: z.number(),
  seconds: z.number(),
})
const Figures = z.object({
  bytes: z.number(),
  queues: z.array(Queue),
  mails: z.number(),
  mailSeconds: z.number(),
  deliveries: z.number(),
  failingSeconds: z.number(),
  returnsSeconds: z.number(),
  held: z.boolean(),
  aside: z.number(),
  evidenceSeconds: z.number(),
  auditSeconds: z.number(),
  backupMade: z.nullable(z.number()),
  backupChecked: z.nullable(z.number()),
})
type Figures = z.infer<typeof Figures>

const seconds = (from: ReturnType<typeof sql>) =>
  sql`greatest(0, coalesce(extract(epoch from now() - ${from}), 0))::float8`

/** Everything that only the database knows, in one statement. */
const asked = sql`select pg_database_size(current_database())::float8 as bytes,
  (select coalesce(json_agg(q), '[]') from (select j.name as queue,
      count(*) filter (where j.state in ('created', 'retry') and j.start_after <= now())::int as waiting,
      count(*) filter (where j.state = 'active')::int as running, count(*) filter (where j.state = 'failed')::int as failed,
      ${seconds(sql`min(greatest(j.start_after, j.created_on)) filter (where j.state in ('created', 'retry') and j.start_after <= now())`)} as seconds
    from pgboss.job j where j.state in ('created', 'retry', 'active', 'failed') group by 1) q) as queues,
  (select count(*)::int from mails where state in ('queued', 'sending')) as mails,
  (select ${seconds(sql`min(due_at)`)} from mails where state = 'queued' and due_at <= now()) as "mailSeconds",
  (select coalesce(sum(n), 0)::int from transmission_counts where state in ('queued', 'deferred')) as deliveries,
  (select ${seconds(sql`min(failing_since)`)} from send_lanes) as "failingSeconds",
  (select ${seconds(sql`min(failing_since)`)} from mail_returns) as "returnsSeconds",
  (select coalesce(bool_or(held_at is not null), false) from sending_guard) as held,
  (select count(*)::int from set_aside s where ${isTold}) as aside,
  (select ${seconds(sql`min(received_at)`)} from track_batches where not folded and received_at > now() - interval '2 days') as "evidenceSeconds",
  (select ${seconds(sql`min(a.at)`)} from audit a where a.id = (select audit_id from audit_unsealed order by audit_id limit 1)) as "auditSeconds",
  (select extract(epoch from greatest(made_at, updated_at))::float8 from backup_plan where is_on) as "backupMade",
  (select extract(epoch from greatest(checked_at, updated_at))::float8 from backup_plan where is_on and check_every <> 'never') as "backupChecked"`

const everyMs = 15_000
/** Whoever scrapes waits ten seconds as a rule. */
const patienceMs = 4_000

export type Measuring = { db: Database; env: Env; log: Pick<FastifyBaseLogger, 'error'> }

/** Brings the figures of the database and of the disk up to date; the database is asked once in 15 seconds, however often one calls. */
export function figuresOf({ db, env, log }: Measuring): () => Promise<void> {
  build.set({ version }, 1)
  let last: { at: number; asking: Promise<void> } | undefined
  return async () => {
    if (last === undefined || performance.now() - last.at > everyMs)
      last = { at: performance.now(), asking: ask(db, log) }
    await Promise.all([last.asking, showDisk(env.dataDir, log)])
    showPools(db)
  }
}

async function ask(db: Database, log: Measuring['log']): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, patienceMs, undefined)
  })
  const found = requireRow(db.single, Figures, asked).catch((error: unknown) => {
    log.error({ err: error }, 'the database did not say how things stand, for the metrics')
    return undefined
  })
  const figures = await Promise.race([found, late])
  clearTimeout(timer)
  databaseUp.set(figures ? 1 : 0)
  if (figures) show(figures)
  else forget()
}

/** What is not known now is not told: an old figure would look like a present one. */
function forget(): void {
  for (const one of single) one.remove()
  for (const one of [depth, age]) one.reset()
}

function show(figures: Figures): void {
  for (const queue of Object.keys(jobKinds)) {
    const found = figures.queues.find((one) => one.queue === queue)
    for (const state of ['waiting', 'running', 'failed'] as const)
      depth.set({ queue, state }, found?.[state] ?? 0)
    age.set({ queue }, found?.seconds ?? 0)
  }
  databaseBytes.set(figures.bytes)
  mails.set(figures.mails)
  mailAge.set(figures.mailSeconds)
  deliveries.set(figures.deliveries)
  mailServerFailing.set(figures.failingSeconds)
  returnsFailing.set(figures.returnsSeconds)
  held.set(figures.held ? 1 : 0)
  aside.set(figures.aside)
  evidenceLag.set(figures.evidenceSeconds)
  auditLag.set(figures.auditSeconds)
  showIfKnown(backupMade, figures.backupMade)
  showIfKnown(backupChecked, figures.backupChecked)
}

function showIfKnown(one: Gauge, value: number | null): void {
  if (value === null) one.remove()
  else one.set(value)
}

function showPools(db: Database): void {
  for (const { name: pool, most, total, idle, waiting: queued } of db.pools()) {
    connections.set({ pool, state: 'in_use' }, total - idle)
    connections.set({ pool, state: 'idle' }, idle)
    connectionsMost.set({ pool }, most)
    waiting.set({ pool }, queued)
  }
}

async function showDisk(folder: string, log: Measuring['log']): Promise<void> {
  const known = await statfs(folder).catch((error: unknown) => {
    log.error({ err: error }, 'the disk of the data could not be looked at, for the metrics')
    return undefined
  })
  showIfKnown(diskFree, known ? known.bavail * known.bsize : null)
  showIfKnown(diskSize, known ? known.blocks * known.bsize : null)
}
