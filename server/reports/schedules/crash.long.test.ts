import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createReportSchedule } from '#contract/reports/report-schedules.ts'
import { guard } from '../../platform/db/embedded/embedded-server.ts'
import { secret } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { sendDueReports } from './send.ts'

const server = await aServer()
const { query: sql } = server

function startReporter() {
  const reporter = spawn(
    process.execPath,
    [path.resolve(import.meta.dirname, '../../testing/processes/reporter.ts')],
    {
      env: {
        ...process.env,
        DATABASE_URL: server.services.db.url,
        SECRET_KEY: secret,
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  guard(reporter, { detached: true })
  return reporter
}

/** Until a statement of the reporter waits for a lock that somebody else holds. */
async function untilItWaits(): Promise<void> {
  const waiting = `select 1 from pg_locks where not granted and relation = 'mails'::regclass
    and database = (select oid from pg_database where datname = current_database())`
  await expect.poll(async () => (await sql(waiting)).length, { timeout: 90_000 }).toBeGreaterThan(0)
}

const state = (id: string) =>
  sql(
    `select tries, last_sent_at is null as unsent, next_at <= now() as due, retry_at > now() as held from report_schedules where id = $1`,
    [id],
  )
const mails = () => sql('select id from mails')

test('killed while it queues the mail, a report is neither lost nor sent twice', async () => {
  const { admin } = await anOrganization(server)
  const body = {
    report: 'user-engagement',
    view: {},
    rhythm: 'daily',
    hour: 7,
    period: 'day',
    formats: ['csv'],
  }
  const { id } = (await admin.call(createReportSchedule, { body: body as never })).body
  await sql(`update report_schedules set next_at = date_trunc('milliseconds', now()) where id = $1`, [id])

  const holder = await server.services.db.system.connect()
  await holder.query('begin')
  await holder.query('lock table mails in exclusive mode')
  const reporter = startReporter()
  await untilItWaits()
  const gone = once(reporter, 'exit')
  reporter.kill('SIGKILL')
  await gone
  await holder.query('rollback')
  holder.release()

  expect(await mails()).toEqual([])
  expect(await state(id)).toEqual([{ tries: 1, unsent: true, due: true, held: true }])
  const run = () => sendDueReports(server.services, new AbortController().signal)
  // Others leave it alone until it is certain that whoever began is gone.
  await run()
  expect(await mails()).toEqual([])
  await sql(`update report_schedules set retry_at = now() where id = $1`, [id])
  await Promise.all([run(), run()])
  expect(await mails()).toHaveLength(1)
  expect(await state(id)).toEqual([{ tries: 0, unsent: false, due: false, held: null }])
  await run()
  expect(await mails()).toHaveLength(1)
})
