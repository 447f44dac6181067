import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Services } from '../platform/http/services.ts'
import { killGroup } from '../platform/programs.ts'
import { alsoMeasured, measureRequest, type Measured } from '../platform/metrics/registry.ts'

export type MediaProcess = {
  /** Of the present child; undefined between two. */
  pid(): number | undefined
  stop(): Promise<void>
}

const entry = path.resolve(import.meta.dirname, '../media-main.ts')
const firstDelayMs = 500
const longestDelayMs = 30_000
const healthyMs = 60_000
const graceMs = 8_000

/**
 * Runs the media process as a child and starts it again when it dies, a little later each time until one has lived a minute. It
 * leads a process group of its own: whatever it had started dies with it, and a Ctrl-C reaches it through `stop` only.
 */
export function startMediaProcess({ env, db, log }: Pick<Services, 'env' | 'db' | 'log'>): MediaProcess {
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let delay = firstDelayMs

  function start(): void {
    const startedAt = Date.now()
    const born = spawn(process.execPath, [entry], {
      env: {
        ...process.env,
        DATABASE_URL: db.url,
        DATABASE_URL_FILE: '',
        DATABASE_DIRECT_URL: db.directUrl === db.url ? '' : db.directUrl,
        DATABASE_DIRECT_URL_FILE: '',
        DATABASE_OWNER_URL: '',
        DATABASE_OWNER_URL_FILE: '',
        DATA_DIR: env.dataDir,
        LOG_LEVEL: env.logLevel,
        MEDIA_WORKERS: String(env.mediaWorkers),
        ...(env.whisper && {
          WHISPER_MODEL: env.whisper.file,
          WHISPER_MODEL_SHA256: env.whisper.sha256,
        }),
        WHISPER_THREADS: String(env.whisperThreads),
        METRICS_PORT: '',
        RUN: 'media',
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    })
    child = born
    born.on('error', (error) => {
      log.error({ err: error }, 'media process not started')
      // A machine that is short of processes begins none, and then nothing ends.
      if (born.pid === undefined) again({ code: null, signal: null })
    })
    born.on('exit', (code, signal) => {
      killGroup(born.pid)
      again({ code, signal })
    })

    function again(ended: { code: number | null; signal: NodeJS.Signals | null }): void {
      child = undefined
      if (stopped) return
      delay = Date.now() - startedAt > healthyMs ? firstDelayMs : Math.min(delay * 2, longestDelayMs)
      log.warn({ ...ended, delay }, 'media process ended; starting it again')
      timer = setTimeout(start, delay)
    }
  }

  start()
  alsoMeasured(() => measuredBy(child))
  return {
    pid: () => child?.pid,
    async stop() {
      stopped = true
      clearTimeout(timer)
      const last = child
      if (!last) return
      const ended = new Promise((resolve) => last.once('exit', resolve))
      last.kill('SIGTERM')
      const force = setTimeout(() => killGroup(last.pid), graceMs)
      await ended
      clearTimeout(force)
    },
  }
}

const answerMs = 1_000

/** Nothing from a child that is not there, or too busy to answer. */
async function measuredBy(child: ChildProcess | undefined): Promise<Measured> {
  if (!child?.connected) return []
  const answered = once(child, 'message', { signal: AbortSignal.timeout(answerMs) })
  child.send(measureRequest)
  return answered.then(
    ([measured]) => measured as Measured,
    () => [],
  )
}
