import { pino } from 'pino'
import { connect } from '../../platform/db/client.ts'
import { readEnv } from '../../platform/env.ts'
import { startJobs } from '../../platform/jobs/queue.ts'
import { keysOf } from '../../platform/keys.ts'
import { sendDueReports } from '../../reports/schedules/send.ts'
import { openStorage } from '../../platform/storage/storage.ts'

/** A process that sends the reports that are due and ends, for tests that kill it on the way. */
const env = readEnv()
const log = pino({ level: env.logLevel })
const url = env.databaseUrl ?? ''
const db = connect(url)
const services = {
  env,
  db,
  jobs: await startJobs(db, { supervise: false, log }),
  keys: keysOf(env.secretKey ?? ''),
  storage: openStorage(env, db),
  log,
  publicUrl: () => 'http://localhost:3000',
}
await sendDueReports(services, new AbortController().signal)
await services.jobs.stop(0)
await services.db.close()
