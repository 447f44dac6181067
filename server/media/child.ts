import { writeSync } from 'node:fs'
import { TranscodeError } from './job.ts'
import { makePictures } from './pictures.ts'
import { probe } from './probe.ts'
import { drawPicture } from './redraw-job.ts'
import { NotAVideoError } from './refusals.ts'
import type { TaskAnswer, Task } from './task.ts'
import { transcode } from './transcode.ts'
import { transcoderOf } from './transcoder.ts'

/** The one program that opens what was uploaded. It knows nothing but its task, and answers in lines of JSON. */
async function answer(task: Task): Promise<TaskAnswer> {
  switch (task.kind) {
    case 'probe':
      return { probe: await probe(3) }
    case 'convert':
      return { made: await convert(task) }
    case 'redraw':
      await drawPicture(task)
      return { drawn: true }
  }
}

/** How much of the work the pictures are. */
const PICTURES = 0.04

async function convert({ engine, ...task }: Extract<Task, { kind: 'convert' }>) {
  const { outDir, probe } = task
  const transcoder = transcoderOf(engine)
  const onProgress = (fraction: number) => say({ progress: fraction * (1 - PICTURES) })
  const { renditions, durationMs, warnings } = await transcode({ ...task, transcoder, onProgress })
  const pictures = await makePictures({ outDir, renditions, durationMs, transcoder })
  return { durationMs, width: probe.width, height: probe.height, renditions, warnings, ...pictures }
}

function failure(error: unknown): TaskAnswer {
  if (error instanceof NotAVideoError) return { refused: error.code }
  // What an engine makes of a file it will make of it again.
  if (error instanceof TranscodeError) return { refused: 'damaged', because: error.message }
  return { failed: error instanceof Error ? error.message : String(error) }
}

function say(words: TaskAnswer): void {
  writeSync(1, `${JSON.stringify(words)}\n`)
}

say(await answer(JSON.parse(process.argv[2] ?? '') as Task).catch(failure))
