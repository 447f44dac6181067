import { rm } from 'node:fs/promises'
import { migrateDatabase } from '../../platform/db/migrate.ts'
import { addressesOf } from '../../platform/db/roles.ts'
import { installJobs } from '../../platform/jobs/queue.ts'
import { openFolder } from '../processes/process.ts'
import { openTestServer, type TestServer } from '../server.ts'
import { startEngine } from './engines.ts'
import { startPair } from './pair.ts'
import { startPooler } from './pooler.ts'

/** An installation on a PostgreSQL of its own, and the settings by which a process finds that. */
export type Installed = {
  owner: TestServer
  settings: Record<string, string>
  failOver?: () => Promise<number>
}

const database = 'training'

/** PostgreSQL 17 behind a pooler in transaction mode. */
export async function startPooled(): Promise<Installed> {
  const engine = await startEngine({ major: '17' })
  await engine.run('postgres', `create database ${database}`)
  const { owner, ownerUrl, serving } = await installed(engine.url(database), () => engine.stop())
  const { username: name, password } = new URL(serving)
  const pooler = await startPooler({ port: engine.port, mode: 'transaction', roles: [{ name, password }] })
  const close = async () => {
    await pooler.stop()
    await owner.close()
  }
  return {
    owner: { ...owner, close },
    settings: {
      DATABASE_URL: serving.replace(`:${engine.port}/`, `:${pooler.port}/`),
      DATABASE_DIRECT_URL: serving,
      DATABASE_OWNER_URL: ownerUrl,
      DATABASE_POOL: 'transaction',
    },
  }
}

/** A primary of PostgreSQL 17 with a standby that confirms each commit, by one address. */
export async function startWithStandby(): Promise<Installed> {
  const pair = await startPair('17')
  await pair.primary.run('postgres', `create database ${database}`)
  const { owner, ownerUrl } = await installed(pair.url(database), () => pair.stop())
  return { owner, settings: { DATABASE_URL: ownerUrl }, failOver: () => pair.failOver() }
}

async function installed(ownerUrl: string, stop: () => Promise<void>) {
  const { serving } = addressesOf({ databaseUrl: ownerUrl })
  await migrateDatabase({ owner: ownerUrl, serving, direct: serving }, installJobs)
  const dataDir = await openFolder()
  const opened = await openTestServer({ ownerUrl, dataDir })
  const close = async () => {
    await opened.close()
    await stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { owner: { ...opened, close }, ownerUrl, serving }
}
