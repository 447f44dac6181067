import * as z from 'zod/mini'
import { warningCodes } from '#contract/videos/videos.ts'
import { demuxers } from '#contract/videos/video-head.ts'
import type { Container } from './containers.ts'
import type { PictureHead } from './pictures/picture-head.ts'
import type { Probe } from './probe.ts'
import { refusalCodes } from '#contract/videos/videos.ts'
import type { Engine } from './transcoder.ts'

export type RedrawTask = {
  kind: 'redraw'
  source: string
  outDir: string
  engine: Engine
  /** `mov`: a piece of a video that was made here. */
  format: PictureHead['format'] | 'mov'
  filter: string
  out: 'out.webp' | 'out.jpg'
  /** Of a JPEG, as FFmpeg counts: 2 is best. */
  quality?: number | undefined
  /** Of several pictures the last one is kept, and not the first. */
  isLast?: true | undefined
}

/** What the child is asked. Of a file that is only recognised it gets the open file as number 3, and no path. */
export type Task =
  | { kind: 'recognise' }
  | { kind: 'probe'; source: string; engine: Engine; demuxer: Container['demuxer'] }
  | { kind: 'convert'; source: string; outDir: string; engine: Engine; probe: Probe }
  | TrialTask
  | RedrawTask
  | ListenTask

/** What is said in a sound, written down by a model; see `speech/places.ts` for the files. */
export type ListenTask = {
  kind: 'listen'
  input: string
  output: string
  language: string
  threads: number
  durationMs: number
}

/** Whether the engine does what it is there for: a second of video, made by it and converted as an upload is. */
export type TrialTask = { kind: 'trial'; outDir: string; engine: Engine }

const Whole = z.number().check(z.int(), z.gte(0))
const Side = Whole.check(z.lte(65_535))
const Fraction = z.object({ num: Whole, den: Whole.check(z.gte(1)) })
/** Names of files and of the folder before them: nothing that leads elsewhere. */
const Name = z.string().check(z.regex(/^(?:\w[\w-]{0,40}\/)?\w[\w-]{0,40}\.[a-z0-9]{2,4}$/))

const ContainerReply = z.object({
  demuxer: z.enum(demuxers),
  isCut: z.boolean(),
}) satisfies z.ZodMiniType<Container>

const ProbeReply = z.object({
  demuxer: z.enum(demuxers),
  tracks: z.object({ picture: Whole, sound: z.nullable(Whole) }),
  isSoundLost: z.boolean(),
  durationMs: Whole,
  promisedMs: Whole,
  width: Side,
  height: Side,
  fps: Fraction,
  startSeconds: z.number(),
  lastSeconds: z.number(),
  hdr: z.nullable(z.enum(['pq', 'hlg'])),
}) satisfies z.ZodMiniType<Probe>

const Rendition = z.object({
  name: z.string().check(z.regex(/^\d{1,5}p$/)),
  width: Side,
  height: Side,
  /** Average bits per second of the picture, measured. */
  bitrate: Whole,
  codecs: z.string().check(z.regex(/^avc1\.[0-9a-f]{6}$/)),
})
export type Rendition = z.infer<typeof Rendition>

const Storyboard = z.object({
  file: Name,
  tileWidth: Side,
  tileHeight: Side,
  intervalMs: Whole,
  sheets: z.array(Name).check(z.maxLength(500)),
})
export type Storyboard = z.infer<typeof Storyboard>

/** What is wrong between these instants; `contract/videos/videos.ts` says what each means. */
const Warning = z.object({ code: z.enum(warningCodes), startMs: Whole, endMs: Whole })
export type Warning = z.infer<typeof Warning>

const MadeFiles = z.object({
  durationMs: Whole,
  width: Side,
  height: Side,
  renditions: z.array(Rendition).check(z.minLength(1), z.maxLength(10)),
  poster: Name,
  posterSmall: Name,
  /** A data URL. */
  blur: z.string().check(z.maxLength(4_096), z.regex(/^data:image\/jpeg;base64,[A-Za-z0-9+/]+=*$/)),
  storyboard: Storyboard,
  /** What people should know about a video that plays all the same. */
  warnings: z.array(Warning).check(z.maxLength(30)),
})
export type MadeFiles = z.infer<typeof MadeFiles>

/** What the child says. It has read a hostile file, so nothing of it is believed unseen. */
export const TaskAnswer = z.union([
  z.object({ progress: z.number().check(z.gte(0), z.lte(1)) }),
  /** `because`: the engine's last words, for the log. */
  z.object({ refused: z.enum(refusalCodes), because: z.optional(z.string()) }),
  z.object({ failed: z.string() }),
  z.object({ container: ContainerReply }),
  z.object({ probe: ProbeReply }),
  z.object({ made: MadeFiles }),
  z.object({ drawn: z.literal(true) }),
  z.object({ heard: z.object({ language: z.nullable(z.string().check(z.regex(/^[a-z]{2,3}$/))) }) }),
  /** The model cannot be loaded; the library's own words. */
  z.object({ unfit: z.string() }),
  z.object({ tried: z.object({ toneMaps: z.boolean() }) }),
])
export type TaskAnswer = z.infer<typeof TaskAnswer>
