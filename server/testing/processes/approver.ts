import { pino } from 'pino'
import { buildApp } from '../../app.ts'
import { connect } from '../../platform/db/client.ts'
import { readEnv } from '../../platform/env.ts'
import { startJobs } from '../../platform/jobs/queue.ts'
import { keysOf } from '../../platform/keys.ts'
import { openStorage } from '../../platform/storage/storage.ts'

/**
 * A server process that does one thing, for tests that kill it: it sends the request in `ASK` ({token, url, body}). Says `working`
 * just before and the status afterwards.
 */
const { token, url, body } = JSON.parse(process.env['ASK'] ?? '') as {
  token: string
  url: string
  body: object
}
const env = readEnv()
const log = pino({ level: env.logLevel })
const database = env.databaseUrl ?? ''
const db = connect(database)
const app = await buildApp(
  {
    env,
    db,
    jobs: await startJobs(db, { supervise: false, log }),
    keys: keysOf(env.secretKey ?? ''),
    storage: openStorage(env, db),
    log,
    publicUrl: () => 'http://localhost:3000',
  },
  log,
)
await app.ready()
process.stdout.write('working\n')
const headers = { authorization: `Bearer ${token}` }
const { statusCode } = await app.inject({ method: 'POST', url, headers, payload: body })
process.stdout.write(`${statusCode}\n`)
