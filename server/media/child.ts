import { mkdir } from 'node:fs/promises'
import { existsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { recognise } from './containers.ts'
import { TranscodeError } from './job.ts'
import { listen } from './speech/listen.ts'
import { makePictures } from './pictures/pictures.ts'
import { probe } from './probe.ts'
import { drawPicture } from './pictures/redraw-job.ts'
import { NotAVideoError } from './refusals.ts'
import type { TaskAnswer, Task, TrialTask } from './task.ts'
import { transcode } from './transcode.ts'
import { findToneMapping } from './transcode-cli.ts'
import { transcoderOf, type Engine } from './transcoder.ts'

const task = JSON.parse(process.argv[2] ?? '') as Task

/** The one program that opens what was uploaded. It knows nothing but its task, and answers in lines of JSON. */
async function answer(asked: Task): Promise<TaskAnswer> {
  switch (asked.kind) {
    case 'recognise':
      return { container: recognise(3) }
    case 'probe':
      return { probe: await probe({ ...asked, transcoder: transcoderOf(asked.engine) }) }
    case 'convert':
      return { made: await convert(asked) }
    case 'trial':
      return { tried: await tryOut(asked) }
    case 'listen':
      return listen(asked, (seconds) => tellTime(seconds * 1000, asked.durationMs))
    case 'redraw':
      await drawPicture(asked)
      return { drawn: true }
  }
}

let told = -1

/** A frame is a fraction of a second, and many come at once. */
function tellTime(ms: number, durationMs: number) {
  const percent = Math.floor(Math.min(1, ms / durationMs) * 100)
  if (percent > told) say({ progress: percent / 100 })
  told = Math.max(told, percent)
}

/** How much of the work the pictures are. */
const PICTURES = 0.04

async function convert({ engine, ...work }: Extract<Task, { kind: 'convert' }>) {
  const { outDir, probe: source } = work
  const transcoder = transcoderOf(engine)
  const onProgress = (fraction: number) => say({ progress: fraction * (1 - PICTURES) })
  const { renditions, durationMs, warnings } = await transcode({ ...work, transcoder, onProgress })
  const pictures = await makePictures({ outDir, renditions, durationMs, transcoder })
  return { durationMs, width: source.width, height: source.height, renditions, warnings, ...pictures }
}

async function tryOut({ engine, outDir }: TrialTask): Promise<{ toneMaps: boolean }> {
  const source = join(outDir, 'second.mp4')
  await makeSecond(source, engine)
  if (!existsSync(source)) throw new TranscodeError('it ended without having made a video')
  const found = await probe({ source, demuxer: 'mov', transcoder: transcoderOf(engine) })
  const folder = join(outDir, 'converted')
  await mkdir(folder)
  await convert({ kind: 'convert', source, outDir: folder, engine, probe: found })
  return { toneMaps: engine.name === 'av' || (await findToneMapping(engine)) }
}

async function makeSecond(file: string, engine: Engine): Promise<void> {
  const [width, height, fps] = [160, 90, 10]
  const frames = Array.from({ length: fps }, (_, n) => Buffer.alloc((width * height * 3) / 2, 20 * n))
  await transcoderOf(engine).run({
    input: { width, height, fps, frames },
    video: '[0:v]format=yuv420p[v]',
    audio: 'sine=duration=1,aformat=sample_fmts=fltp:channel_layouts=mono[a]',
    outputs: [
      {
        file,
        format: 'mp4',
        options: {},
        streams: [
          { label: 'v', encoder: 'libx264', options: { preset: 'ultrafast' } },
          { label: 'a', encoder: 'aac', options: {} },
        ],
      },
    ],
  })
}

function failure(error: unknown): TaskAnswer {
  if (error instanceof NotAVideoError) return { refused: error.code }
  // What an engine makes of a file it will make of it again. Nothing is known of damage where it has read all of it before.
  if (error instanceof TranscodeError && task.kind !== 'trial' && task.kind !== 'listen')
    return { refused: task.kind === 'convert' ? 'unreadable' : 'damaged', because: error.message }
  return { failed: error instanceof Error ? error.message : String(error) }
}

function say(words: TaskAnswer): void {
  writeSync(1, `${JSON.stringify(words)}\n`)
}

say(await answer(task).catch(failure))
