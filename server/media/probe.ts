import { open, stat } from 'node:fs/promises'
import { ALL_FORMATS, FilePathSource, Input, type InputAudioTrack, type InputVideoTrack } from 'mediabunny'

/** What a source may be at most. */
export const limits = { durationMs: 12 * 60 * 60 * 1000, side: 8192 }

/** Why a file is refused, with the sentence for people. */
export const refusals = {
  not_a_video: 'This file is not a video that we can read, or it is damaged.',
  no_video_track: 'This file has no picture, only sound or text.',
  empty: 'This video has no length.',
  too_long: 'This video is longer than 12 hours.',
  too_large_picture: 'The picture of this video is larger than 8192 pixels.',
  unsupported_codec: 'The picture of this video is stored in a way that we cannot read.',
} as const

export type RefusalCode = keyof typeof refusals

/** The file is no video that we take; `message` is the sentence for people. */
export class NotAVideoError extends Error {
  override name = 'NotAVideoError'
  readonly code: RefusalCode

  constructor(code: RefusalCode, options?: ErrorOptions) {
    super(refusals[code], options)
    this.code = code
  }
}

export type Probe = {
  /** From the first picture to the end of picture and sound. */
  durationMs: number
  /** Of the upright picture with square pixels. */
  width: number
  height: number
  /** Clockwise turn, in degrees, that shows the stored picture upright. */
  rotation: number
  fps: Fraction
  /** When the first picture is shown, on the file's own clock. */
  startSeconds: number
  videoCodec: string
  audio: { codec: string | null; channels: number } | null
  mime: string
}

export type Fraction = { num: number; den: number }

/** Looks into the file without decoding it. Throws NotAVideoError. */
export async function probe(file: string): Promise<Probe> {
  // Whether it can be read at all is the disk's matter, not the video's.
  await (await open(file)).close()
  if ((await stat(file)).size === 0) throw new NotAVideoError('not_a_video')
  using input = new Input({ source: new FilePathSource(file), formats: ALL_FORMATS })
  try {
    return checked(await look(input))
  } catch (error) {
    // The parser reports damage by whatever error its reading ran into.
    throw error instanceof NotAVideoError ? error : new NotAVideoError('not_a_video', { cause: error })
  }
}

async function look(input: Input): Promise<Probe> {
  // The parser makes the best of a torn file: nothing.
  if ((await input.getTracks()).length === 0) throw new NotAVideoError('not_a_video')
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
  if (!video) throw new NotAVideoError('no_video_track')
  const videoCodec = (await video.getCodecParameterString()) ?? (await video.getCodec())
  if (!videoCodec) throw new NotAVideoError('unsupported_codec')
  const startSeconds = await video.getFirstTimestamp()
  const end = Math.max(await video.computeDuration(), audio ? await audio.computeDuration() : 0)
  return {
    durationMs: Math.round((end - startSeconds) * 1000),
    width: await video.getDisplayWidth(),
    height: await video.getDisplayHeight(),
    rotation: await video.getRotation(),
    fps: await steadyRate(video),
    startSeconds,
    videoCodec,
    audio: audio && (await sound(audio)),
    mime: await input.getMimeType(),
  }
}

async function sound(track: InputAudioTrack) {
  return { codec: await track.getCodecParameterString(), channels: await track.getNumberOfChannels() }
}

function checked(found: Probe): Probe {
  if (found.width < 2 || found.height < 2) throw new NotAVideoError('not_a_video')
  if (Math.max(found.width, found.height) > limits.side) throw new NotAVideoError('too_large_picture')
  if (found.durationMs > limits.durationMs) throw new NotAVideoError('too_long')
  if (!(found.durationMs > 0)) throw new NotAVideoError('empty')
  return found
}

const NTSC = [24, 30, 60].map((rate) => ({ num: rate * 1000, den: 1001 }))
const SLOWEST = 10
const FASTEST = 60

async function steadyRate(video: InputVideoTrack): Promise<Fraction> {
  const { bestGuessFrameRate } = await video.computeFrameRateMetrics()
  return frameRate(bestGuessFrameRate)
}

/** The constant rate to give a video of about this rate: whole or NTSC, between 10 and 60. */
export function frameRate(rate: number): Fraction {
  if (!Number.isFinite(rate)) return { num: 30, den: 1 }
  const ntsc = NTSC.find(({ num, den }) => Math.abs(rate - num / den) < 0.01)
  return ntsc ?? { num: Math.min(FASTEST, Math.max(SLOWEST, Math.round(rate))), den: 1 }
}
