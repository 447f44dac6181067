import { pickTranscoder } from '../../media/engines.ts'
import { probe } from '../../media/probe.ts'
import { recogniseSource } from '../../media/process.ts'

/** What is in a file: first what it says itself, then what its engine finds. */
export async function probeSource(source: string) {
  const container = await recogniseSource(source)
  const found = await probe({ source, demuxer: container.demuxer, transcoder: await pickTranscoder() })
  return { ...container, ...found }
}
