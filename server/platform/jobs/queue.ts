import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { pino } from 'pino'
import { PgBoss, type Job, type SendOptions } from 'pg-boss'
import { saidOf } from '../errors.ts'
import { asSystem, hasRow, statementsOn, type Database, type Tx } from '../db/client.ts'
import { feelPulse } from '../db/pulse.ts'
import { numbered, sql } from '../db/sql.ts'
import { jobs as counted, jobSeconds } from '../metrics/registry.ts'
import { carriedOrigin, continued, spanned, type Carried } from '../tracing/trace.ts'
import { nextTurn } from './fair-order.ts'

/**
 * This list has every queue with the payload of its jobs. Payloads are ids only: a handler re-reads the state and may run twice. Beside
 * them, `origin` says of which request a job is; no handler sees it and no key contains it.
 */
type JobData = {
  'video.probe': { organizationId: string; videoId: string; versionId: string }
  'video.process': { organizationId: string; videoId: string; versionId: string }
  'captions.recognise': { organizationId: string; recognitionId: string }
  'transmission.run': { organizationId: string; transmissionId: string }
  'operation.run': { operationId: string }
  'mail.send': Record<string, never>
  'mail.returns': Record<string, never>
  'sample.fill': { organizationId: string }
  'reports.send': Record<string, never>
  housekeeping: Record<string, never>
  /** This queue does nothing: the check of the installation sends a job to it to see work done. */
  'doctor.trial': { trialId: string }
  'backup.run': Record<string, never>
}
type QueueName = keyof JobData

const queueOptions: Record<QueueName, Parameters<PgBoss['createQueue']>[1]> = {
  'video.probe': {
    policy: 'exclusive',
    retryLimit: 5,
    retryDelay: 2,
    retryBackoff: true,
    heartbeatSeconds: 10,
    expireInSeconds: 300,
    notify: true,
  },
  'video.process': {
    policy: 'exclusive',
    retryLimit: 5,
    retryDelay: 2,
    retryBackoff: true,
    heartbeatSeconds: 10,
    expireInSeconds: 6 * 3600,
    notify: true,
  },
  'captions.recognise': {
    policy: 'exclusive',
    retryLimit: 3,
    retryDelay: 2,
    retryBackoff: true,
    heartbeatSeconds: 10,
    expireInSeconds: 23 * 3600,
    notify: true,
  },
  'transmission.run': {
    policy: 'exclusive',
    retryLimit: 100,
    retryDelay: 2,
    heartbeatSeconds: 10,
    expireInSeconds: 24 * 3600,
    notify: true,
  },
  // An operation may be asked to undo while the job that has just ended it is still being put away.
  'operation.run': {
    policy: 'short',
    retryLimit: 100,
    retryDelay: 2,
    heartbeatSeconds: 10,
    expireInSeconds: 24 * 3600,
    notify: true,
  },
  'mail.send': { policy: 'short', retryLimit: 3, retryDelay: 5, expireInSeconds: 300, notify: true },
  'mail.returns': { policy: 'short', retryLimit: 0, expireInSeconds: 300, notify: true },
  'sample.fill': { policy: 'exclusive', retryLimit: 2, expireInSeconds: 900, notify: true },
  'reports.send': { policy: 'short', retryLimit: 1, expireInSeconds: 600 },
  // A job that ended with its server is not begun again before its next hour.
  'backup.run': {
    policy: 'short',
    retryLimit: 0,
    heartbeatSeconds: 10,
    expireInSeconds: 24 * 3600,
    notify: true,
  },
  'doctor.trial': { policy: 'exclusive', retryLimit: 0, expireInSeconds: 60, notify: true },
  housekeeping: { policy: 'short', retryLimit: 1, expireInSeconds: 600 },
}

/** Organizations take turns in these queues, whoever has put in how many jobs. */
const takesTurns: ReadonlySet<QueueName> = new Set(['video.probe', 'video.process', 'captions.recognise'])

export type Handler<Q extends QueueName> = (data: JobData[Q], signal: AbortSignal) => Promise<void>

export type Jobs = {
  /** Queues a job as part of `tx`: it exists exactly when the transaction commits. */
  send<Q extends QueueName>(tx: Tx, queue: Q, data: JobData[Q]): Promise<void>
  /** Queues a job outside of any transaction. */
  wake<Q extends QueueName>(queue: Q, data: JobData[Q]): Promise<void>
  work<Q extends QueueName>(queue: Q, handler: Handler<Q>, concurrency?: number): Promise<void>
  /** Fails running jobs whose data contains `part`, so that they are tried again: for a worker that is known to be dead. */
  giveBack<Q extends QueueName>(queue: Q, part: Partial<JobData[Q]>): Promise<void>
  /** Begins a job again that has failed for good, as part of `tx`. */
  retry(tx: Tx, queue: QueueName, id: string): Promise<void>
  /** The cron expression has five fields, and is in UTC. */
  schedule<Q extends QueueName>(queue: Q, cron: string, data: JobData[Q]): Promise<void>
  /** Lets running handlers finish for at most `graceMs`, then hands their jobs back. */
  stop(graceMs?: number): Promise<void>
}

/** Creates schema and queues. It is safe when two processes start at once. */
export async function installJobs(url: string): Promise<void> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false, max: 2 })
  boss.on('error', () => undefined)
  await boss.start()
  for (const [name, options] of Object.entries(queueOptions)) await boss.createQueue(name, options)
  await boss.stop({ graceful: false })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`grant usage on schema pgboss to sendreel_app;
    grant select, insert, update, delete on all tables in schema pgboss to sendreel_app;
    grant execute on all functions in schema pgboss to sendreel_app`)
  const knowsMaintain = await hasRow(
    statementsOn(client),
    sql`select 1 where current_setting('server_version_num')::int >= 170000`,
  )
  if (knowsMaintain) await client.query('grant maintain on all tables in schema pgboss to sendreel_app')
  for (const table of ['pgboss.job', 'pgboss.job_common']) await client.query(jobsForSystem(table))
  await client.end()
}

/**
 * Keeps jobs for the system, because payloads name organizations. Only the system reads and writes jobs, also where a transaction of one
 * organization queues one.
 */
const jobsForSystem = (table: string) => `do $$ begin
  if not exists (select from pg_policy where polrelid = '${table}'::regclass) then
    alter table ${table} enable row level security;
    create policy system on ${table} using ((select app_system()));
  end if;
end $$`

/**
 * Makes the key of a job. Queues with a policy keep one waiting job per key, so that waking something twice is one job. The ids stand in
 * the order of their names, because a payload that has been in the database comes back in another order.
 */
function keyOf(data: object): string {
  return Object.entries(data)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, id]) => String(id))
    .join(':')
}

function keyed(data: object, options: SendOptions): SendOptions {
  const key = keyOf(data)
  return key === '' ? options : { ...options, singletonKey: key }
}

/** Returns whether a job may wait while another with its key runs. */
const mayFollow = (queue: QueueName) => queueOptions[queue]?.policy === 'short'

/**
 * Holds a job that waits. It does for this transaction too, but must not begin before the transaction ends, as it would not find what was
 * written in it. Returns false when none waits (any more).
 */
function holdWaiting(tx: Tx, queue: QueueName, key: string): Promise<boolean> {
  return hasRow(
    tx,
    sql`select 1 from pgboss.job where name = ${queue} and state < 'active' and coalesce(singleton_key, '') = ${key} for share`,
  )
}

/** Makes what the queue writes part of the transaction. */
const within = (tx: Tx) => ({
  executeSql: (text: string, values: unknown[] = []) => tx.execute(numbered(text, values)),
})

type Log = Pick<FastifyBaseLogger, 'warn' | 'error'>
type Begun = { queue: QueueName; ids: object; log: Log }

/** Measures a job. Each failure is a line in the log, and the database keeps it of the job, without the values of anybody. */
async function measured({ queue, ids, log }: Begun, work: () => Promise<void>): Promise<void> {
  const end = jobSeconds.startTimer({ queue })
  let result = 'failed'
  try {
    await work()
    result = 'done'
  } catch (error) {
    const isHandedBack = error instanceof Error && error.name === 'AbortError'
    if (!isHandedBack) log.error({ err: error, queue, ...ids }, 'a job failed')
    throw Object.assign(new Error(saidOf(error)), { stack: undefined })
  } finally {
    end()
    counted.inc({ queue, result })
  }
}

/** The database knows a process by the connection of this name, on which it hears of new jobs. */
export const processName = 'sendreel jobs'

type Options = { supervise: boolean; log: Log; name?: string }

type Listening = { channel: string; name: string; note: (payload: string) => void; again: () => void }

/** Hears of new jobs on a connection of its own, which is opened again whenever it ends. */
function listenOn({ directUrl }: Database, { channel, name, note, again }: Listening) {
  const life = { isHeard: false }
  const listener = {
    note,
    hearUntil() {
      // What was said while nobody listened is looked for.
      if (!life.isHeard) again()
      life.isHeard = true
    },
    lose() {
      life.isHeard = false
    },
  }
  const quiet = pino({ level: 'silent' })
  const pulse = feelPulse({ name, directUrl, breakOff: () => undefined }, quiet, { [channel]: listener })
  return {
    close: () => {
      pulse.stop()
      return Promise.resolve()
    },
  }
}

/** Works on the queues over the connections of `db`. */
export async function startJobs(
  db: Database,
  { supervise, log, name = processName }: Options,
): Promise<Jobs> {
  const boss = new PgBoss({
    db: {
      executeSql: (text, values) => db.query(text, values),
      listen: (channel, note, again) => Promise.resolve(listenOn(db, { channel, name, note, again })),
    },
    migrate: false,
    supervise,
    schedule: supervise,
    useListenNotify: true,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'the queue of jobs could not be looked after'))
  await boss.start()
  const put = (queue: QueueName, data: object, options: SendOptions) =>
    spanned(`send ${queue}`, { kind: 'producer' }, () =>
      boss.send(queue, { ...data, origin: carriedOrigin() }, keyed(data, options)),
    )
  return {
    async send(tx, queue, data) {
      await asSystem(tx, async () => {
        const priority =
          takesTurns.has(queue) && 'organizationId' in data
            ? -(await nextTurn(tx, queue, data.organizationId))
            : 0
        const wait = async () =>
          (await put(queue, data, { priority, db: within(tx) })) !== null ||
          (await holdWaiting(tx, queue, keyOf(data)))
        // The job that waited may have begun between the two.
        while (!(await wait()) && mayFollow(queue)) continue
      })
    },
    async wake(queue, data) {
      await put(queue, data, {})
    },
    async work(queue, handler, concurrency = 1) {
      await boss.work(
        queue,
        {
          pollingIntervalSeconds: 1,
          // A retry that falls due notifies nobody: without this it waits for the next poll, half a minute away.
          notifyPollingIntervalSeconds: 2,
          localConcurrency: concurrency,
          batchSize: 1,
        },
        async (jobs: Job<JobData[typeof queue] & { origin?: Carried }>[]) => {
          for (const { data, signal } of jobs) {
            const { origin = {}, ...ids } = data
            // The rest of a payload is the payload, which the type does not know.
            const work = () => handler(ids as unknown as JobData[typeof queue], signal)
            await continued(queue, origin, () => measured({ queue, ids, log }, work))
          }
        },
      )
    },
    async giveBack(queue, part) {
      const running = (await boss.findJobs(queue, { data: part })).filter(({ state }) => state === 'active')
      if (running.length > 0)
        await boss.fail(
          queue,
          running.map(({ id }) => id),
        )
    },
    async retry(tx, queue, id) {
      await boss.retry(queue, id, { db: within(tx) })
    },
    async schedule(queue, cron, data) {
      await boss.schedule(queue, cron, data)
    },
    async stop(graceMs = 5_000) {
      await boss.stop({ graceful: graceMs > 0, timeout: graceMs, close: true })
    },
  }
}
