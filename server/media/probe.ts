import { fstatSync, readSync } from 'node:fs'
import {
  CustomSource,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
} from 'mediabunny'
import { recognise, type Demuxer } from './containers.ts'
import { NotAVideoError } from './refusals.ts'

/** What a source may be at most; `work` is in pixels: twelve hours of Full HD with 30 pictures a second. */
export const limits = {
  durationMs: 12 * 60 * 60 * 1000,
  side: 8192,
  pixels: 4096 * 4096,
  work: 12 * 60 * 60 * 30 * 1920 * 1080,
}

export type Probe = {
  /** How FFmpeg's reader for this file is called. */
  demuxer: Demuxer
  /** From the first picture to the end of picture and sound. */
  durationMs: number
  /** Of the upright picture with square pixels. */
  width: number
  height: number
  /** Clockwise turn, in degrees, that shows the stored picture upright. */
  rotation: number
  fps: Fraction
  /** When the first and the last picture are shown, on the file's own clock. */
  startSeconds: number
  lastSeconds: number
  videoCodec: string
  /** How brightness is stored where it is more than a usual screen shows. */
  hdr: 'pq' | 'hlg' | null
  audio: { codec: string | null; channels: number } | null
  mime: string
  /** The file is shorter than it says itself. */
  isCut: boolean
}

export type Fraction = { num: number; den: number }

/** Looks into an open file without decoding it: belongs into a child process. Throws NotAVideoError. */
export async function probe(fd: number): Promise<Probe> {
  const { size } = fstatSync(fd)
  if (size === 0) throw new NotAVideoError('not_a_video')
  try {
    const { demuxer, formats, isCut } = recognise(fd, size)
    using input = new Input({ source: sourceOf(fd, size), formats })
    const { video, audio } = await tracksOf(input)
    if (demuxer === null) throw new NotAVideoError('not_a_video')
    const found = checked({ demuxer, isCut, ...(await look(video, audio)), mime: await input.getMimeType() })
    await checkDensity(video, found.durationMs / 1000)
    return found
  } catch (error) {
    // The parser reports damage by whatever error its reading ran into.
    throw error instanceof NotAVideoError ? error : new NotAVideoError('not_a_video', { cause: error })
  }
}

function sourceOf(fd: number, size: number): CustomSource {
  return new CustomSource({
    getSize: () => size,
    read(start, end) {
      const bytes = new Uint8Array(end - start)
      if (readSync(fd, bytes, 0, bytes.length, start) < bytes.length)
        throw new Error('the file became shorter')
      return bytes
    },
  })
}

async function tracksOf(input: Input) {
  // The parser makes the best of a torn file: nothing.
  if ((await input.getTracks()).length === 0) throw new NotAVideoError('not_a_video')
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
  if (!video) throw new NotAVideoError('no_video_track')
  return { video, audio }
}

const mpeg4Part2 = /^(mp4v|xvid|divx|dx50|fmp4|V_MPEG4\/ISO\/(SP|ASP|AP)|V_MPEG4\/MS\/V3)$/i

async function codecOf(video: InputVideoTrack): Promise<string> {
  const codec = (await video.getCodecParameterString()) ?? (await video.getCodec())
  if (codec) return codec
  const id = await video.getInternalCodecId()
  throw new NotAVideoError(
    typeof id === 'string' && mpeg4Part2.test(id) ? 'mpeg4_part_2' : 'unsupported_codec',
  )
}

async function look(video: InputVideoTrack, audio: InputAudioTrack | null) {
  const videoCodec = await codecOf(video)
  const startSeconds = await video.getFirstTimestamp()
  const last = await new EncodedPacketSink(video).getPacket(Infinity, { metadataOnly: true })
  const end = Math.max(await video.computeDuration(), audio ? await audio.computeDuration() : 0)
  const { bestGuessFrameRate } = await video.computeFrameRateMetrics()
  const { transfer } = await video.getColorSpace()
  return {
    durationMs: Math.round((end - startSeconds) * 1000),
    width: await video.getDisplayWidth(),
    height: await video.getDisplayHeight(),
    rotation: await video.getRotation(),
    fps: frameRate(bestGuessFrameRate),
    startSeconds,
    lastSeconds: last?.timestamp ?? startSeconds,
    videoCodec,
    hdr: transfer === 'pq' || transfer === 'hlg' ? transfer : null,
    audio: audio && {
      codec: await audio.getCodecParameterString(),
      channels: await audio.getNumberOfChannels(),
    },
  }
}

/** A few pictures that claim hours would be work for hours: so long a video with one picture in half a minute is damaged. */
async function checkDensity(video: InputVideoTrack, seconds: number) {
  const enough = Math.ceil(limits.durationMs / 30_000)
  const { packetCount } = await video.computePacketStats(enough, { metadataOnly: true })
  if (seconds > 120 && packetCount < Math.min(enough, seconds / 30)) throw new NotAVideoError('not_a_video')
}

function checked(found: Probe): Probe {
  const { width, height, durationMs, fps } = found
  if (!(width >= 2 && height >= 2)) throw new NotAVideoError('not_a_video')
  if (Math.max(width, height) > limits.side || width * height > limits.pixels)
    throw new NotAVideoError('too_large_picture')
  if (durationMs > limits.durationMs) throw new NotAVideoError('too_long')
  if (!(durationMs > 0)) throw new NotAVideoError('empty')
  if (workOf({ width, height, durationMs, fps }) > limits.work) throw new NotAVideoError('too_much_picture')
  return found
}

/** How many pixels have to be read. */
export function workOf({
  width,
  height,
  durationMs,
  fps,
}: Pick<Probe, 'width' | 'height' | 'durationMs' | 'fps'>) {
  return width * height * Math.ceil((durationMs / 1000) * (fps.num / fps.den))
}

const NTSC = [24, 30, 60].map((rate) => ({ num: rate * 1000, den: 1001 }))
const SLOWEST = 10
const FASTEST = 60

/** The constant rate to give a video of about this rate: whole or NTSC, between 10 and 60. */
export function frameRate(rate: number): Fraction {
  if (!Number.isFinite(rate)) return { num: 30, den: 1 }
  const ntsc = NTSC.find(({ num, den }) => Math.abs(rate - num / den) < 0.01)
  return ntsc ?? { num: Math.min(FASTEST, Math.max(SLOWEST, Math.round(rate))), den: 1 }
}
