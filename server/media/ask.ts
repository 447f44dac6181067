import type { ChildProcess } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { confine, kill, type Confined, type Limits } from './boundary.ts'
import { TranscodeError } from './job.ts'
import { NotAVideoError } from './refusals.ts'
import { TaskAnswer, type Task } from './task.ts'
import { ending } from '#contract/platform/text/text.ts'

export type Question = {
  task: Task
  places: Pick<Confined, 'empty' | 'input' | 'output' | 'open'>
  environment?: Confined['environment']
  limits: Limits & { wallMs: number }
  onProgress?: ((fraction: number) => void) | undefined
  signal?: AbortSignal | undefined
}

const root = path.resolve(import.meta.dirname, '../..')
const program = path.join(import.meta.dirname, 'child.ts')
const longestTalk = 16 * 2 ** 20
const lastWords = 2_000

/**
 * Runs the task in a child that may do anything but leave. Throws NotAVideoError where another try would end the same: the file is
 * refused, or wants more than a video may. Throws TranscodeError where another try may help, and the signal's reason.
 */
export async function ask({
  task,
  places,
  environment,
  limits,
  onProgress,
  signal,
}: Question): Promise<TaskAnswer> {
  signal?.throwIfAborted()
  const child = await confine({
    ...places,
    command: [process.execPath, '--max-old-space-size=512', '--no-warnings', program, JSON.stringify(task)],
    environment,
    libraries: await librariesOf(task),
    limits,
  })
  const end = () => kill(child)
  const begun = performance.now()
  const killsBefore = await memoryKills()
  let isLate = false
  const clock = setTimeout(() => {
    isLate = true
    end()
  }, limits.wallMs)
  signal?.addEventListener('abort', end, { once: true })
  try {
    const [last, errors] = await Promise.all([answersOf(child, onProgress), wordsOf(child), ended(child)])
    signal?.throwIfAborted()
    const mostSeconds = ((performance.now() - begun) / 1000) * os.availableParallelism()
    if (isLate) throw new TranscodeError(`it did not end within ${limits.wallMs / 1000} seconds`)
    const mayBeUsedUp = mostSeconds >= limits.cpuSeconds && (await memoryKills()) === killsBefore
    return judged(child, { last, errors, mayBeUsedUp })
  } finally {
    clearTimeout(clock)
    signal?.removeEventListener('abort', end)
    kill(child)
  }
}

async function librariesOf(task: Task): Promise<string[]> {
  const own = ['server/media', 'contract', 'node_modules', 'package.json'].map((name) =>
    path.join(root, name),
  )
  const engine = 'engine' in task && task.engine.name === 'cli' ? task.engine : undefined
  const ffmpeg = engine ? [engine.ffmpeg, ...engine.libraries] : []
  // Where one is a link, what it leads to is shown as well.
  const real = await Promise.all(own.map((place) => realpath(place)))
  return [...own, ...real, process.execPath, ...ffmpeg]
}

/** How many processes Linux has ended for want of memory. */
async function memoryKills(): Promise<string | undefined> {
  const counted = await readFile('/proc/vmstat', 'utf8').catch(() => '')
  return /^oom_kill (\d+)$/m.exec(counted)?.[1]
}

type End = {
  last: TaskAnswer | undefined
  errors: string
  /** The child had the time to use up what it may; whoever is killed before was killed by somebody else. */
  mayBeUsedUp: boolean
}

function judged(child: ChildProcess, { last, errors, mayBeUsedUp }: End): TaskAnswer {
  const refused = last && 'refused' in last ? last : undefined
  const isKilled = endedBy(child, 'SIGKILL') || refused?.refused === 'too_costly'
  if (isKilled && !mayBeUsedUp)
    throw new TranscodeError('The child was killed, or the machine too busy for it.')
  if (refused) throw new NotAVideoError(refused.refused, { cause: refused.because })
  if (last && 'failed' in last) throw new TranscodeError(last.failed)
  if (child.exitCode === 0 && last) return last
  if (endings.some((signal) => endedBy(child, signal)) || outOfMemory.test(errors))
    throw new NotAVideoError('too_costly')
  if (crashes.some((signal) => endedBy(child, signal))) throw new NotAVideoError('damaged', { cause: errors })
  throw new TranscodeError(`The child ended with ${child.exitCode ?? child.signalCode}: ${errors.trim()}`)
}

/** By a limit, or because no more memory was to be had. */
const endings = ['SIGKILL', 'SIGXCPU', 'SIGABRT', 'SIGTRAP', 'SIGILL'] as const
/** A reader has stumbled over the file, and will again. */
const crashes = ['SIGSEGV', 'SIGBUS', 'SIGFPE'] as const
const outOfMemory = /out of memory|allocat\w+ (memory|failed)/i

/** What stands around the program passes a signal on as a shell does: as a number above 128. */
function endedBy(child: ChildProcess, signal: NodeJS.Signals): boolean {
  return child.signalCode === signal || child.exitCode === 128 + os.constants.signals[signal]
}

/** The last thing that the child says, if it says only what it may. */
async function answersOf(
  child: ChildProcess,
  onProgress: Question['onProgress'],
): Promise<TaskAnswer | undefined> {
  if (!child.stdout) return undefined
  let last: TaskAnswer | undefined
  for await (const line of createInterface({ input: measured(child, child.stdout) })) {
    last = parsed(line)
    if (last === undefined) kill(child)
    else if ('progress' in last) onProgress?.(last.progress)
  }
  return last && 'progress' in last ? undefined : last
}

function measured(child: ChildProcess, talk: Readable): Readable {
  let length = 0
  return talk.on('data', (bytes: Buffer) => {
    length += bytes.length
    if (length > longestTalk) kill(child)
  })
}

function parsed(line: string): TaskAnswer | undefined {
  try {
    return TaskAnswer.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

async function wordsOf(child: ChildProcess): Promise<string> {
  let words = ''
  for await (const piece of child.stderr ?? []) words = ending(words + String(piece), lastWords)
  return words
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
}
