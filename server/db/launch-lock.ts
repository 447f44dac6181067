import { createHash } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimes, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const PATIENCE_MS = 180_000
// A holder touches its lock file every other second: after a restart its id may belong to somebody else.
const BEAT_MS = 2000
const STALE_MS = 20_000

/** A short name for a path that stays the same over restarts. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** True while a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Waits until this caller is the only one who starts or stops the cluster at `path`; returns the release.
 * Throws when somebody else holds the lock for three minutes.
 */
export async function launchLock(path: string): Promise<() => void> {
  const take = process.platform === 'linux' ? takeSocket : takeFile
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const release = await take(path)
    if (release) return release
    if (Date.now() > deadline) {
      throw new Error(`Another process has been starting or stopping the database in ${path} for minutes`)
    }
    await pause(25)
  }
}

// An abstract socket lives in the kernel: it is freed however its holder dies, and leaves nothing on disk.
function takeSocket(path: string): Promise<(() => void) | undefined> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen(`\0sendreel:${shortHash(path)}`, () => resolve(() => server.close()))
  })
}

/** The lock of systems without abstract sockets; exported so that its test runs everywhere. */
export async function takeFile(path: string): Promise<(() => void) | undefined> {
  const lock = `${path}.lock`
  const draft = `${lock}-${process.pid}-${Math.random().toString(36).slice(2)}`
  // Written in full, then linked: nobody ever reads a lock without the pid of its holder.
  writeFileSync(draft, String(process.pid))
  try {
    linkSync(draft, lock)
    const beat = setInterval(() => utimes(lock, new Date(), new Date(), () => {}), BEAT_MS)
    return () => {
      clearInterval(beat)
      rmSync(lock, { force: true })
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    removeIfStale(lock, draft)
    return undefined
  } finally {
    rmSync(draft, { force: true })
  }
}

function removeIfStale(lock: string, draft: string): void {
  try {
    if (!isStale(lock)) return
    // Moved aside before it is removed: of two who find it stale, one succeeds and the other tries again.
    renameSync(lock, draft)
    if (!isStale(draft)) linkSync(draft, lock)
  } catch {
    // Its holder released it in this moment; the next attempt will tell.
  }
}

function isStale(lock: string): boolean {
  return !isAlive(Number(readFileSync(lock, 'utf8'))) || Date.now() - statSync(lock).mtimeMs > STALE_MS
}
