import type { Transcoder } from './job.ts'
import { runWithNodeAv } from './transcode-av.ts'
import { runWithFfmpeg } from './transcode-cli.ts'

/** An engine by name, as it can be handed to another process. `libraries` are the files that the program needs to begin. */
export type Engine = { name: 'cli'; ffmpeg: string; libraries: string[]; toneMaps: boolean } | { name: 'av' }

export function transcoderOf(engine: Engine): Transcoder {
  return engine.name === 'cli'
    ? { name: 'cli', toneMaps: engine.toneMaps, run: (job) => runWithFfmpeg(engine, job) }
    : { name: 'av', toneMaps: true, run: runWithNodeAv }
}
