import type { Demuxer } from './containers.ts'

/** Raw 4:2:0 planar pictures, one buffer per frame, made by the caller. */
export type RawInput = { width: number; height: number; fps: number; frames: Iterable<Buffer> }

export type FileInput = {
  file: string
  /** FFmpeg's name of the one reader that may open the file: what the file says of itself is not asked. */
  format: Demuxer | 'png_pipe' | 'jpeg_pipe' | 'webp_pipe'
  /** Clockwise turn, in degrees, that shows the picture upright. */
  rotation?: number
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
 * `[0:a]` are the input), any number of outputs. The input's own timestamps reach the graphs unchanged.
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

export type Transcoder = {
  name: 'cli' | 'av'
  /** Has the filters that bring pictures of phones to what usual screens show. */
  toneMaps: boolean
  run: (job: Job) => Promise<void>
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

/** What holds for whatever either engine opens: this one reader, files of this machine, and nothing that the file names. */
export function inputOptions({ format }: FileInput): Record<string, string> {
  return {
    format_whitelist: format,
    protocol_whitelist: 'file',
    ...(format === 'mov' && { enable_drefs: '0', use_absolute_path: '0' }),
  }
}
