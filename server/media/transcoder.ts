import type { Transcoder } from './job.ts'
import { firstPictureByNodeAv, measureWithNodeAv, openWithNodeAv } from './look-av.ts'
import { firstPictureByFfmpeg, measureWithFfmpeg, openWithFfmpeg } from './look-cli.ts'
import { runWithNodeAv } from './transcode-av.ts'
import { runWithFfmpeg } from './transcode-cli.ts'

/** An engine by name, as it can be handed to another process. `libraries` are the files that the program needs to begin. */
export type Engine = { name: 'cli'; ffmpeg: string; libraries: string[]; toneMaps: boolean } | { name: 'av' }

export function transcoderOf(engine: Engine): Transcoder {
  if (engine.name === 'av')
    return {
      name: 'av',
      toneMaps: true,
      run: runWithNodeAv,
      open: openWithNodeAv,
      firstPicture: firstPictureByNodeAv,
      measure: measureWithNodeAv,
    }
  return {
    name: 'cli',
    toneMaps: engine.toneMaps,
    run: (job) => runWithFfmpeg(engine, job),
    open: (input) => openWithFfmpeg(engine, input),
    firstPicture: (input) => firstPictureByFfmpeg(engine, input),
    measure: (input, graph, figures) => measureWithFfmpeg(engine, { input, graph, figures }),
  }
}
