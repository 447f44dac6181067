import { existsSync } from 'node:fs'
import { lstat, mkdir, open, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { ask } from '../ask.ts'
import { giveTo, placesOf } from '../boundary.ts'
import { TranscodeError } from '../job.ts'
import { NotAVideoError } from '../refusals.ts'
import { withRoom } from '../room.ts'
import { headBytes, readModelHead } from './model-head.ts'
import { heardFile, modelFile, soundFile } from './places.ts'

export type Transcript = {
  srt: Buffer
  /** As the model calls it; null where it was told. */
  language: string | null
}

type Listening = {
  /** A folder of the caller's, with `in` in it, and there the sound and the model. */
  folder: string
  /** As the model calls it, or `auto`. */
  language: string
  threads: number
  durationMs: number
  /** Done so far, 0 to 1. */
  onProgress: (fraction: number) => void
  signal: AbortSignal
}

/** The model cannot be used; `because` is for the log. */
export class ModelError extends Error {
  override name = 'ModelError'
  readonly code: 'model_unfit' | 'model_english'

  constructor(code: ModelError['code'], because?: string) {
    super(because ?? code)
    this.code = code
  }
}

const largestTranscript = 5 * 2 ** 20

/**
 * Writes down what is said in a sound, in a child behind the boundary. Throws ModelError where the model is to blame, NotAVideoError where
 * the child took more than it may, the signal's reason, the disk's error when it is full, and TranscodeError where another try may help.
 */
export async function transcribe(listening: Listening): Promise<Transcript> {
  const { folder, language, threads, durationMs, onProgress, signal } = listening
  const places = {
    empty: path.join(folder, 'empty'),
    input: path.join(folder, 'in'),
    output: path.join(folder, 'out'),
  }
  for (const each of [places.empty, places.output]) await mkdir(each, { recursive: true, mode: 0o700 })
  const model = path.join(places.input, modelFile)
  const { size } = await stat(model)
  const spoken = spokenBy(await headOf(model), language)
  await giveTo(places.input, path.join(places.input, soundFile), places.output)
  const inside = await placesOf(places)
  const answer = await withRoom(
    folder,
    ask({
      task: { kind: 'listen', ...inside, language: spoken, threads, durationMs },
      places,
      environment: withoutGraphics(),
      limits: limitsOf(durationMs, size),
      onProgress,
      signal,
    }),
  ).catch((error: unknown) => {
    throw error instanceof NotAVideoError && error.code !== 'too_costly'
      ? new ModelError('model_unfit', typeof error.cause === 'string' ? error.cause : error.message)
      : error
  })
  if ('unfit' in answer) throw new ModelError('model_unfit', answer.unfit)
  if (!('heard' in answer)) throw new TranscodeError('The child answered another question.')
  const heard = path.join(places.output, heardFile)
  const srt = await readPlain(heard)
  return { srt: Buffer.from(withoutOddCues(srt.toString('utf8'))), language: answer.heard.language }
}

async function headOf(file: string) {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return readModelHead(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

/** Models for English alone know no other language, and cannot find one out. */
function spokenBy(head: ReturnType<typeof readModelHead>, language: string): string {
  if (!head) throw new ModelError('model_unfit')
  if (!head.isEnglishOnly) return language
  if (language !== 'auto' && language !== 'en') throw new ModelError('model_english')
  return 'en'
}

/**
 * The library looks for graphics cards as soon as it has a model, also when it is told not to use them, and ends in a crash on a machine
 * that lacks what cards are asked by. So it finds something that says that there is none.
 */
function withoutGraphics(): Record<string, string> {
  const folder = path.join(import.meta.dirname, `${process.platform}-${process.arch}`)
  return existsSync(folder) ? { LD_LIBRARY_PATH: folder } : {}
}

/** What the smallest model takes on a slow machine for its window of half a minute, when it has to try all that it tries. */
const window = { ms: 30_000, cpuSeconds: 60, modelBytes: 30_000_000 }
const longestMs = 20 * 3_600_000

/** Of work and memory that grow with the model. Half a minute of a model of 75 MB took 12 seconds of a processor and 270 MB at worst. */
function limitsOf(durationMs: number, modelBytes: number) {
  const windows = 2 + durationMs / window.ms
  const cpuSeconds = windows * window.cpuSeconds * Math.max(1, modelBytes / window.modelBytes)
  const memoryBytes = 1.5 * 2 ** 30 + 2 * modelBytes
  const wallMs = Math.min(longestMs, 8_000 * cpuSeconds)
  return { cpuSeconds, memoryBytes, fileBytes: largestTranscript, wallMs }
}

/** The child could have put a link there. Without a word there is no file. */
async function readPlain(file: string): Promise<Buffer> {
  const found = await lstat(file).catch(() => undefined)
  if (!found) return Buffer.alloc(0)
  if (!found.isFile()) throw new TranscodeError('The child left something other than files.')
  return readFile(file)
}

/** Captions of no length: the model puts a word there that it is not sure of. */
export function withoutOddCues(srt: string): string {
  const cues = srt.split(/\n{2,}/)
  return cues.filter((cue) => hasLength(cue)).join('\n\n')
}

function hasLength(cue: string): boolean {
  const [from, to] = [...cue.matchAll(/(\d+):(\d\d):(\d\d),(\d{3})/g)].map(
    ([, hours, minutes, seconds, ms]) =>
      ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms),
  )
  return from !== undefined && to !== undefined && to > from
}
