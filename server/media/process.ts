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
  stat,
} from 'node:fs/promises'
import os from 'node:os'
import { join, relative } from 'node:path'
import { ask } from './ask.ts'
import { boundary, giveTo, placesOf } from './boundary.ts'
import type { Container } from './containers.ts'
import { TranscodeError } from './job.ts'
import { workOf, type Probe } from './probe.ts'
import { NotAVideoError } from './refusals.ts'
import { withRoom } from './room.ts'
import type { MadeFiles } from './task.ts'
import { blame, pickEngine, withSecondTry } from './engines.ts'

const gigabyte = 2 ** 30

type LookOptions = {
  /** What is there of a file that ends too early is enough. */
  acceptIncomplete?: boolean
  signal?: AbortSignal
}

/**
 * Says what a file is as far as its own words go, in a child of its own and without an engine. Throws NotAVideoError, the signal's
 * reason, the disk's error when it is full, EngineError where the machine is to blame, and TranscodeError where nobody knows.
 */
export function recogniseSource(source: string, options: LookOptions = {}): Promise<Container> {
  return withSecondTry(() => recognise(source, options), options.signal)
}

async function recognise(
  source: string,
  { acceptIncomplete = false, signal }: LookOptions,
): Promise<Container> {
  // Whether it can be read at all is the disk's matter, not the video's. A pipe that somebody left would be waited for.
  const file = await open(source, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const empty = await mkdtemp(join(await realpath(os.tmpdir()), 'sendreel-look-'))
  try {
    const limits = { cpuSeconds: 15, memoryBytes: gigabyte, fileBytes: 0, wallMs: 60_000 }
    const answer = await ask({
      task: { kind: 'recognise' },
      places: { empty, open: file.fd },
      limits,
      signal,
    })
    if (!('container' in answer)) throw new TranscodeError('The child answered another question.')
    if (answer.container.isCut && !acceptIncomplete) throw new NotAVideoError('cut_off')
    return answer.container
  } catch (error) {
    throw await blame(error)
  } finally {
    await file.close()
    await rm(empty, { recursive: true, force: true })
  }
}

type ProcessTask = LookOptions & {
  source: string
  /** Comes into being, complete, at the end; what was there before is replaced. */
  outDir: string
  /** Done so far, 0 to 1. */
  onProgress?: (fraction: number) => void
}

export type ProcessedVideo = MadeFiles & { files: { name: string; size: number }[]; bytes: number }

/**
 * Source to everything that playing needs, in children of its own. Nothing appears under the final name before all is there,
 * and a second run after a crash starts clean. Throws as `recogniseSource` does.
 */
export function processSource(task: ProcessTask): Promise<ProcessedVideo> {
  return withSecondTry(() => makePlayable(task), task.signal)
}

async function makePlayable(task: ProcessTask): Promise<ProcessedVideo> {
  const { source, outDir, onProgress, signal } = task
  const container = await recognise(source, task)
  const draft = `${outDir}.part`
  await rm(draft, { recursive: true, force: true })
  const places = { empty: join(draft, 'empty'), input: source, output: join(draft, 'out') }
  try {
    for (const folder of [draft, places.empty, places.output])
      await mkdir(folder, { recursive: true, mode: 0o700 })
    places.input = await handOver(source, draft)
    const made = await withRoom(draft, convert({ ...task, container, places })).catch(
      async (error: unknown) => {
        throw await blame(error)
      },
    )
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

type Places = { empty: string; input: string; output: string }
type Conversion = ProcessTask & { container: Container; places: Places }

async function convert({ container, places, onProgress, signal }: Conversion): Promise<MadeFiles> {
  const { input: source, output: outDir } = await placesOf(places)
  const engine = await pickEngine()
  const { demuxer, isCut } = container
  const { size } = await stat(places.input)
  const look = { kind: 'probe' as const, source, engine, demuxer }
  const found = await ask({ task: look, places, limits: limitsOfLook(size), signal })
  if (!('probe' in found)) throw new TranscodeError('The child answered another question.')
  // Whole files promise an end at times that they do not have: only a torn one lacks it.
  const probe = isCut ? found.probe : { ...found.probe, promisedMs: found.probe.durationMs }
  const task = { kind: 'convert' as const, source, outDir, engine, probe }
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

/** All of a file is read and its sound decoded: of speech, half a minute in a megabyte at the least. */
function limitsOfLook(size: number) {
  const cpuSeconds = 20 + size / 500_000
  return { cpuSeconds, memoryBytes: writable, fileBytes: 0, wallMs: 8_000 * cpuSeconds }
}

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
