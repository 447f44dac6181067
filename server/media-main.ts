import os from 'node:os'
import { describeEngine } from './media/engines.ts'
import { connect } from './platform/db/client.ts'
import { readEnv } from './platform/env.ts'
import { toTheEnd } from './platform/failures.ts'
import { startJobs } from './platform/jobs/queue.ts'
import { startLoop } from './platform/loop.ts'
import { answerParent, beginMeasuring } from './platform/metrics/registry.ts'
import { requirePlace } from './platform/storage/place.ts'
import { openStorage } from './platform/storage/storage.ts'
import { beginTracing } from './platform/tracing/trace.ts'
import { openLog } from './platform/terminal.ts'
import { healRecognitions, recogniseVersion } from './videos/speech/work.ts'
import { healProcessing, probeVideo, processVideo, resumeStalled } from './videos/process.ts'

const healEveryMs = 15_000
const longestGoodbyeMs = 7_000
/** Looking at a file takes moments, and somebody waits for the answer. */
const probesAtOnce = 2

/** The media process: turns sources into what plays, at low priority, and may be killed at any time. */
async function main(): Promise<void> {
  const env = readEnv()
  if (env.databaseUrl === undefined) throw new Error('The media process needs DATABASE_URL.')
  os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL)
  if (env.metricsToken !== undefined || process.send) beginMeasuring('media')
  answerParent()
  const log = openLog(env).child({ name: 'media' })
  const traces = env.isTraced ? await beginTracing() : undefined
  const { databaseConnections: connections, databasePool: pooling } = env
  const db = connect(env.databaseUrl, { connections, pooling, directUrl: env.databaseDirectUrl })
  const storage = openStorage(env, db)
  await requirePlace({ env, db, storage })
  const jobs = await startJobs(db, { supervise: true, log })
  const services = { db, jobs, storage, log, env }
  const stopping = new AbortController()

  // What a process of this machine had in hand when it died need not wait until its heartbeat is missed.
  for (const id of await storage.scratch.sweep()) {
    await jobs.giveBack('video.process', { versionId: id })
    await jobs.giveBack('captions.recognise', { recognitionId: id })
  }
  // Before this process began, somebody may have mended what others stumbled over.
  let wasBroken = true
  const healing = startLoop({ log, failure: 'healing failed' }, async () => {
    await toTheEnd([
      () => healProcessing(services),
      () => healRecognitions(services),
      async () => {
        wasBroken = await resumeStalled(services, wasBroken)
      },
    ])
    return healEveryMs
  })

  const stop = async () => {
    if (stopping.signal.aborted) return
    stopping.abort()
    // The database may be gone already and never answer; what is unfinished is taken up again elsewhere.
    setTimeout(() => process.exit(0), longestGoodbyeMs).unref()
    await healing.stop()
    await jobs.stop(5_000)
    await storage.close()
    await db.close()
    await traces?.stop()
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
  // The channel to the process that started this one closes when that dies, however it dies.
  process.on('disconnect', () => void stop())
  // It may have died before this process came so far as to listen.
  if (process.send && !process.connected) await stop()

  await jobs.work('video.probe', (key) => probeVideo(services, key), probesAtOnce)
  await jobs.work(
    'video.process',
    (key, signal) => processVideo(services, key, AbortSignal.any([signal, stopping.signal])),
    env.mediaWorkers,
  )
  // One at a time: a model takes much memory, and threads of its own.
  await jobs.work('captions.recognise', (key, signal) =>
    recogniseVersion(services, key, AbortSignal.any([signal, stopping.signal])),
  )
  log.info('media process ready')
  await describeEngine().then(
    (sentence) => log.info(sentence),
    (error: unknown) => log.error({ err: error }, 'this installation cannot convert videos'),
  )
}

await main()
