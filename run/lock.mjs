import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimes,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ROOT } from './process.mjs'

// A holder touches its lock every other second: after a restart its process id may belong to somebody else.
const BEAT_MS = 2000
const STALE_MS = 20_000

/** Does the work while no other process of this checkout does; forgets a holder that died. */
export async function alone(work) {
  const directory = join(ROOT, '.cache')
  mkdirSync(directory, { recursive: true })
  const lock = join(directory, 'run.lock')
  const draft = `${lock}-${process.pid}`
  let told = false
  while (!take(lock, draft)) {
    if (!told) console.log('Another process is preparing this checkout; waiting for it …')
    told = true
    await pause(300)
  }
  const beat = setInterval(() => utimes(lock, new Date(), new Date(), () => {}), BEAT_MS)
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    process.off('exit', release)
    release()
  }
}

function take(lock, draft) {
  // Written in full, then linked: nobody ever reads a lock without the pid of its holder.
  writeFileSync(draft, String(process.pid))
  try {
    linkSync(draft, lock)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return removeStale(lock, draft) && take(lock, draft)
  } finally {
    rmSync(draft, { force: true })
  }
}

function removeStale(lock, draft) {
  try {
    if (!isStale(lock)) return false
    // Moved aside first: of two who find it stale only one succeeds, the other tries again.
    renameSync(lock, draft)
    if (!isStale(draft)) linkSync(draft, lock)
    return true
  } catch {
    // Released or taken in this moment; the next attempt will tell.
    return false
  }
}

function isStale(lock) {
  return !isAlive(holder(lock)) || Date.now() - statSync(lock).mtimeMs > STALE_MS
}

function holder(lock) {
  return Number(readFileSync(lock, 'utf8'))
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
