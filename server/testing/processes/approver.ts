import { pino } from 'pino'
import { buildApp } from '../../app.ts'
import { connect } from '../../platform/db/client.ts'
import { readEnv } from '../../platform/env.ts'
import { startJobs } from '../../platform/jobs/queue.ts'
import { keysOf } from '../../platform/keys.ts'
import { localStorage } from '../../platform/storage/local.ts'

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
const app = await buildApp(
  {
    env,
    db: connect(database, { max: 3 }),
    jobs: await startJobs(database, { supervise: false, log }),
    keys: keysOf(env.secretKey ?? ''),
    storage: localStorage(env.dataDir),
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
