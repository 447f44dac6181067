import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export type Program = {
  url: string
  pid: number
  /** Lets it clean up; rejects when it does not end by itself. */
  stop(): Promise<void>
}

const root = path.resolve(import.meta.dirname, '..')
const ticksPerSecond = 100
const patienceMs = 60_000
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Starts a script of this project, and waits until it prints ` at <url>`. */
export function startProgram(
  script: string,
  environment: Record<string, string>,
  args: string[] = [],
): Promise<Program> {
  const child = spawn(process.execPath, [path.resolve(root, script), ...args], {
    cwd: root,
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'warn',
      UNDO_SECONDS: '0',
      DRAIN_SECONDS: '0',
      NODE_ENV: 'production',
      // As `npm start` has them (run/process.mjs).
      NODE_COMPILE_CACHE: path.join(root, '.cache/node'),
      NODE_OPTIONS: '--max-semi-space-size=8',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return new Promise((resolve, reject) => {
    let output = ''
    const giveUp = (why: string) => reject(new Error(`${script} ${why}:\n${output}`))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      giveUp('was not ready in time')
    }, patienceMs)
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000)
      const url = / at (http\S+)\s/.exec(output)?.[1]
      if (!url) return
      clearTimeout(timer)
      resolve({
        url,
        pid: child.pid ?? 0,
        stop: () => end(child, script),
      })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => {
      clearTimeout(timer)
      giveUp(`ended with ${code}`)
    })
  })
}

function end(child: ChildProcess, script: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${script} did not end within 20 s`))
    }, 20_000)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    child.kill('SIGTERM')
  })
}

type Stat = { parent: number; own: number; ended: number }

/** CPU seconds, user and system, of a process, of all below it, and of those of them that have ended. */
export function cpuSeconds(pid: number): number {
  const stats = new Map<number, Stat>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined
    if (stat) stats.set(Number(name), stat)
  }
  const below = (parent: number): number => {
    const { own, ended } = stats.get(parent) ?? { own: 0, ended: 0 }
    let sum = own + ended
    for (const [child, stat] of stats) if (stat.parent === parent) sum += below(child)
    return sum
  }
  return below(pid) / ticksPerSecond
}

function statOf(pid: string): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program stands in brackets and may hold anything.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return { parent: fields[1] ?? 0, own: user + system, ended: endedUser + endedSystem }
  } catch {
    // It has ended since the directory was read.
    return undefined
  }
}

/** The most memory that a process ever held, in MB. */
export function peakMemory(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}
