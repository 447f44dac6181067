import { pino } from 'pino'
import { connect } from '../../platform/db/client.ts'
import { readEnv } from '../../platform/env.ts'
import type { Services } from '../../platform/http/services.ts'
import { startJobs } from '../../platform/jobs/queue.ts'
import { keysOf } from '../../platform/keys.ts'
import { openStorage } from '../../platform/storage/storage.ts'
import { startOperations } from '../../operations/run.ts'
import { startAssignments } from '../../assignments/plan.ts'
import { startSending } from '../../transmissions/sender/send.ts'
import { kinds } from '../../worker.ts'

/** A process that only plans assignments, sends and works on operations, for tests that kill it. Says `working` when it has begun; ends on SIGTERM. */
const env = readEnv()
const log = pino({ level: env.logLevel })
const url = env.databaseUrl ?? ''
const db = connect(url)
const services: Services = {
  env,
  db,
  jobs: await startJobs(db, { supervise: false, log }),
  keys: keysOf(env.secretKey ?? ''),
  storage: openStorage(env, db),
  log,
  publicUrl: () => 'http://localhost:3000',
}
const working = [
  startAssignments(services),
  await startSending(services),
  await startOperations(services, kinds),
]
process.stdout.write('working\n')
process.on('SIGTERM', () => {
  void Promise.all(working.map((part) => part.stop()))
    .then(() => services.jobs.stop(0))
    .then(() => services.db.close())
})
