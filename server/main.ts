import '../run/requireNode.mjs'
import { once } from 'node:events'
import { createServer, isIPv6, type AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp } from './app.ts'
import { backUpBeforeMigration } from './backup/before.ts'
import { requireWhole } from './backup/restore/restore.ts'
import { createSuperadmin, ensureSetupLink } from './identity/sign-in/setup.ts'
import { failuresIn } from './platform/failures.ts'
import { connect } from './platform/db/client.ts'
import { startEmbedded } from './platform/db/embedded/embedded.ts'
import { migrateDatabase } from './platform/db/migrate.ts'
import { requireWay } from './platform/db/preconditions.ts'
import { addressesOf, type Addresses } from './platform/db/roles.ts'
import { isDiskFull } from './platform/errors.ts'
import { makeDataDir } from './platform/data-dir.ts'
import { readEnv, warningsOf, type Env } from './platform/env.ts'
import type { Services } from './platform/http/services.ts'
import { installJobs, startJobs } from './platform/jobs/queue.ts'
import { serveMetrics } from './platform/metrics/serve.ts'
import { readOptions, type Options } from './platform/options.ts'
import { fillDemo } from './sample/demo.ts'
import { describeBoundary } from './media/boundary.ts'
import { openLog, say } from './platform/terminal.ts'
import { requireFitOfOwner, takeSecret, watchFit } from './secret/fit.ts'
import { settleSecret } from './secret/settle.ts'
import { requirePlace, watchPlace } from './platform/storage/place.ts'
import { openStorage } from './platform/storage/storage.ts'
import { settleTemporary } from './platform/temporary.ts'
import { beginTracing } from './platform/tracing/trace.ts'
import { startMediaProcess } from './videos/media-process.ts'
import { startWorker, type Running } from './worker.ts'

// V8 lets the heap grow to almost four times what lives in it before it takes away what does not. At half as much again, an import of
// 100,000 people peaks at 233 MB instead of 371, and a process that serves lists at 215 instead of 235 to 294, for the same CPU time.
// NODE_OPTIONS has no word for it.
setFlagsFromString('--heap-growing-percent=50')

/** What converts needs no look of its own: it holds no secret, and ends with the process that started it. */
const lookEveryMs = 60_000
/** Nobody stands by who would end a process that cannot come to an end, as after a signal. */
const longestGoodbyeMs = 60_000

/** Parts in the order in which they were started; they stop in the reverse order. */
const parts: { name: string; stop(): Promise<unknown> }[] = []

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  const env = readEnv(options.demo ? demoEnvironment() : process.env)
  requireWhole(env.dataDir)
  if (env.run.has('api') && !options.migrateOnly) await requireFreePort(env)
  makeDataDir(env.dataDir)
  const log = openLog(env)
  const tell = (sentence: string) => log.warn(sentence)
  const temporary = settleTemporary(env.dataDir)
  for (const warning of [...warningsOf(), temporary]) if (warning) log.warn(warning)
  if (env.isTraced) add('traces', await beginTracing())
  const database = env.databaseUrl ? undefined : await startEmbedded({ dataDir: env.dataDir, tell, onLost })
  if (database) parts.push({ name: 'database', stop: () => database.stop() })
  say(database ? `The database runs: ${database.dataDir}` : 'The database is the one of DATABASE_URL.')
  const addresses = addressesOf(env, database?.url)
  if (addresses.owner !== undefined) await requireFitOfOwner(addresses.owner, env)
  if (!options.noBackup) await backUpBeforeMigration(env, addresses)
  await migrateDatabase(addresses, installJobs, tell)
  if (!database) await requireWay(addresses.serving, env.databasePool)
  say('Its tables are those of this release.')
  if (options.migrateOnly) return end()
  const services = await buildServices({ env, addresses, log })
  await settleSecret(services.db, services.keys)
  if (options.superadmin) await nameSuperadmin(services, options.superadmin)
  if (env.metricsPort !== undefined) {
    const metrics = await serveMetrics(services).catch((error: Error) => {
      throw new Error(`METRICS_PORT: the metrics cannot be there (${error.message}). Choose another port.`)
    })
    parts.push({ name: 'metrics', stop: () => metrics.close() })
  }
  if (env.run.has('api')) await serve(services, log)
  if (options.demo) await fillDemo(services)
  if (env.run.has('worker')) add('worker', await startWorker(services))
  if (env.run.has('media')) {
    console.log(await describeBoundary())
    add('media', startMediaProcess(services))
  }
  const watch = { everyMs: lookEveryMs, end: (why: Error) => endFor(why, log) }
  add('secret', watchFit(services, watch))
  add('place of files', watchPlace(services, { ...watch, log }))
  say(`Running: ${[...env.run].join(', ')}. The log is in ${path.join(env.dataDir, 'server.log')}`)
  await greet(services, options)
}

/** What was to be done at the start is done. */
async function end(): Promise<void> {
  await stopParts()
  process.exit(0)
}

async function nameSuperadmin(services: Services, given: NonNullable<Options['superadmin']>): Promise<void> {
  const done = await createSuperadmin(services, given)
  if (done === 'there')
    console.log(`The superadmin ${given.email} exists already; nothing was changed, the password included.`)
}

/** Looked at before anything is changed: whoever cannot serve must not migrate. */
async function requireFreePort({ host, port }: Env): Promise<void> {
  const probe = createServer().listen({ host, port })
  await once(probe, 'listening').catch((error: unknown) => {
    throw listenFault(error, { host, port })
  })
  await new Promise((resolve) => {
    probe.close(resolve)
  })
}

/** Why nobody can listen there, by the code of the system. */
const listenFaults: Record<string, (at: Pick<Env, 'host' | 'port'>) => string> = {
  EADDRINUSE: ({ port }) =>
    `Port ${port} is taken by another program. Choose another one, for example: PORT=${port + 1} npm start`,
  EACCES: ({ port }) =>
    `This user may not listen on port ${port}. Choose one above 1023, for example: PORT=3000 npm start`,
  EADDRNOTAVAIL: ({ host }) =>
    `HOST: this machine has no address ${host}. HOST=0.0.0.0 listens on all it has.`,
  EAFNOSUPPORT: ({ host }) => `HOST: this machine knows no addresses such as ${host}. Try HOST=0.0.0.0.`,
  ENOTFOUND: ({ host }) => `HOST: nobody knows the name ${host}. HOST=0.0.0.0 listens on every address.`,
  EAI_AGAIN: ({ host }) => `HOST: nobody knows the name ${host}. HOST=0.0.0.0 listens on every address.`,
}

function listenFault(error: unknown, at: Pick<Env, 'host' | 'port'>): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const sentence = listenFaults[code]?.(at)
  return sentence === undefined ? error : new Error(sentence)
}

/** Without a database there is nothing left to hand back. */
function onLost(reason: Error): never {
  console.error(`\n${reason.message}\n`)
  process.exit(1)
}

function add(name: string, running: Running): void {
  parts.push({ name, stop: () => running.stop() })
}

/** The demo stays on this computer and away from real data. */
function demoEnvironment(): Record<string, string | undefined> {
  return { ...process.env, DATA_DIR: process.env['DATA_DIR'] ?? path.join('data', 'demo'), HOST: '127.0.0.1' }
}

type StartContext = { env: Env; addresses: Addresses; log: Logger }
/** Where an api of this configuration is met, until one listens here: a worker alone writes the same address into its mails. */
let listening = ''

async function buildServices({ env, addresses, log }: StartContext): Promise<Services> {
  listening = addressFor(env.host, env.port)
  const { databaseConnections: connections, databasePool: pooling } = env
  const db = connect(addresses.serving, { connections, pooling, directUrl: addresses.direct })
  parts.push({ name: 'connections', stop: () => db.close() })
  const keys = await takeSecret(db, env)
  const jobs = await startJobs(db, { supervise: env.run.has('worker'), log })
  parts.push({ name: 'jobs', stop: () => jobs.stop() })
  const storage = openStorage(env, db)
  parts.push({ name: 'files', stop: () => storage.close() })
  await requirePlace({ env, db, storage })
  await storage.closeToOthers().catch((error: unknown) => {
    for (const one of failuresIn(error))
      log.error({ err: one }, 'a file could not be closed to other users of this machine')
  })
  return {
    env,
    db,
    jobs,
    storage,
    keys,
    log,
    publicUrl: () => env.publicUrl ?? listening,
  }
}

async function serve(services: Services, log: StartContext['log']): Promise<void> {
  const app: FastifyInstance = await buildApp(services, log)
  const { host, port } = services.env
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw listenFault(error, { host, port })
  }
  parts.push({ name: 'api', stop: () => app.close() })
  drain = async () => {
    app.isLeaving = true
    await pause(services.env.drainSeconds * 1_000)
  }
  const address = app.server.address() as AddressInfo
  listening = addressFor(host, address.port)
}

/** As a browser takes it; whoever listens everywhere is met on this machine. */
function addressFor(host: string, port: number): string {
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : isIPv6(host) ? `[${host}]` : host
  return `http://${name}:${port}`
}

async function greet(services: Services, options: Options): Promise<void> {
  const url = services.publicUrl()
  const setup = await ensureSetupLink(services)
  console.log(`\nSendreel is ready at ${url}`.replace('Sendreel', services.env.productName))
  if (setup) console.log(`Create the first administrator: ${url}/auth-1/sign-up?setup=${setup}`)
  if (options.demo) console.log(demoAccounts)
  console.log('')
}

const demoAccounts = `
Sign in as one of these, all with the passphrase: sendreel demo passphrase
  superadmin@demo.test   everything
  admin@demo.test        one organization
  groupadmin@demo.test   groups of the same organization`

/** Says for a while that this process is leaving, before its port closes. */
let drain = (): Promise<void> => Promise.resolve()

let stopping = false
/** Hands leases back, and stops what this process started; a second signal ends at once. At a keyboard nobody waits for a balancer. */
async function stop(signal: NodeJS.Signals): Promise<void> {
  if (stopping) process.exit(1)
  stopping = true
  if (signal === 'SIGTERM') await drain()
  await stopParts()
  process.exit(0)
}

/** The same for a reason of its own, with the code of a failure, so that whoever looks after this process starts it anew. */
function endFor(why: Error, log: Logger): void {
  if (stopping) return
  stopping = true
  log.error(why.message)
  setTimeout(() => process.exit(1), longestGoodbyeMs).unref()
  void stopParts().then(() => process.exit(1))
}

async function stopParts(): Promise<void> {
  for (const part of parts.toReversed())
    await part.stop().catch((error: unknown) => console.error(`Stopping ${part.name}:`, error))
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(signal))

main().catch(async (error: unknown) => {
  const words = error instanceof Error ? error.message : String(error)
  console.error(
    `\n${isDiskFull(error) ? `The disk is full: make room and start again (${words}).` : words}\n`,
  )
  await stopParts()
  process.exit(1)
})
