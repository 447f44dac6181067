import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { jobKinds, JobFailure, type JobKind, type readJobs } from '#contract/platform/upkeep.ts'
import { arrayOf, row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { audit, ofInstallation, type Actor } from '../platform/http/audit.ts'
import type { Services } from '../platform/http/services.ts'

type Jobs = Reply<typeof readJobs>
const CountedJobs = z.object({
  kind: JobFailure.shape.kind,
  waiting: z.number(),
  later: z.number(),
  running: z.number(),
  failed: z.number(),
  oldestSeconds: z.nullable(z.number()),
  lastError: z.nullable(z.string()),
})

const kinds = Object.keys(jobKinds) as JobKind[]
const nothing = { waiting: 0, later: 0, running: 0, failed: 0, oldestSeconds: null, lastError: null }

/** What a job has failed of; where its worker was killed, the queue says so. */
const message = sql`left(coalesce(j.output->>'message', j.output->'value'->>'message'), 300)`

/** All kinds, in the order of the contract, also those of which there is nothing. */
export async function jobsOf(tx: Tx): Promise<Jobs> {
  const counted = await rows(
    tx,
    CountedJobs,
    sql`select j.name as kind, count(*) filter (where w.due)::int as waiting,
        count(*) filter (where w.open and not w.due)::int as later,
        count(*) filter (where j.state = 'active')::int as running, count(*) filter (where j.state = 'failed')::int as failed,
        extract(epoch from now() - min(greatest(j.start_after, j.created_on)) filter (where w.due))::float8 as "oldestSeconds",
        (array_agg(${message} order by coalesce(j.completed_on, j.started_on) desc)
          filter (where j.state in ('failed', 'retry') and ${message} is not null))[1] as "lastError"
      from pgboss.job j
      cross join lateral (select j.state in ('created', 'retry') as open,
        j.state in ('created', 'retry') and j.start_after <= now() as due) w
      where j.name = any(${arrayOf(kinds, 'text')}) group by j.name`,
  )
  const byKind = new Map(counted.map((one) => [one.kind, one]))
  return {
    kinds: kinds.map((kind) => ({ ...nothing, ...byKind.get(kind), kind })),
    failures: await failures(tx),
  }
}

function failures(tx: Tx): Promise<JobFailure[]> {
  return rows(
    tx,
    JobFailure,
    sql`select j.id, j.name as kind, ${isoText(sql`coalesce(j.completed_on, j.created_on)`)} as at,
        ${message} as message, o.name as "organizationName",
        case when v.id is not null then json_build_object('id', v.id, 'title', v.title) end as video,
        case when t.id is not null then json_build_object('id', t.id, 'subject', message_name(t)) end as transmission
      from pgboss.job j
      left join videos v on v.id::text = j.data->>'videoId' and v.deleted_at is null
      left join transmissions t on t.id::text = j.data->>'transmissionId'
      left join organizations o on o.id::text = j.data->>'organizationId'
      where j.state = 'failed' and j.name = any(${arrayOf(kinds, 'text')})
      order by j.completed_on desc nulls last, j.id limit 50`,
  )
}

const JobRow = z.object({ kind: JobFailure.shape.kind, isDoubled: z.boolean() })

/** Refuses what has not failed, what nobody may begin again from here, and what waits or runs once more already. */
export async function tryAgain(
  tx: Tx,
  { jobs }: Services,
  asked: { jobId: string; by: Actor },
): Promise<Jobs> {
  const { jobId, by } = asked
  const found = await row(
    tx,
    JobRow,
    sql`select j.name as kind, exists (select from pgboss.job other where other.name = j.name and other.state in ('created', 'retry', 'active')
          and other.singleton_key is not distinct from j.singleton_key) as "isDoubled"
      from pgboss.job j where j.id = ${jobId} and j.state = 'failed' and j.name = any(${arrayOf(kinds, 'text')}) for update of j`,
  )
  if (!found) throw refuse('conflict', { reason: { code: 'job_not_failed' } })
  const { kind, isDoubled } = found
  if (jobKinds[kind] !== 'offered') throw refuse('conflict', { reason: { code: 'job_not_repeatable' } })
  if (isDoubled) throw refuse('conflict', { reason: { code: 'job_waits_already' } })
  await jobs.retry(tx, kind, jobId)
  await audit(tx, by, { ...ofInstallation, action: 'job.retried', after: { kind } })
  return jobsOf(tx)
}
