import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chown, mkdtemp, realpath, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { guard } from '../platform/db/embedded/embedded-server.ts'
import { killGroup } from '../platform/programs.ts'

/** What each process may use; the system refuses more memory and larger files, and ends it when it takes more time. */
export type Limits = { cpuSeconds: number; memoryBytes: number; fileBytes: number }

export type Confined = {
  /** The program and its arguments; inside, `input` is `/in` and `output` is `/out`, see `placesOf`. */
  command: string[]
  /** An empty folder that the boundary is built on. */
  empty: string
  input?: string
  output?: string
  /** Open file that the program gets as number 3. */
  open?: number
  /** Variables that the program gets; no others. */
  environment?: Record<string, string> | undefined
  /** What it needs besides the system's libraries: files and folders, for reading only. */
  libraries: string[]
  limits: Limits
}

/** `user`: the one that the program becomes, where the server is root. */
type Boundary = { kind: 'namespaces'; user: number | null } | { kind: 'none'; reason: string }

/** No account has it, and nothing but these programs runs as it: not even the database does. */
const nobodyElse = 58_613
const system = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/etc/ld.so.cache',
  '/etc/alternatives',
  '/nix/store',
]
const script = path.join(import.meta.dirname, 'boundary.sh')
const launching = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

const isolation =
  'setpriv --pdeathsig KILL unshare --mount --net --pid --ipc --uts --fork --kill-child'.split(' ')

const patienceMs = 10_000

let known: Promise<Boundary> | undefined

/** What this system offers; tried once per process by running a program that does nothing. */
export function boundary(): Promise<Boundary> {
  known ??= findBoundary().catch((error: unknown) => {
    known = undefined
    throw error
  })
  return known
}

/** Where the program finds its input and its output folder. */
export async function placesOf({ input = '', output = '' }: Pick<Confined, 'input' | 'output'>) {
  return (await boundary()).kind === 'namespaces' ? { input: '/in', output: '/out' } : { input, output }
}

/** Where the child is another user, these files and folders become its own: all others can be read by the server's user only. */
export async function giveTo(...places: string[]): Promise<void> {
  const found = await boundary()
  if (found.kind === 'none' || found.user === null) return
  for (const place of places) await chown(place, found.user, found.user)
}

/** Says in a sentence, for whoever runs the server, what stands between uploaded files and everything else. */
export async function describeBoundary(): Promise<string> {
  const found = await boundary()
  if (found.kind === 'none')
    return `Uploaded files are read by a process with limits, but with the rights of this server, because ${found.reason}. Let only people whom you trust upload files, or run the server where this is possible.`
  const as = found.user === null ? '' : `, as the user ${found.user}`
  return `Uploaded files are read behind a boundary: by a process that sees only its own file, without network${as}.`
}

/**
 * Starts the program with its limits, behind the boundary where there is one. It has no environment but its own, leads a process group, and does
 * not outlive this process, however that ends.
 */
export async function confine(job: Confined): Promise<ChildProcess> {
  const found = await boundary()
  const command = found.kind === 'none' ? withOwnEnvironment(job) : behind(found, job)
  const stdio = ['ignore', 'pipe', 'pipe', ...(job.open === undefined ? [] : [job.open])] as const
  const [program = '', ...rest] = limited(command, job.limits)
  const env = process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : launching
  const detached = process.platform !== 'win32'
  const child = spawn(program, rest, { stdio: [...stdio], env, detached, windowsHide: true })
  // Behind the boundary the system does it.
  if (found.kind === 'none' && detached) guard(child, { detached, group: true })
  return child
}

/** Ends the program and everything that it has started, whatever state it is in. */
export function kill(child: ChildProcess): void {
  if (process.platform === 'win32') child.kill('SIGKILL')
  else killGroup(child.pid)
}

function withOwnEnvironment({
  command,
  environment = {},
}: Pick<Confined, 'command' | 'environment'>): string[] {
  if (process.platform === 'win32') return command
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  // A program whose path has a "=" would be taken for a variable.
  const started = command[0]?.includes('=') ? ['sh', '-c', 'exec "$@"', 'sh'] : []
  return ['env', '-i', ...variables, ...started, ...command]
}

/** Set by a shell before anything else runs, and inherited: nothing below can raise them again. */
function limited(command: string[], { cpuSeconds, memoryBytes, fileBytes }: Limits): string[] {
  if (process.platform === 'win32') return command
  // Small stacks, because each thread's counts as memory.
  const set =
    'ulimit -c 0; ulimit -s 2048; ulimit -t "$1"; ulimit -d "$2"; ulimit -f "$3"; shift 3; exec "$@"'
  const amounts = [cpuSeconds, memoryBytes / 1024, fileBytes / 512].map((amount) => String(Math.ceil(amount)))
  return ['sh', '-c', set, 'sh', ...amounts, ...command]
}

function behind({ user }: { user: number | null }, job: Confined): string[] {
  const hidden = [process.env.DATA_DIR ?? 'data', process.env.SECRET_KEY_FILE ?? ''].filter(Boolean)
  const shown = [...system, ...job.libraries].flatMap((place) => ['--show', place])
  const unseen = hidden.flatMap((place) => ['--hide', path.resolve(place)])
  const places = [job.empty, job.input ?? '', job.output ?? '', user === null ? '' : String(user)]
  const asRoot = user === null ? ['--user', '--map-root-user'] : []
  return isolation.concat(asRoot, 'sh', script, places, shown, unseen, '--', withOwnEnvironment(job))
}

async function findBoundary(): Promise<Boundary> {
  if (process.platform !== 'linux') return { kind: 'none', reason: 'this system has no namespaces for users' }
  const user = process.getuid?.() === 0 ? nobodyElse : null
  const empty = await realpath(await mkdtemp(path.join(os.tmpdir(), 'sendreel-boundary-')))
  const nothing = {
    command: ['true'],
    empty,
    libraries: [],
    limits: { cpuSeconds: 5, memoryBytes: 2 ** 30, fileBytes: 0 },
  }
  try {
    const [program = '', ...rest] = limited(behind({ user }, nothing), nothing.limits)
    await promisify(execFile)(program, rest, { env: launching, timeout: patienceMs, killSignal: 'SIGKILL' })
    return { kind: 'namespaces', user }
  } catch (error) {
    // A machine that is short of processes or memory has said nothing about its boundary: the next file asks again.
    if (error instanceof Error && 'syscall' in error) throw error
    const reason =
      'this system lets it make no namespaces, or lacks unshare, mount, pivot_root or setpriv (util-linux)'
    return { kind: 'none', reason }
  } finally {
    await rm(empty, { recursive: true, force: true })
  }
}
