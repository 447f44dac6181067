import type { Services } from '../platform/http/services.ts'
import { damagedExitCode, sweepChecks } from './check.ts'
import { runChild } from './child.ts'
import { checksIn, findBackups, uncheckedIn } from './list.ts'
import {
  beginCheckIfDue,
  beginIfDue,
  noteChecks,
  tellCheckEnd,
  tellEnd,
  tellProgress,
  type BackupRetention,
} from './plan.ts'

/**
 * Backups at their hour and when somebody asks, and checks of them, each by a process of its own; among servers, one at a time. Every hour
 * what is due is found, also what ended with a server.
 */
export async function startBackups(services: Services): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController()
  await services.jobs.work('backup.run', async (_data, signal) => {
    await workOff(services, AbortSignal.any([signal, stopping.signal]))
  })
  await services.jobs.schedule('backup.run', '0 * * * *', {})
  return {
    async stop() {
      stopping.abort()
    },
  }
}

async function workOff(services: Services, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const due = await beginIfDue(services.db)
    if (due) await backUp(services, due, signal)
    const unchecked = await lookAround(services)
    if (signal.aborted || unchecked === undefined || !(await beginCheckIfDue(services.db))) return
    if (!(await check(services, unchecked, signal))) return
  }
}

/** Writes down what the folder says of checks, some of which a person may have made; answers what nobody has checked. */
function lookAround({ db, env }: Services): Promise<string | undefined> {
  return db.as('system', async (tx) => {
    const found = await findBackups(tx, env)
    await noteChecks(tx, checksIn(found))
    return uncheckedIn(found)
  })
}

async function backUp({ db, env, log }: Services, due: BackupRetention, signal: AbortSignal): Promise<void> {
  const { code, words } = await runChild({
    env,
    args: ['--keep', `${due.daily},${due.weekly},${due.monthly}`],
    signal,
    onProgress: async (progress) => void (await tellProgress(db, progress)),
  })
  const broken = signal.aborted ? 'It was broken off: the server was stopped.' : 'It was broken off.'
  const failure = code === 0 ? null : words || broken
  if (failure !== null) log.error({ failure }, 'no backup was made')
  await tellEnd(db, failure)
}

/** Below DATA_DIR, where a database lies anyway; the usual place may be in memory. */
const temporaryOf = (dataDir: string) => process.env['TMPDIR'] ?? dataDir

/** Answers whether it gave way to a backup that somebody wishes: then it is done again. */
async function check(services: Services, name: string, signal: AbortSignal): Promise<boolean> {
  const { db, env, log } = services
  const wished = new AbortController()
  const temporary = temporaryOf(env.dataDir)
  const { code, words } = await runChild({
    env,
    args: ['--check', name],
    temporary,
    signal: AbortSignal.any([signal, wished.signal]),
    onProgress: async (progress) => {
      if (await tellProgress(db, progress)) wished.abort()
    },
  })
  await sweepChecks(temporary)
  const isDone = code === 0 || code === damagedExitCode
  if (code !== 0) log.error({ name, words }, isDone ? 'a backup is damaged' : 'a backup was not checked')
  if (code === 0 && words !== '') log.warn({ name, words }, 'a backup was checked')
  // It may have been stopped when its outcome was written already.
  const isOpen = (await lookAround(services)) === name
  await tellCheckEnd(
    db,
    code === null && isOpen ? 'broken_off' : { failure: isDone || code === null ? null : words },
  )
  return wished.signal.aborted
}
