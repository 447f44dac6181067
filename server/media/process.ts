import { constants } from 'node:fs'
import {
  chmod,
  chown,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  realpath,
  rename,
  rm,
} from 'node:fs/promises'
import os from 'node:os'
import { join, relative } from 'node:path'
import { ask } from './ask.ts'
import { boundary, giveTo, placesOf } from './boundary.ts'
import { TranscodeError } from './job.ts'
import { workOf, type Probe } from './probe.ts'
import { NotAVideoError } from './refusals.ts'
import { withRoom } from './room.ts'
import type { MadeFiles } from './task.ts'
import { blame, pickEngine, withSecondTry } from './engines.ts'

const gigabyte = 2 ** 30

type ProbeOptions = {
  /** What is there of a file that ends too early is enough. */
  acceptIncomplete?: boolean
  signal?: AbortSignal
}

/**
 * Looks into a file, in a child of its own. Throws NotAVideoError, the signal's reason, the disk's error when it is full, EngineError
 * where the machine is to blame, and TranscodeError where nobody knows.
 */
export function probeSource(source: string, options: ProbeOptions = {}): Promise<Probe> {
  return withSecondTry(() => lookInto(source, options), options.signal)
}

async function lookInto(source: string, { acceptIncomplete = false, signal }: ProbeOptions): Promise<Probe> {
  // Whether it can be read at all is the disk's matter, not the video's. A pipe that somebody left would be waited for.
  const file = await open(source, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const empty = await mkdtemp(join(await realpath(os.tmpdir()), 'sendreel-probe-'))
  try {
    const limits = { cpuSeconds: 15, memoryBytes: gigabyte, fileBytes: 0, wallMs: 60_000 }
    const answer = await ask({ task: { kind: 'probe' }, places: { empty, open: file.fd }, limits, signal })
    if (!('probe' in answer)) throw new TranscodeError('The child answered another question.')
    if (answer.probe.isCut && !acceptIncomplete) throw new NotAVideoError('cut_off')
    return answer.probe
  } catch (error) {
    throw await blame(error)
  } finally {
    await file.close()
    await rm(empty, { recursive: true, force: true })
  }
}

type ProcessTask = ProbeOptions & {
  source: string
  /** Comes into being, complete, at the end; what was there before is replaced. */
  outDir: string
  /** Done so far, 0 to 1. */
  onProgress?: (fraction: number) => void
}

export type ProcessedVideo = MadeFiles & { files: { name: string; size: number }[]; bytes: number }

/**
 * Source to everything that playing needs, in children of its own. Nothing appears under the final name before all is there,
 * and a second run after a crash starts clean. Throws as `probeSource` does.
 */
export function processSource(task: ProcessTask): Promise<ProcessedVideo> {
  return withSecondTry(() => makePlayable(task), task.signal)
}

async function makePlayable(task: ProcessTask): Promise<ProcessedVideo> {
  const { source, outDir, onProgress, signal } = task
  const probe = await lookInto(source, task)
  const draft = `${outDir}.part`
  await rm(draft, { recursive: true, force: true })
  const places = { empty: join(draft, 'empty'), input: source, output: join(draft, 'out') }
  try {
    for (const folder of [draft, places.empty, places.output])
      await mkdir(folder, { recursive: true, mode: 0o700 })
    places.input = await handOver(source, draft)
    const made = await withRoom(draft, convert({ ...task, probe, places })).catch(async (error: unknown) => {
      throw await blame(error)
    })
    const files = await takeBack(places.output)
    signal?.throwIfAborted()
    await rm(outDir, { recursive: true, force: true })
    await rename(places.output, outDir)
    onProgress?.(1)
    return { ...made, files, bytes: files.reduce((sum, file) => sum + file.size, 0) }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

type Conversion = ProcessTask & { probe: Probe; places: { empty: string; input: string; output: string } }

async function convert({
  probe,
  places,
  acceptIncomplete = false,
  onProgress,
  signal,
}: Conversion): Promise<MadeFiles> {
  const inside = await placesOf(places)
  const engine = await pickEngine()
  const work = { source: inside.input, outDir: inside.output, engine, probe, acceptIncomplete }
  const task = { kind: 'convert' as const, ...work }
  const answer = await ask({ task, places, limits: limitsOf(probe), onProgress, signal })
  if ('made' in answer) return answer.made
  throw new TranscodeError('The child answered another question.')
}

/**
 * Memory that may be written to. About half of it is ever in use: 0.6 GB in all for 4K, measured with both engines.
 */
const writable = 1.75 * gigabyte

/** On a slow machine a second of processor time reads five million pixels and makes all renditions of them. */
const pixelsPerSecond = 5_000_000

function limitsOf(probe: Probe) {
  const cpuSeconds = 25 + workOf(probe) / pixelsPerSecond + probe.durationMs / 20_000
  return { cpuSeconds, memoryBytes: writable, fileBytes: 16 * gigabyte, wallMs: 8_000 * cpuSeconds }
}

/** The source as the child may read it: where the child is another user, a copy, since others cannot read the source itself. */
async function handOver(source: string, draft: string): Promise<string> {
  const found = await boundary()
  if (found.kind === 'none' || found.user === null) return source
  const copy = join(draft, 'source')
  await copyFile(source, copy, constants.COPYFILE_FICLONE)
  await giveTo(copy, join(draft, 'out'))
  return copy
}

/** What the child has left: plain files with plain names, which from now on are the server's. Anything else is no video. */
async function takeBack(folder: string): Promise<ProcessedVideo['files']> {
  const files: ProcessedVideo['files'] = []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const place of [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))]) {
    const found = await lstat(place)
    const name = relative(folder, place).replaceAll('\\', '/')
    const isOurs = found.isDirectory() || (found.isFile() && found.nlink === 1)
    if (!isOurs || !/^[\w./-]*$/.test(name))
      throw new TranscodeError('The child left something other than files.')
    if (process.getuid?.() === 0) await chown(place, 0, process.getgid?.() ?? 0)
    await chmod(place, found.isDirectory() ? 0o700 : 0o600)
    if (found.isFile()) files.push({ name, size: found.size })
  }
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
