/** Raw 4:2:0 planar pictures, one buffer per frame, made by the caller. */
export type RawInput = { width: number; height: number; fps: number; frames: Iterable<Buffer> }

export type FileInput = {
  /** A path, or several: pieces of one file. */
  file: string | string[]
  /** Clockwise turn, in degrees, that shows the picture upright. */
  rotation?: number
  /** A single picture of this kind, as it is stored; without it the file says what it is. */
  format?: 'png_pipe' | 'jpeg_pipe' | 'webp_pipe'
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
  signal?: AbortSignal
}

export type Transcoder = { name: 'cli' | 'av'; run: (job: Job) => Promise<void> }

/** The engine could not do the job; the message holds its last words. */
export class TranscodeError extends Error {
  override name = 'TranscodeError'
}

/** Address under which FFmpeg reads pieces as one file. */
export function joined(pieces: string[]): string {
  return `concat:${pieces.join('|')}`
}
