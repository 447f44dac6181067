import { largestPicture, type Demuxer } from '#contract/videos/video-head.ts'
import {
  keepsItsTimes,
  type FileInput,
  type FirstPicture,
  type OpenedTrack,
  type Tracks,
  type Transcoder,
} from './job.ts'
import { measure, type Measured } from './measure.ts'
import type { FileRefusal } from '#contract/videos/videos.ts'
import { NotAVideoError } from './refusals.ts'

/** What a source may be at most; `work` is in pixels: twelve hours of Full HD with 30 pictures a second. */
export const limits = {
  durationMs: 12 * 60 * 60 * 1000,
  work: 12 * 60 * 60 * 30 * 1920 * 1080,
}

/** What an engine has found in a file, and so what it makes of it. */
export type Probe = {
  /** How FFmpeg's reader for this file is called. */
  demuxer: Demuxer
  tracks: Tracks
  /** The file has sound that cannot be made into ours. */
  isSoundLost: boolean
  /** From the first picture or sound to the end of the last, in whole pictures. */
  durationMs: number
  /** What the file says itself where that is longer. */
  promisedMs: number
  /** Of the upright picture with square pixels. */
  width: number
  height: number
  fps: Fraction
  /** When the first picture or sound comes, and when the last picture, on the file's own clock. */
  startSeconds: number
  lastSeconds: number
  /** How brightness is stored where it is more than a usual screen shows. */
  hdr: 'pq' | 'hlg' | null
}

export type Fraction = { num: number; den: number }

type Look = { source: string; demuxer: Demuxer; transcoder: Transcoder }

/**
 * Asks the engine that will convert a file what is in it, so that nothing is promised which it does not find. Belongs into a child
 * process. Throws NotAVideoError, and TranscodeError where the engine cannot open it.
 */
export async function probe({ source, demuxer, transcoder }: Look): Promise<Probe> {
  const input: FileInput = { file: source, format: demuxer }
  const { tracks, endSeconds: said } = await transcoder.open(input)
  // What a stream says of its end is reckoned from the first and the last time in it, which do not belong to one clock.
  const endSeconds = keepsItsTimes(input) ? said : null
  const picture = pictureOf(tracks)
  const sounds = tracks.filter(({ kind }) => kind === 'sound').toSorted(defaultFirst)
  const first = await transcoder.firstPicture({ ...input, tracks: { picture: picture.index, sound: null } })
  const sought = { picture: picture.index, sounds: sounds.map(({ index }) => index) }
  const measured = await measure({ transcoder, input, sought, mostMs: limits.durationMs })
  // There are pictures, and none of them can be decoded.
  if (!first) throw new NotAVideoError('damaged')
  const shape = shapeOf(first)
  const { tracks: read, isSoundLost } = measured
  return checked({
    demuxer,
    tracks: read,
    isSoundLost,
    ...shape,
    ...timesOf({ first, measured, endSeconds }),
  })
}

const defaultFirst = (a: OpenedTrack, b: OpenedTrack) => Number(b.isDefault) - Number(a.isDefault)

/** The picture that the file wants to be shown, if it is one that we take. */
function pictureOf(tracks: OpenedTrack[]): OpenedTrack {
  if (tracks.length === 0) throw new NotAVideoError('not_a_video')
  const pictures = tracks.filter(({ kind, isStill }) => kind === 'picture' && !isStill).toSorted(defaultFirst)
  const picture = pictures.find(({ codec }) => readable.has(codec))
  const [other] = pictures
  if (!picture && !other) throw new NotAVideoError('no_video_track')
  if (!picture) throw new NotAVideoError(refusals[other?.codec ?? ''] ?? 'unsupported_codec')
  requireSize(picture)
  return picture
}

/** Pictures that an engine may decode, as FFmpeg calls them, and the names of those that it may not. */
const readable = new Set(['h264', 'hevc', 'vp8', 'vp9', 'av1', 'prores'])
const refusals: Record<string, FileRefusal> = {
  mpeg1video: 'mpeg1',
  mpeg2video: 'mpeg2',
  dvvideo: 'dv',
  mpeg4: 'mpeg4_part_2',
  msmpeg4v2: 'mpeg4_part_2',
  msmpeg4v3: 'mpeg4_part_2',
  wmv1: 'wmv',
  wmv2: 'wmv',
  wmv3: 'wmv',
  vc1: 'wmv',
  flv1: 'flv',
  vp6f: 'flv',
}

function requireSize({ width, height }: { width: number; height: number }) {
  if (Math.max(width, height) > largestPicture.side || width * height > largestPicture.pixels)
    throw new NotAVideoError('too_large_picture')
}

function shapeOf({ width, height, sar, transfer }: FirstPicture) {
  const curves: Record<string, Probe['hdr']> = { smpte2084: 'pq', 'arib-std-b67': 'hlg' }
  // Lines stay as they are, whatever the shape of a pixel: they may be those of half pictures.
  return { width: Math.round(width * sar), height, hdr: curves[transfer] ?? null }
}

type Times = { first: FirstPicture; measured: Measured; endSeconds: number | null }

/** The clock of the video begins with what comes first, picture or sound, and ends with what ends last. */
function timesOf({ first, measured: { pictures, sound }, endSeconds }: Times) {
  const fps = frameRate(pictures.rate)
  const startSeconds = Math.min(first.seconds, sound?.start ?? Infinity)
  const inPictures = (end: number) => Math.max(1, Math.round((end - startSeconds) * (fps.num / fps.den)))
  const length = (count: number) => Math.round((count * fps.den * 1000) / fps.num)
  const ends = [pictures, sound].map((each) => (each === null ? -Infinity : endOf(each, endSeconds)))
  const durationMs = length(inPictures(Math.max(...ends)))
  const promisedMs = endSeconds === null ? durationMs : length(inPictures(endSeconds))
  return {
    fps,
    startSeconds,
    lastSeconds: pictures.last,
    durationMs,
    promisedMs: Math.max(durationMs, promisedMs),
  }
}

/** What the last packet has beyond the end of the file only fills it up: sound comes in packets of a fixed length. */
function endOf({ end, lastLength }: { end: number; lastLength: number }, endSeconds: number | null): number {
  return endSeconds === null ? end : Math.min(end, Math.max(endSeconds, end - lastLength))
}

function checked(found: Probe): Probe {
  if (!(found.width >= 2 && found.height >= 2)) throw new NotAVideoError('damaged')
  requireSize(found)
  if (found.durationMs > limits.durationMs) throw new NotAVideoError('too_long')
  if (workOf(found) > limits.work) throw new NotAVideoError('too_much_picture')
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

const SLOWEST = 10
const FASTEST = 60
/** By how much measured rates of pictures miss the rate that is meant. */
const NEARLY = 0.01

/** The constant rate to give a video of about this rate: whole, NTSC or half, between 10 and 60. */
export function frameRate(rate: number): Fraction {
  if (!Number.isFinite(rate)) return { num: 30, den: 1 }
  const bounded = Math.min(FASTEST, Math.max(SLOWEST, rate))
  const isNear = (value: number) => Math.abs(bounded - value) < NEARLY
  const whole = Math.round(bounded)
  if (isNear(whole)) return { num: whole, den: 1 }
  const ntsc = Math.round(bounded * 1.001)
  if (isNear(ntsc / 1.001)) return { num: ntsc * 1000, den: 1001 }
  const doubled = Math.round(2 * bounded)
  return isNear(doubled / 2) ? { num: doubled, den: 2 } : { num: whole, den: 1 }
}
