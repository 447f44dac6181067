import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ALL_FORMATS,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathSource,
  Input,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'
import { createCanvas, type Canvas } from './canvas.ts'
import { makeClip } from './clips.ts'
import type { Job } from '../../media/job.ts'
import { pickTranscoder } from '../../media/engines.ts'

/** Awkward sources for the tests, each named by what is awkward about it. */
export const samples = {
  landscape: (file: string) =>
    makeClip({ file, seconds: 14, width: 640, height: 480, style: 'orbits', title: 'Landscape', fps: 24 }),
  'portrait, silent': (file: string) =>
    makeClip({ file, seconds: 3, width: 270, height: 480, style: 'pulse', tone: null }),
  'shorter than a second': (file: string) =>
    makeClip({ file, seconds: 0.4, width: 320, height: 240, style: 'bars' }),
  'tiny, mono sound longer than the picture': (file: string) =>
    encode({
      file,
      seconds: 2,
      video: 'fps=20',
      audio: 'sine=d=4.5,aformat=sample_fmts=fltp:channel_layouts=mono',
    }),
  'odd sides, uneven rate': (file: string) =>
    encode({
      file,
      seconds: 4,
      video: `scale=428:242,format=yuv444p,crop=427:241,select='lt(n,20)+not(mod(n,7))'`,
    }),
  'turned on its side': turned,
}

type Recipe = { file: string; seconds: number; video: string; audio?: string }

async function encode({ file, seconds, video, audio }: Recipe) {
  const transcoder = await pickTranscoder()
  const canvas = createCanvas(160, 120)
  const picture = { label: 'v', encoder: 'libx264' as const, options: { preset: 'ultrafast' } }
  const sound = { label: 'a', encoder: 'aac' as const, options: {} }
  await transcoder.run({
    input: { width: canvas.width, height: canvas.height, fps: 20, frames: shades(canvas, seconds * 20) },
    video: `[0:v]${video}[v]`,
    ...(audio && { audio: `${audio}[a]` }),
    outputs: [{ file, format: 'mp4', options: {}, streams: audio ? [picture, sound] : [picture] }],
  } satisfies Job)
}

function* shades(canvas: Canvas, count: number): Generator<Buffer> {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(canvas.data.length, 40 + index)
}

/** A landscape picture stored with the note to turn it, as phones do. */
async function turned(file: string) {
  const upright = `${file}.upright.mp4`
  await makeClip({ file: upright, seconds: 2, width: 480, height: 270, style: 'stairs', tone: null })
  using input = new Input({ source: new FilePathSource(upright), formats: ALL_FORMATS })
  const track = await input.getPrimaryVideoTrack()
  const decoderConfig = await track?.getDecoderConfig()
  if (!track || !decoderConfig) throw new Error('The sample has no picture')
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat(), target })
  const source = new EncodedVideoPacketSource('avc')
  output.addVideoTrack(source, { rotation: 90 })
  await output.start()
  for await (const packet of new EncodedPacketSink(track).packets())
    await source.add(packet, { decoderConfig })
  await output.finalize()
  await writeFile(file, Buffer.from(target.buffer ?? new ArrayBuffer(0)))
}

/** Makes one sample in the folder; its path. */
export async function makeSample(folder: string, name: keyof typeof samples): Promise<string> {
  const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.mp4`)
  await samples[name](file)
  return file
}
