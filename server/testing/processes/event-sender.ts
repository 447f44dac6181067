import { pino } from 'pino'
import { startEvents } from '../../events/start.ts'
import { connect } from '../../platform/db/client.ts'
import { readEnv } from '../../platform/env.ts'
import { startJobs } from '../../platform/jobs/queue.ts'
import { keysOf } from '../../platform/keys.ts'
import { openStorage } from '../../platform/storage/storage.ts'

/** A process that only posts events, for tests that kill it. Says `working` when it has begun; ends on SIGTERM. */
const env = readEnv()
const log = pino({ level: env.logLevel })
const db = connect(env.databaseUrl ?? '')
const jobs = await startJobs(db, { supervise: false, log })
const events = startEvents({
  env,
  db,
  jobs,
  keys: keysOf(env.secretKey ?? ''),
  storage: openStorage(env, db),
  log,
  publicUrl: () => 'http://localhost:3000',
})
process.stdout.write('working\n')
process.on('SIGTERM', () => {
  void events
    .stop()
    .then(() => jobs.stop(0))
    .then(() => db.close())
})
