import { pino } from 'pino'
import { buildApp } from '../../app.ts'
import { connect } from '../../platform/db/client.ts'
import { readEnv } from '../../platform/env.ts'
import { startJobs } from '../../platform/jobs/queue.ts'
import { keysOf } from '../../platform/keys.ts'
import { openStorage } from '../../platform/storage/storage.ts'

/** A server for tests that must kill one: listens on PORT, tells its port to the parent, and stops with it. */
async function main(): Promise<void> {
  const env = readEnv()
  const url = env.databaseUrl ?? ''
  const db = connect(url)
  const log = pino({ level: env.logLevel })
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
  await app.listen({ port: env.port, host: '127.0.0.1' })
  process.on('disconnect', () => process.exit(0))
  process.send?.({ port: Number(new URL(app.listeningOrigin).port), rss: process.memoryUsage().rss })
}

await main()
