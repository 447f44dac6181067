import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { isDiskFull } from '../platform/errors.ts'
import { findProgram, librariesOf } from '../platform/programs.ts'
import { say } from '../platform/terminal.ts'
import { ask } from './ask.ts'
import { giveTo, placesOf } from './boundary.ts'
import { EngineError, TranscodeError, type Transcoder } from './job.ts'
import { NotAVideoError } from './refusals.ts'
import { transcoderOf, type Engine } from './transcoder.ts'

/** `fault` goes on from the name of the program, as the second half of a sentence. */
type Trial = { engine: Engine } | { fault: string }
/** `isNamed`: by FFMPEG_PATH. */
export type TriedEngine = Trial & { program: string; isNamed: boolean }

/**
 * The engines of this machine, the better first: an ffmpeg (less CPU, killable), then the bundled node-av. Each is tried on a second of
 * video behind the boundary, since only that shows what it can. SENDREEL_TRANSCODER=cli|av leaves only that one.
 */
export async function* triedEngines(): AsyncGenerator<TriedEngine> {
  const wanted = process.env.SENDREEL_TRANSCODER
  const ffmpeg = wanted === 'av' ? undefined : await tryFfmpeg()
  if (ffmpeg) yield ffmpeg
  if (wanted !== 'cli') yield { program: 'node-av', isNamed: false, ...(await tryOut({ name: 'av' })) }
}

async function tryFfmpeg(): Promise<TriedEngine | undefined> {
  const named = process.env.FFMPEG_PATH?.trim() ?? ''
  const found = await findProgram(named || 'ffmpeg')
  if ('fault' in found) return named === '' ? undefined : { program: named, isNamed: true, ...found }
  const libraries = await librariesOf(found.path)
  const tried = await tryOut({ name: 'cli', ffmpeg: found.path, libraries, toneMaps: false })
  return { program: named || found.path, isNamed: named !== '', ...tried }
}

export async function availableEngines(): Promise<Engine[]> {
  const all: Engine[] = []
  for await (const tried of triedEngines()) if ('engine' in tried) all.push(tried.engine)
  return all
}

const limits = { cpuSeconds: 20, memoryBytes: 1.75 * 2 ** 30, fileBytes: 2 ** 26, wallMs: 15_000 }

async function tryOut(engine: Engine): Promise<Trial> {
  try {
    const { toneMaps } = await tryBehindBoundary(engine)
    return { engine: engine.name === 'cli' ? { ...engine, toneMaps } : engine }
  } catch (error) {
    return { fault: `converts nothing here (${wordsOf(error)})` }
  }
}

async function tryBehindBoundary(engine: Engine): Promise<{ toneMaps: boolean }> {
  const folder = await mkdtemp(path.join(await realpath(os.tmpdir()), 'sendreel-trial-'))
  const places = { empty: path.join(folder, 'empty'), output: path.join(folder, 'out') }
  try {
    for (const each of [places.empty, places.output]) await mkdir(each)
    await giveTo(places.output)
    const { output: outDir } = await placesOf(places)
    const answer = await ask({ task: { kind: 'trial', outDir, engine }, places, limits })
    if ('tried' in answer) return answer.tried
    throw new TranscodeError('The child answered another question.')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const wordsOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).trim().replaceAll(/\s*\n\s*/g, '; ')

type Picked = { engine: Engine; program: string; passedOver: string[] }
const picked = new Map<string, Promise<Picked>>()

/** The engine to use, found once per process and anew as soon as it has failed. Throws EngineError where the machine has none. */
export async function pickEngine(): Promise<Engine> {
  return (await pick()).engine
}

/** For whoever runs the server: by what videos are converted, and what was passed over and why. */
export async function describeEngine(): Promise<string> {
  const { program, passedOver } = await pick()
  return [...passedOver, `Videos are converted by ${program}.`].join(' ')
}

function pick(): Promise<Picked> {
  const { SENDREEL_TRANSCODER, FFMPEG_PATH, PATH } = process.env
  const key = JSON.stringify([SENDREEL_TRANSCODER, FFMPEG_PATH, PATH])
  const found = picked.get(key) ?? look()
  picked.set(key, found)
  // What is missing now may be there at the next question.
  found.catch(() => picked.delete(key))
  return found
}

async function look(): Promise<Picked> {
  const passedOver: string[] = []
  for await (const tried of triedEngines()) {
    if ('engine' in tried) return { engine: tried.engine, program: tried.program, passedOver }
    const sentence = `${tried.program} ${tried.fault}.`
    say(sentence)
    passedOver.push(sentence)
  }
  throw new EngineError(`Videos cannot be converted here: ${passedOver.join(' ') || 'there is no engine.'}`)
}

export async function pickTranscoder(): Promise<Transcoder> {
  return transcoderOf(await pickEngine())
}

/**
 * Whose fault it is that a child has failed: the error itself, which is about the file, unless the engine cannot do a second of video
 * either, which is then not picked again. Throws EngineError where the machine has no engine.
 */
export async function blame(error: unknown): Promise<unknown> {
  const isOfFile =
    error instanceof NotAVideoError && !['damaged', 'unreadable', 'too_costly'].includes(error.code)
  if (isOfFile || !(error instanceof NotAVideoError || error instanceof TranscodeError)) return error
  const { engine, program } = await pick()
  const again = await tryOut(engine)
  if ('engine' in again) return error
  picked.clear()
  return new EngineError(`${program} ${again.fault}`, { cause: error })
}

/**
 * Whatever does not lie in the file may have passed, as when the machine was short of memory or its engine was just replaced: it is
 * tried once more.
 */
export async function withSecondTry<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal?.aborted || error instanceof NotAVideoError || isDiskFull(error)) throw error
    return work()
  }
}
