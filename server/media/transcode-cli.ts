import { execFile, spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { NotAVideoError } from './refusals.ts'
import { inputOptions, threads, TranscodeError, type Job, type JobOutput } from './job.ts'

const LAST_WORDS = 2000
const QUIETLY = '-hide_banner -nostdin -nostats -progress pipe:1 -y'.split(' ')

/** What runs as an ffmpeg: an absolute path, and the files that it needs to begin. */
type Ffmpeg = { ffmpeg: string; libraries: readonly string[] }

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

/** Runs the job as one ffmpeg process, without a shell. */
export async function runWithFfmpeg(ffmpeg: Ffmpeg, job: Job): Promise<void> {
  const child = spawn(ffmpeg.ffmpeg, jobArguments(job), {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...surroundings(ffmpeg),
  })
  let lastWords = ''
  createInterface({ input: child.stderr }).on('line', (line) => {
    const seconds = /\bpts_time:(-?[\d.]+)/.exec(line)?.[1]
    if (seconds !== undefined) return job.watch?.onPicture(Number(seconds))
    const level = /\[([a-z]+)\]/.exec(line)?.[1]
    // A line without a level is not of ffmpeg itself: the loader tells what it lacks.
    if (level !== undefined && !['error', 'fatal', 'panic'].includes(level)) return undefined
    if (level !== undefined) job.watch?.onComplaint()
    lastWords = `${lastWords}${line}\n`.slice(-LAST_WORDS)
  })
  const exit = exitCode(child)
  // It is awaited below; what could not even be started has failed by then.
  exit.catch(() => undefined)
  try {
    reportProgress(child, job)
    await feed(child.stdin, job)
    const code = await exit
    // Nobody but the system ends it: by a limit that it has reached.
    if (child.signalCode === 'SIGKILL') throw new NotAVideoError('too_costly')
    if (code !== 0) throw new TranscodeError(`ffmpeg stopped with ${code}: ${lastWords.trim()}`)
  } finally {
    child.kill('SIGKILL')
    await Promise.allSettled([exit])
  }
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
}

function reportProgress(child: ChildProcess, { onTime }: Job) {
  if (!child.stdout) return
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [key, value] = line.split('=')
    const microseconds = Number(value)
    if (key === 'out_time_us' && microseconds > 0) onTime?.(microseconds / 1e6)
  })
}

async function feed(stdin: Writable, { input }: Job) {
  try {
    await pipeline(Readable.from('frames' in input ? input.frames : []), stdin)
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
  const graph = job.audio ? `${video};${job.audio}` : video
  return [
    ...QUIETLY,
    '-loglevel',
    job.watch ? 'level+info' : 'level+error',
    ...inputArguments(job.input),
    '-filter_complex',
    graph,
    ...job.outputs.flatMap(outputArguments),
  ]
}

function inputArguments(input: Job['input']): string[] {
  if ('frames' in input) {
    const size = `${input.width}x${input.height}`
    return ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', size, '-r', String(input.fps), '-i', 'pipe:0']
  }
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
  return [...flags(options), '-copyts', ...turning, ...source]
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
