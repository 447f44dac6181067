import { execFile, spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { NotAVideoError } from './refusals.ts'
import {
  inputOptions,
  keepsItsTimes,
  threads,
  TranscodeError,
  type FileInput,
  type Job,
  type JobOutput,
  type RawInput,
} from './job.ts'

const LAST_WORDS = 2000
export const quietly = '-hide_banner -nostdin -nostats -y'.split(' ')

/** What runs as an ffmpeg: an absolute path, and the files that it needs to begin. */
export type Ffmpeg = { ffmpeg: string; libraries: readonly string[] }

/** Where a program lies elsewhere, its libraries may lie where only it knew, or the environment of the server. */
function surroundings({ libraries }: Ffmpeg): { env: NodeJS.ProcessEnv } {
  const folders = [...new Set(libraries.map((file) => path.dirname(file)))]
  return { env: { ...process.env, ...(folders.length > 0 && { LD_LIBRARY_PATH: folders.join(':') }) } }
}

/** Whether it has the filters for HDR. */
export async function findToneMapping(ffmpeg: Ffmpeg): Promise<boolean> {
  const asked = ['zscale', 'tonemap'].map(async (filter) => {
    const words = ['-hide_banner', '-h', `filter=${filter}`]
    return (await promisify(execFile)(ffmpeg.ffmpeg, words, surroundings(ffmpeg))).stdout
  })
  return (await Promise.all(asked)).every((text) => !text.includes('Unknown filter'))
}

type CliRun = {
  arguments: string[]
  /** A line of the standard output. */
  onLine?: (line: string) => void
  /** What ffmpeg logs, with its level in brackets. */
  onWords?: (words: string) => void
  input?: Job['input']
}

/** Runs one ffmpeg process, without a shell; its exit code and its last errors. */
export async function runProgram(
  ffmpeg: Ffmpeg,
  run: CliRun,
): Promise<{ code: number | null; lastWords: string }> {
  const child = spawn(ffmpeg.ffmpeg, run.arguments, {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...surroundings(ffmpeg),
  })
  let lastWords = ''
  const listen = (line: string) => {
    run.onWords?.(line)
    // A line without a level is not of ffmpeg itself: the loader tells what it lacks.
    if (isComplaint(line) || !/\[[a-z]+\]/.test(line)) lastWords = `${lastWords}${line}\n`.slice(-LAST_WORDS)
  }
  const exit = exitCode(child)
  // It is awaited below; what could not even be started has failed by then.
  exit.catch(() => undefined)
  try {
    const work = [eachLine(child.stderr, listen), eachLine(child.stdout, (line) => run.onLine?.(line))]
    await Promise.all([...work, feed(child.stdin, run.input)])
    const code = await exit
    // Nobody but the system ends it: by a limit that it has reached.
    if (child.signalCode === 'SIGKILL') throw new NotAVideoError('too_costly')
    return { code, lastWords: lastWords.trim() }
  } finally {
    child.kill('SIGKILL')
    await Promise.allSettled([exit])
  }
}

async function eachLine(stream: Readable, work: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input: stream })) work(line)
}

const isComplaint = (line: string) => /\[(error|fatal|panic)\]/.test(line)

/** Runs the job as one ffmpeg process. */
export async function runWithFfmpeg(ffmpeg: Ffmpeg, job: Job): Promise<void> {
  const { code, lastWords } = await runProgram(ffmpeg, {
    arguments: jobArguments(job),
    input: job.input,
    onLine: (line) => {
      const [key, value] = line.split('=')
      const microseconds = Number(value)
      if (key === 'out_time_us' && microseconds > 0) job.onTime?.(microseconds / 1e6)
    },
    onWords: (words) => {
      const seconds = /\bpts_time:(-?[\d.]+)/.exec(words)?.[1]
      if (seconds !== undefined) job.watch?.onPicture(Number(seconds))
      else if (isComplaint(words)) job.watch?.onComplaint()
    },
  })
  if (code !== 0) throw new TranscodeError(`ffmpeg stopped with ${code}: ${lastWords}`)
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
}

async function feed(stdin: Writable, input: CliRun['input']) {
  try {
    await pipeline(Readable.from(input && 'frames' in input ? input.frames : []), stdin)
  } catch (error) {
    // ffmpeg closes its end when it has enough or dies; its exit code tells which.
    if (!stdin.destroyed || !isClosedPipe(error)) throw error
  }
}

function isClosedPipe(error: unknown): boolean {
  const codes = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

function jobArguments(job: Job): string[] {
  // The filter writes down the time of every picture.
  const video = job.watch ? job.video.replace('[0:v]', '[0:v]showinfo=checksum=0,') : job.video
  // Each graph begins anew when its own medium changes in mid-stream, and the other goes on.
  const graphs = job.audio === undefined ? [video] : [video, job.audio]
  return [
    ...quietly,
    '-progress',
    'pipe:1',
    '-loglevel',
    job.watch ? 'level+info' : 'level+error',
    ...('frames' in job.input ? rawArguments(job.input) : inputArguments(job.input)),
    ...graphs.flatMap((graph) => ['-filter_complex', onTracks(graph, job.input)]),
    ...job.outputs.flatMap(outputArguments),
  ]
}

/** The graph with the numbers of the tracks that are read. */
export function onTracks(graph: string, input: Job['input']): string {
  if ('frames' in input || !input.tracks) return graph
  const { picture, sound } = input.tracks
  return graph.replace('[0:v]', `[0:${picture}]`).replace('[0:a]', `[0:${sound}]`)
}

function rawArguments({ width, height, fps }: RawInput): string[] {
  const size = `${width}x${height}`
  return ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', size, '-r', String(fps), '-i', 'pipe:0']
}

export function inputArguments(input: FileInput): string[] {
  const options: Record<string, string> = {
    threads,
    ...(input.keyFramesOnly && { skip_frame: 'nokey' }),
    // A change of the picture's size in mid-stream must not start the graph (and its clock) anew.
    'reinit_filter:v': '0',
  }
  // The caller has looked at how a picture lies.
  const turning = input.format.endsWith('_pipe') ? ['-noautorotate'] : []
  // Said to be a file, whatever its name looks like.
  const source = ['-f', input.format, ...flags(inputOptions(input)), '-i', `file:${input.file}`]
  const times = keepsItsTimes(input) ? ['-copyts'] : []
  return [...flags(options), ...times, ...turning, ...source]
}

function outputArguments(output: JobOutput): string[] {
  const streams = output.streams.flatMap(({ label, encoder, options }, index) => {
    return ['-map', `[${label}]`, `-c:${index}`, encoder, ...flags(options, `:${index}`)]
  })
  // Pictures for files come as the graph gives them; else ffmpeg repeats them to fill a constant rate.
  const timing = output.format === 'image2' ? ['-fps_mode', 'passthrough'] : []
  return [
    ...streams,
    ...timing,
    '-map_metadata',
    '-1',
    '-f',
    output.format,
    ...flags(output.options),
    output.file,
  ]
}

function flags(options: Record<string, string>, specifier = ''): string[] {
  return Object.entries(options).flatMap(([key, value]) => [`-${key}${specifier}`, value])
}
