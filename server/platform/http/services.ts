import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/client.ts'
import type { Env } from '../env.ts'
import type { Jobs } from '../jobs/queue.ts'
import type { Keys } from '../keys.ts'
import type { Storage } from '../storage/storage.ts'

/** What features are given; built once per process. */
export type Services = {
  env: Env
  db: Database
  jobs: Jobs
  keys: Keys
  storage: Storage
  log: FastifyBaseLogger
  /** Origin for links in mails, without a slash at the end; known once the server listens. */
  publicUrl(): string
}
