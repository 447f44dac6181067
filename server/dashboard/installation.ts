import { statfs } from 'node:fs/promises'
import * as z from 'zod/mini'
import { healthLimits, type HealthState, readInstallation } from '#contract/dashboard.ts'
import type { Reply } from '#contract/endpoint.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import type { Services } from '../platform/http/services.ts'
import { hasMailServer } from '../platform/jobs/mail-server.ts'
import { boundary } from '../media/boundary.ts'
import { version } from '../platform/version.ts'

type Installation = Reply<typeof readInstallation>
type Limit = { warning: number; failing: number }
const Jobs = z.object({
  waiting: z.number(),
  running: z.number(),
  oldestSeconds: z.nullable(z.number()),
  failedDay: z.number(),
})
type Jobs = z.infer<typeof Jobs>
const InstallationCounts = z.object({
  bytes: z.number(),
  postgres: z.string(),
  queue: Jobs,
  media: Jobs,
  mail: z.pick(readInstallation.reply.shape.mail, {
    waiting: true,
    oldestSeconds: true,
    failedDay: true,
    slowed: true,
    failingSince: true,
  }),
  audit: z.omit(readInstallation.reply.shape.audit, { state: true }),
})
type InstallationCounts = z.infer<typeof InstallationCounts>

/** Null is nothing that waits. */
function atMost(value: number | null, { warning, failing }: Limit): HealthState {
  if (value === null || value < warning) return 'ok'
  return value < failing ? 'warning' : 'failing'
}

const age = (from: SQL) => sql`extract(epoch from now() - ${from})::float8`

/** Jobs of pg-boss; those that wait for their time are not late. */
function jobs(condition: SQL): SQL {
  const due = sql`j.state in ('created', 'retry') and j.start_after <= now()`
  return sql`(select json_build_object('waiting', count(*) filter (where ${due})::int,
      'running', count(*) filter (where j.state = 'active')::int,
      'oldestSeconds', ${age(sql`min(greatest(j.start_after, j.created_on)) filter (where ${due})`)},
      'failedDay', count(*) filter (where j.state = 'failed' and j.completed_on > now() - interval '1 day')::int)
    from pgboss.job j where ${condition})`
}

const lateMail = sql`m.state = 'queued' and m.due_at <= now()`

function count(tx: Tx): Promise<InstallationCounts | undefined> {
  return row(
    tx,
    InstallationCounts,
    sql`select pg_database_size(current_database())::float8 as bytes,
      split_part(current_setting('server_version'), ' ', 1) as postgres,
      ${jobs(sql`j.name not in ('video.process', 'captions.recognise')`)} as queue, ${jobs(sql`j.name = 'video.process'`)} as media,
      (select json_build_object('waiting', (select count(*) from mails m where m.state in ('queued', 'sending')),
        'oldestSeconds', (select ${age(sql`min(m.due_at)`)} from mails m where ${lateMail}),
        'failedDay', (select count(*) from mails m where m.state = 'failed' and m.created_at > now() - interval '1 day'),
        'slowed', (select count(*) from send_lanes l where l.failures = 0 and (l.state = 'closed' or l.backoff_until > now())),
        'failingSince', (select ${isoText(sql`min(l.failing_since)`)} from send_lanes l))) as mail,
      (select json_build_object('sealedAt', (select ${isoText(sql`c.sealed_at`)} from audit_chain c order by c.seq desc limit 1),
        'waiting', (select count(*) from audit_unsealed), 'oldestSeconds', (select ${age(sql`min(a.at)`)} from audit a
          where a.id = (select u.audit_id from audit_unsealed u order by u.audit_id limit 1)))) as audit`,
  )
}

/** Of the folder of the data: as an unprivileged program may use it. */
export async function diskOf(folder: string): Promise<Installation['disk']> {
  const known = await statfs(folder).catch(() => null)
  if (!known || known.blocks === 0) return { state: 'warning', freeBytes: null, totalBytes: null }
  const { warning, failing } = healthLimits.diskFree
  const free = known.bavail / known.blocks
  return {
    state: free < failing ? 'failing' : free < warning ? 'warning' : 'ok',
    freeBytes: known.bavail * known.bsize,
    totalBytes: known.blocks * known.bsize,
  }
}

function mailOf(mail: InstallationCounts['mail'], hasServer: boolean): Installation['mail'] {
  const state = atMost(mail.oldestSeconds, healthLimits.mailSeconds)
  return {
    ...mail,
    hasServer,
    state:
      state === 'ok' && (mail.slowed > 0 || mail.failingSince !== null || !hasServer) ? 'warning' : state,
  }
}

/** Whether the media process works shows only when there is something to do: while it does one video, others may wait. */
function mediaOf(media: Jobs): Installation['media'] {
  const oldestSeconds = media.running > 0 ? null : media.oldestSeconds
  return { ...media, oldestSeconds, state: atMost(oldestSeconds, healthLimits.mediaSeconds) }
}

export async function installationOf(tx: Tx, { env }: Services): Promise<Installation> {
  const [disk, begun] = [await diskOf(env.dataDir), performance.now()]
  await tx.execute(sql`select 1`)
  const answerMs = performance.now() - begun
  const counted = await count(tx)
  if (!counted) throw refuse('not_found')
  const { bytes, postgres, queue, media, mail, audit } = counted
  return {
    version,
    node: process.versions.node,
    database: { version: postgres, bytes, answerMs, state: atMost(answerMs, healthLimits.databaseMs) },
    queue: { ...queue, state: atMost(queue.oldestSeconds, healthLimits.queueSeconds) },
    disk,
    mail: mailOf(mail, await hasMailServer(tx, env)),
    audit: { ...audit, state: atMost(audit.oldestSeconds, healthLimits.auditSeconds) },
    media: mediaOf(media),
    boundary: { state: (await boundary()).kind === 'none' ? 'warning' : 'ok' },
  }
}
