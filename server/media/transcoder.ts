import type { Transcoder } from './job.ts'
import { runWithNodeAv } from './transcode-av.ts'
import { findFfmpeg, runWithFfmpeg } from './transcode-cli.ts'

/**
 * The engines of this machine, the better first: a system ffmpeg with libx264 (less CPU, killable), then
 * node-av. SENDREEL_TRANSCODER=cli|av leaves only that one.
 */
export async function availableTranscoders(): Promise<Transcoder[]> {
  const wanted = process.env.SENDREEL_TRANSCODER
  const found: Transcoder[] = []
  const ffmpeg = wanted === 'av' ? null : await findFfmpeg()
  if (ffmpeg) found.push({ name: 'cli', run: (job) => runWithFfmpeg(ffmpeg, job) })
  if (wanted !== 'cli' && (await canLoadNodeAv())) found.push({ name: 'av', run: runWithNodeAv })
  return found
}

const picked = new Map<string | undefined, Promise<Transcoder>>()

/** The engine to use; looked for once per process. Throws when the machine has none. */
export function pickTranscoder(): Promise<Transcoder> {
  const wanted = process.env.SENDREEL_TRANSCODER
  const found = picked.get(wanted) ?? availableTranscoders().then(first)
  picked.set(wanted, found)
  return found
}

function first([best]: Transcoder[]): Transcoder {
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
