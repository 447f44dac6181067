import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import * as z from 'zod/mini'
import { hasRow, requireRow, type Database, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { startJobs } from '../platform/jobs/queue.ts'
import { found, type Found, type Patient } from './finding.ts'

export async function lookAtJobs({ db }: Patient): Promise<Found[]> {
  // Before the first start of this release its queue is not there yet, as the tables say.
  if (!db || !(await db.reads('system', isThere))) return []
  return [await tryOne(db), ...(await db.reads('system', failedOnes))]
}

const isThere = async (tx: Tx) =>
  (await hasRow(tx, sql`select 1 where to_regclass('pgboss.queue') is not null`)) &&
  hasRow(tx, sql`select 1 from pgboss.queue where name = 'doctor.trial'`)

const patienceSeconds = 15
const lookEveryMs = 100

/** Sends itself a job and sees it done, by itself or by whoever checks at the same time. */
async function tryOne(db: Database): Promise<Found> {
  const jobs = await startJobs(db, {
    supervise: false,
    log: pino({ level: 'silent' }),
    name: 'sendreel doctor',
  })
  const trialId = randomUUID()
  const isDone = sql`select 1 from pgboss.job where name = 'doctor.trial' and state = 'completed' and data->>'trialId' = ${trialId}`
  try {
    await jobs.work('doctor.trial', () => Promise.resolve())
    const began = performance.now()
    await db.as('system', (tx) => jobs.send(tx, 'doctor.trial', { trialId }))
    while (performance.now() - began < patienceSeconds * 1_000) {
      if (await hasRow(db.single, isDone))
        return found('jobs_done', { milliseconds: String(Math.ceil(performance.now() - began)) })
      await pause(lookEveryMs)
    }
    return found('jobs_stuck', { seconds: String(patienceSeconds) })
  } finally {
    await jobs.stop(0)
  }
}

const Failed = z.object({ count: z.number(), message: z.nullable(z.string()) })

/** What has failed for good, and what is tried again. */
async function failedOnes(tx: Tx): Promise<Found[]> {
  const { count, message } = await requireRow(
    tx,
    Failed,
    sql`select count(*)::int as count, (array_agg(left(j.output->>'message', 300) order by coalesce(j.completed_on, j.started_on) desc))[1] as message
      from pgboss.job j where j.state in ('failed', 'retry') and j.output->>'message' is not null
        and coalesce(j.completed_on, j.started_on) > now() - interval '1 day'`,
  )
  if (message === null) return []
  return [found('jobs_failed', { count: String(count), message: message.replace(/\.$/, '') })]
}
