import type { Demuxer } from '#contract/videos/video-head.ts'

/** Raw 4:2:0 planar pictures, one buffer per frame, made by the caller. */
export type RawInput = { width: number; height: number; fps: number; frames: Iterable<Buffer> }

/** Numbers of the tracks that are read of a file; its first of each kind where none is named. */
export type Tracks = { picture: number; sound: number | null }

export type FileInput = {
  file: string
  /** FFmpeg's name of the one reader that may open the file: what the file says of itself is not asked. */
  format: Demuxer | 'png_pipe' | 'jpeg_pipe' | 'webp_pipe'
  tracks?: Tracks
  keyFramesOnly?: boolean
}

export type JobStream = {
  /** Label of the filter graph, without brackets. */
  label: string
  encoder: 'libx264' | 'aac' | 'mjpeg' | 'libwebp'
  options: Record<string, string>
}

export type JobOutput = {
  file: string
  format: 'hls' | 'mp4' | 'image2'
  options: Record<string, string>
  streams: JobStream[]
}

/**
 * One run of an engine: one input, decoded once, one filter graph per medium (FFmpeg's syntax; `[0:v]` and
 * `[0:a]` are the input), any number of outputs. The input's own timestamps reach the graphs unchanged but where `keepsItsTimes` says
 * otherwise.
 */
export type Job = {
  input: FileInput | RawInput
  video: string
  audio?: string
  outputs: JobOutput[]
  /** Seconds of finished output, now and then. */
  onTime?: (seconds: number) => void
  /** Each picture as it comes out of its decoder, on the file's own clock, and each time a decoder or reader complains. */
  watch?: { onPicture: (seconds: number) => void; onComplaint: () => void }
}

/** A track as its engine has opened it. `codec` as FFmpeg calls it. */
export type OpenedTrack = {
  index: number
  kind: 'picture' | 'sound' | 'other'
  codec: string
  isDefault: boolean
  /** A cover or a thumbnail, which moves as little as it is the film. */
  isStill: boolean
  width: number
  height: number
}

/** `endSeconds`: where the file says itself that it ends; null where it does not. All seconds are on its own clock. */
export type Opened = { tracks: OpenedTrack[]; endSeconds: number | null }

/** The first picture that can be decoded, upright. `sar` is the width of a pixel by its height, `transfer` FFmpeg's name of its curve. */
export type FirstPicture = { seconds: number; width: number; height: number; sar: number; transfer: string }

/** What a file holds, piece by piece: packets that are to be shown or heard, and decoded sound. */
export type Measure = {
  onPacket: (kind: keyof Tracks, seconds: number, length: number) => void
  onSound: (seconds: number, length: number) => void
}

export type Transcoder = {
  name: 'cli' | 'av'
  /** Has the filters that bring pictures of phones to what usual screens show. */
  toneMaps: boolean
  run: (job: Job) => Promise<void>
  open: (input: FileInput) => Promise<Opened>
  /** Null where none can be decoded. */
  firstPicture: (input: FileInput) => Promise<FirstPicture | null>
  /** Reads the file to its end and decodes the sound, which goes through `graph` (`[0:a]` to `[a]`) in pieces of about a second. */
  measure: (input: FileInput, graph: string, figures: Measure) => Promise<void>
}

/** The engine could not do the job; the message holds its last words. */
export class TranscodeError extends Error {
  override name = 'TranscodeError'
}

/** It is this machine that cannot, and no file: there is no engine, or the one there is cannot do a second of video either. */
export class EngineError extends TranscodeError {
  override name = 'EngineError'
}

/** Each decoder and encoder has so many, whatever the machine: memory goes with them, and several videos are made at once. */
export const threads = '2'

/**
 * Whether the times of a file are taken as they stand. A transport stream is made to be cut and put together again, so its clock may
 * begin anew at any packet: there an engine counts on as players do where the clock leaps by more than ten seconds, or back at all.
 */
export const keepsItsTimes = ({ format }: FileInput) => format !== 'mpegts'

/** What holds for whatever either engine opens: this one reader, files of this machine, and nothing that the file names. */
export function inputOptions({ format }: FileInput): Record<string, string> {
  return {
    format_whitelist: format,
    protocol_whitelist: 'file',
    ...(format === 'mov' && { enable_drefs: '0', use_absolute_path: '0' }),
  }
}
