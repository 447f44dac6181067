import type { Transcoder } from './job.ts'
import { runWithNodeAv } from './transcode-av.ts'
import { findFfmpeg, runWithFfmpeg } from './transcode-cli.ts'

/** An engine by name, as it can be handed to another process. */
export type Engine = { name: 'cli'; ffmpeg: string; toneMaps: boolean } | { name: 'av' }

/**
 * The engines of this machine, the better first: a system ffmpeg with libx264 (less CPU, killable), then
 * node-av. SENDREEL_TRANSCODER=cli|av leaves only that one.
 */
export async function availableEngines(): Promise<Engine[]> {
  const wanted = process.env.SENDREEL_TRANSCODER
  const found: Engine[] = []
  const ffmpeg = wanted === 'av' ? null : await findFfmpeg()
  if (ffmpeg !== null) found.push({ name: 'cli', ...ffmpeg })
  if (wanted !== 'cli' && (await canLoadNodeAv())) found.push({ name: 'av' })
  return found
}

const picked = new Map<string | undefined, Promise<Engine>>()

/** The engine to use; looked for once per process. Throws when the machine has none. */
export function pickEngine(): Promise<Engine> {
  const wanted = process.env.SENDREEL_TRANSCODER
  const found = picked.get(wanted) ?? availableEngines().then(first)
  picked.set(wanted, found)
  return found
}

export async function pickTranscoder(): Promise<Transcoder> {
  return transcoderOf(await pickEngine())
}

export function transcoderOf(engine: Engine): Transcoder {
  return engine.name === 'cli'
    ? { name: 'cli', toneMaps: engine.toneMaps, run: (job) => runWithFfmpeg(engine.ffmpeg, job) }
    : { name: 'av', toneMaps: true, run: runWithNodeAv }
}

function first([best]: Engine[]): Engine {
  if (best) return best
  throw new Error(
    'Videos cannot be processed here: install ffmpeg with libx264 (FFMPEG_PATH may name it) or the optional package node-av.',
  )
}

async function canLoadNodeAv(): Promise<boolean> {
  try {
    await import('node-av/lib')
    return true
  } catch {
    return false
  }
}
