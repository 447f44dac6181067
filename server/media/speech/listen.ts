import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { TranscodeError } from '../job.ts'
import type { ListenTask, TaskAnswer } from '../task.ts'
import { feedLanes, openInput, openLane, secondsOf, withRun, type Av } from '../transcode-av.ts'
import { heardFile, modelFile, soundFile } from './places.ts'

/** So many seconds are listened to in one go: the progress moves as often, and where two of them meet a word may be cut. */
const atOnce = 120
/** What the library says is told on a later turn of this process. */
const afterwardsMs = 50

/**
 * Writes down what is said, inside this process, which belongs into a child. The library works on its own threads while this one waits for
 * it, so nothing else happens here meanwhile. Throws TranscodeError.
 */
export async function listen(
  { input, output, language, threads }: ListenTask,
  onTime: (seconds: number) => void,
): Promise<TaskAnswer> {
  // Names without a folder need no signs around them in the text of a graph, wherever the folders lie.
  process.chdir(output)
  const model = path.relative(output, path.join(input, modelFile)).replaceAll('\\', '/')
  const said: string[] = []
  const work = withRun(async (run) => {
    const { av, closers } = run
    hear(av, closers, said)
    run.graphThreads = threads
    await using demuxer = await openInput(av, { file: path.join(input, soundFile), format: 'mov' })
    const stream = demuxer.audio()
    if (!stream) throw new TranscodeError('There is no sound.')
    const take = (frame: Parameters<typeof secondsOf>[1] | null) => {
      // What has come out is written down as far as the filter has listened, which waits until it has enough.
      if (frame) onTime(Math.floor((secondsOf(av, frame) ?? 0) / atOnce) * atOnce)
    }
    run.sinks.push({ label: 'a', take, pad: null, done: false })
    const options = { model, language, queue: atOnce, use_gpu: 0, destination: heardFile, format: 'srt' }
    const told = Object.entries(options).map(([name, value]) => `${name}=${value}`)
    const form = 'aformat=sample_fmts=flt:sample_rates=16000:channel_layouts=mono'
    await feedLanes(demuxer, [
      await openLane(run, { stream, text: `[0:a]${form},whisper=${told.join(':')}[a]` }),
    ])
    await pause(afterwardsMs)
  })
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure === undefined) return { heard: { language: languageIn(said) } }
  await pause(afterwardsMs)
  if (!said.some((line) => line.includes('Failed to initialize whisper context'))) throw failure
  return { unfit: said.join('') }
}

/** What the filter says beside its text: what the sound is in, and why a model cannot be loaded. */
function hear(av: Av, closers: (() => void)[], said: string[]) {
  av.Log.setLevel(av.AV_LOG_DEBUG)
  av.Log.setCallback(
    (_level, message) => {
      if (/whisper/i.test(message) && /auto-detected|fail|error|invalid|bad/i.test(message))
        said.push(message)
    },
    { maxLevel: av.AV_LOG_DEBUG },
  )
  closers.push(() => {
    av.Log.resetCallback()
    av.Log.setLevel(av.AV_LOG_FATAL)
  })
}

/** The language of most pieces; null where it was not to be found out. */
function languageIn(said: string[]): string | null {
  const counts = new Map<string, number>()
  for (const line of said) {
    const [, found] = /auto-detected language: ([a-z]{2,3})\b/.exec(line) ?? []
    if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null
}
