import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { guard } from '../../platform/db/embedded/embedded-server.ts'

const main = path.resolve(import.meta.dirname, '../../main.ts')

/** The program as its user starts it, in a process group of its own. */
export type Program = {
  child: ChildProcess
  url: string
  /** What it has printed so far, on both channels. */
  output(): string
  /** Resolves with its exit code (or signal) once it has ended. */
  ended: Promise<string>
}

/** A data directory that the user of the database may enter. */
export async function openFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-program-'))
  await chmod(folder, 0o755)
  return folder
}

/** Starts it without waiting for anything; `url` is there once it is ready. */
export function launch(environment: Record<string, string>, options: string[] = []): Omit<Program, 'url'> {
  const child = spawn(process.execPath, [main, ...options], {
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  // It leads a group of its own, so that a run that is killed would leave it behind.
  guard(child, { detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const ended = once(child, 'close').then(([code, signal]) => String(signal ?? code))
  return { child, output: () => output, ended }
}

/** Starts it and waits until it is ready; throws with its words when it ends before. */
export async function start(environment: Record<string, string>, options: string[] = []): Promise<Program> {
  const program = launch(environment, options)
  let code: string | undefined
  void program.ended.then((it) => (code = it))
  for (;;) {
    const url = / is ready at (\S+)/.exec(program.output())?.[1]
    if (url) return { ...program, url }
    if (code !== undefined) throw new Error(`the program ended with ${code}:\n${program.output()}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 25)
    })
  }
}

/** Process id of the embedded PostgreSQL of a data directory, once it has written it down: for a moment its file is empty. */
export function postmasterOf(dataDir: string): number | undefined {
  return postmasterIn(path.join(dataDir, 'postgres/data'))
}

/** The same, of the directory of the cluster. */
export function postmasterIn(cluster: string): number | undefined {
  const file = path.join(cluster, 'postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) || undefined : undefined
}

/** A process and its children. */
export function familyOf(pid: number | undefined): number[] {
  if (pid === undefined) throw new Error('there is no process')
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const isChild = (name: string) => {
    try {
      return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(pid)
    } catch {
      return false
    }
  }
  return [pid, ...all.filter(isChild).map(Number)]
}
