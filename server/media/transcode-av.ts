import { setImmediate as breathe } from 'node:timers/promises'
import type { Decoder, Demuxer, Encoder, Muxer } from 'node-av/api'
import type { AVSampleFormat } from 'node-av/constants'
import type { CodecContext, FilterContext, FilterGraph, Frame, Packet, Stream } from 'node-av/lib'
import {
  inputOptions,
  keepsItsTimes,
  threads,
  TranscodeError,
  type FileInput,
  type Job,
  type JobOutput,
  type JobStream,
  type RawInput,
} from './job.ts'
import { NotAVideoError } from './refusals.ts'
import { turnOf } from './pictures/turn.ts'

export type Av = typeof import('node-av/api') &
  typeof import('node-av/lib') &
  typeof import('node-av/constants')
/** Where frames leave a graph; null is the end of them. */
type Sink = { label: string; take: (frame: Frame | null) => void; pad: FilterContext | null; done: boolean }
type Branch = { graph: FilterGraph; source: FilterContext | null; sinks: Sink[] }
/** What the steps of one run share. */
export type AvRun = {
  av: Av
  sinks: Sink[]
  closers: (() => void)[]
  /** Of the filters; as many as the machine has cores where it is not said. */
  graphThreads?: number
}
type JobRun = AvRun & { job: Job; encoders: Map<string, Encoder>; reported: number }

let loaded: Promise<Av> | undefined

/** node-av is an optional package with native code: nothing of it is loaded before the first job. */
export function load(): Promise<Av> {
  loaded ??= Promise.all([import('node-av/api'), import('node-av/lib'), import('node-av/constants')]).then(
    ([api, lib, constants]) => {
      lib.Log.setLevel(constants.AV_LOG_FATAL)
      return { ...api, ...lib, ...constants }
    },
  )
  return loaded
}

/**
 * Runs the job inside this process: belongs into a child process. The native calls are synchronous (the codecs
 * have threads of their own); the loop gives way to the event loop after every few packets.
 */
export async function runWithNodeAv(job: Job): Promise<void> {
  await withRun(async (begun) => {
    const run: JobRun = { ...begun, job, encoders: new Map(), reported: 0 }
    if (job.watch) listen(run, job.watch.onComplaint)
    for (const output of job.outputs) await openOutput(run, output)
    await ('frames' in job.input ? runFrames(run, job.input) : runFile(run, job.input))
    if ([...run.encoders].some(([label, encoder]) => label.startsWith('v') && !encoder.isEncoderInitialized))
      throw new TranscodeError('The video has no picture that can be decoded.')
  })
}

/** Whatever goes wrong in it is a TranscodeError, unless the file was refused; what it has opened is closed. */
export async function withRun<T>(work: (run: AvRun) => Promise<T>): Promise<T> {
  const run: AvRun = { av: await load(), sinks: [], closers: [] }
  try {
    return await work(run)
  } catch (error) {
    if (error instanceof TranscodeError || error instanceof NotAVideoError) throw error
    throw new TranscodeError(String(error), { cause: error })
  } finally {
    for (const close of run.closers.toReversed()) close()
  }
}

function listen({ av, closers }: AvRun, onComplaint: () => void) {
  av.Log.setLevel(av.AV_LOG_ERROR)
  av.Log.setCallback(onComplaint, { maxLevel: av.AV_LOG_ERROR })
  closers.push(() => {
    av.Log.resetCallback()
    av.Log.setLevel(av.AV_LOG_FATAL)
  })
}

async function openOutput(run: JobRun, output: JobOutput) {
  const muxer = await run.av.Muxer.open(output.file, { format: output.format, options: output.options })
  run.closers.push(() => muxer.closeSync())
  for (const { label, encoder: name, options } of output.streams) {
    const configure = (context: CodecContext) => setUp(run.av, context, options)
    const encoder = await run.av.Encoder.create(codecOf(run.av, name), { configure })
    run.closers.push(() => encoder.close())
    run.encoders.set(label, encoder)
    const into = { encoder, muxer, index: muxer.addStream(encoder), isFirst: run.sinks.length === 0 }
    run.sinks.push({ label, take: (frame) => encode(run, into, frame), pad: null, done: false })
  }
}

/** Called before the codec opens. A dictionary of options would be freed twice by the synchronous open. */
function setUp(av: Av, context: CodecContext, options: JobStream['options']) {
  // The graphs give pictures at a constant rate: one picture is one tick.
  const { num, den } = context.timeBase
  if (context.width > 0) context.framerate = new av.Rational(den, num)
  for (const [key, value] of Object.entries(options)) {
    const result = av.Option.set(context.getNative(), key, value, av.AV_OPT_SEARCH_CHILDREN)
    av.FFmpegError.throwIfError(result, `option ${key}`)
  }
}

function codecOf(av: Av, name: JobStream['encoder']) {
  return {
    libx264: av.FF_ENCODER_LIBX264,
    aac: av.FF_ENCODER_AAC,
    mjpeg: av.FF_ENCODER_MJPEG,
    libwebp: av.FF_ENCODER_LIBWEBP,
  }[name]
}

async function runFrames(run: JobRun, input: RawInput) {
  const { av, job } = run
  const timeBase = { num: 1, den: input.fps }
  const audio = job.audio ? openBranch(run, { text: job.audio, first: null }) : null
  let video: Branch | null = null
  let count = 0
  for (const picture of input.frames) {
    const shape = { width: input.width, height: input.height, format: av.AV_PIX_FMT_YUV420P, timeBase }
    using frame = av.Frame.fromVideoBuffer(picture, { ...shape, pts: BigInt(count) })
    video ??= openBranch(run, { text: job.video, first: frame })
    push(run, video, frame)
    // Sound that the graph makes by itself is pulled along with the pictures.
    if (audio) drain(run, audio, count / input.fps)
    count += 1
    if (video.sinks.every((sink) => sink.done)) break
    if (count % 8 === 0) await breathe()
  }
  if (video) push(run, video, null)
  if (audio) drain(run, audio)
}

async function runFile(run: JobRun, input: FileInput) {
  const { job } = run
  await using demuxer = await openInput(run.av, input)
  const { tracks } = input
  const picture = tracks ? demuxer.streams[tracks.picture] : demuxer.video()
  const sound = tracks ? demuxer.streams[tracks.sound ?? -1] : demuxer.audio()
  const lanes: Lane[] = []
  const options = { ...(input.keyFramesOnly && { skip_frame: 'nokey' }) }
  if (picture) {
    const onPicture = (frame: Frame) => tellPicture(run, frame)
    lanes.push(await openLane(run, { stream: picture, text: job.video, options, onFrame: onPicture }))
  }
  if (sound && job.audio) lanes.push(await openLane(run, { stream: sound, text: job.audio, options }))
  await feedLanes(demuxer, lanes)
}

/** Gives each packet to the track that it is of, until all have enough; `onPacket` hears of each. */
export async function feedLanes(demuxer: Demuxer, lanes: Lane[], onPacket?: (packet: Packet) => void) {
  let count = 0
  for (const packet of demuxer.packetsSync()) {
    using owned: Packet | null = packet
    if (owned === null) break
    onPacket?.(owned)
    for (const lane of lanes)
      if (lane.stream.index === owned.streamIndex && !lane.isDone()) lane.decode(owned)
    if (lanes.length > 0 && lanes.every((lane) => lane.isDone())) return
    count += 1
    if (count % 8 === 0) await breathe()
  }
  for (const lane of lanes) lane.finish()
}

export function openInput({ Demuxer: opener }: Av, input: FileInput): Promise<Demuxer> {
  return opener.open(`file:${input.file}`, {
    copyTs: keepsItsTimes(input),
    format: input.format,
    options: inputOptions(input),
  })
}

export type Lane = {
  stream: Stream
  isDone: () => boolean
  decode: (packet: Packet | null) => void
  finish: () => void
}
type LaneTask = {
  stream: Stream
  text: string
  options?: Record<string, string>
  onFrame?: (frame: Frame) => void
}

/** A stream of the file on its way through decoder and graph. */
export async function openLane(run: AvRun, { stream, text, options, onFrame }: LaneTask): Promise<Lane> {
  const decoder = await run.av.Decoder.create(stream, {
    exitOnError: false,
    options: { threads, ...options },
  })
  run.closers.push(() => decoder.close())
  const turn = turnOf(run.av, stream).map((filter) => `,${filter}`)
  let branch: Branch | null = null
  let steady: Steady | null = null
  const pump = (packet: Packet | null) => {
    decoder.decodeSync(packet)
    for (const frame of decoded(decoder)) {
      using owned: Frame = frame
      completeFrame(run.av, owned, stream)
      onFrame?.(owned)
      const into = (branch ??= openBranch(run, { text, first: owned, turn: turn.join('') }))
      if (owned.isAudio()) steady ??= steadySound(run, into, owned)
      if (steady) steady.push(owned)
      else push(run, into, owned)
    }
  }
  return {
    stream,
    isDone: () => branch !== null && branch.sinks.every((sink) => sink.done),
    decode: pump,
    finish: () => {
      pump(null)
      steady?.end()
      if (branch) push(run, branch, null)
    },
  }
}

type Steady = { push: (frame: Frame) => void; end: () => void }

/** Brings sound that changes its form in mid-stream back to the one for which its graph was built. */
function steadySound(run: AvRun, into: Branch, first: Frame): Steady {
  const { num, den } = first.timeBase
  const form = formOf(run.av, first)
  const text = `[0:a]aformat=${form},asettb=${num}/${den}[steady]`
  let other: { form: string; branch: Branch } | null = null
  const end = () => {
    if (other) push(run, other.branch, null)
    other = null
  }
  return {
    push(frame) {
      const now = formOf(run.av, frame)
      if (other && other.form !== now) end()
      if (now === form) return push(run, into, frame)
      const take = (back: Frame | null) => back && push(run, into, back)
      const sinks: Sink[] = [{ label: 'steady', take, pad: null, done: false }]
      other ??= { form: now, branch: openBranch({ ...run, sinks }, { text, first: frame }) }
      push(run, other.branch, frame)
    },
    end,
  }
}

function formOf(av: Av, { format, sampleRate, channelLayout }: Frame): string {
  const name = av.avGetSampleFmtName(format as AVSampleFormat)
  return `sample_fmts=${name}:sample_rates=${sampleRate}:channel_layouts=0x${channelLayout.mask.toString(16)}`
}

/** What ffmpeg does with each frame: a file knows the shape of its pixels, and speakers stand as usual where it only counts them. */
export function completeFrame(av: Av, frame: Frame, { sampleAspectRatio: said }: Stream) {
  if (frame.isVideo() && said.num > 0) frame.sampleAspectRatio = said
  if (frame.isAudio() && frame.channelLayout.order !== av.AV_CHANNEL_ORDER_NATIVE)
    frame.channelLayout = av.avChannelLayoutDefault(frame.channelLayout.nbChannels)
}

function tellPicture({ job, av }: JobRun, frame: Frame) {
  const seconds = secondsOf(av, frame)
  if (seconds !== null) job.watch?.onPicture(seconds)
}

export function secondsOf(av: Av, { pts, timeBase }: Frame | Packet): number | null {
  return pts === av.AV_NOPTS_VALUE ? null : (Number(pts) * timeBase.num) / timeBase.den
}

export function* decoded(decoder: Decoder): Generator<Frame> {
  while (true) {
    const frame = decoder.receiveSync()
    if (!frame) return
    yield frame
  }
}

/** Builds the graph once the first frame has told its shape; sources and sinks are written into its text. */
function openBranch(
  run: AvRun,
  { text, first, turn }: { text: string; first: Frame | null; turn?: string },
): Branch {
  const graph = new run.av.FilterGraph()
  graph.alloc()
  if (run.graphThreads !== undefined) graph.nbThreads = run.graphThreads
  run.closers.push(() => graph.free())
  const sinks = run.sinks.filter((sink) => text.includes(`[${sink.label}]`))
  const isSound = first ? first.isAudio() : true
  const ends = sinks.map(({ label }) => `[${label}]${isSound ? 'abuffersink' : 'buffersink'}@${label}`)
  const start = first ? [`${sourceText(run.av, first)}${turn ?? ''}[0:${isSound ? 'a' : 'v'}]`] : []
  const parsed = graph.parsePtr([...start, text, ...ends].join(';'))
  run.av.FFmpegError.throwIfError(parsed, 'filter graph')
  run.av.FFmpegError.throwIfError(graph.configSync(), 'filter graph')
  for (const sink of sinks)
    sink.pad = graph.getFilter(`${isSound ? 'abuffersink' : 'buffersink'}@${sink.label}`)
  return { graph, source: graph.getFilter(isSound ? 'abuffer@in' : 'buffer@in'), sinks }
}

function sourceText({ AV_CHANNEL_ORDER_NATIVE }: Av, frame: Frame): string {
  const base = `time_base=${frame.timeBase.num}/${frame.timeBase.den}`
  if (frame.isAudio()) {
    const { order, mask, nbChannels } = frame.channelLayout
    const layout = order === AV_CHANNEL_ORDER_NATIVE ? `0x${mask.toString(16)}` : `${nbChannels}c`
    return `abuffer@in=${base}:sample_rate=${frame.sampleRate}:sample_fmt=${frame.format}:channel_layout=${layout}`
  }
  const { num, den } = frame.sampleAspectRatio
  const colour = `colorspace=${frame.colorSpace}:range=${frame.colorRange}`
  const size = `video_size=${frame.width}x${frame.height}:pix_fmt=${frame.format}`
  return `buffer@in=${size}:${base}:pixel_aspect=${num > 0 ? num : 0}/${den > 0 ? den : 1}:${colour}`
}

/** Sends a frame (or, with null, the end) into the graph and everything that comes out into the encoders. */
function push(run: AvRun, branch: Branch, frame: Frame | null) {
  const { AV_BUFFERSRC_FLAG_KEEP_REF, AVERROR_EOF, FFmpegError } = run.av
  const result = branch.source?.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF) ?? 0
  if (result !== AVERROR_EOF) FFmpegError.throwIfError(result, 'filter graph input')
  drain(run, branch)
}

function drain(run: AvRun, branch: Branch, untilSeconds = Infinity) {
  let busy = true
  while (busy) {
    busy = false
    // In turn, frame by frame: a sink that is read to its end alone would fill the others' queues.
    for (const sink of branch.sinks) {
      const seconds = sink.done ? null : takeFrame(run, sink)
      if (seconds !== null && seconds < untilSeconds) busy = true
    }
  }
}

/** Takes the sink's next frame; its time in seconds, or null when there is none (yet). */
function takeFrame({ av }: AvRun, sink: Sink): number | null {
  using frame = new av.Frame()
  frame.alloc()
  const result = sink.pad?.buffersinkGetFrameSync(frame) ?? av.AVERROR_EOF
  if (result === av.AVERROR_EAGAIN) return null
  if (result === av.AVERROR_EOF) {
    sink.done = true
    sink.take(null)
    return null
  }
  av.FFmpegError.throwIfError(result, 'filter graph output')
  if (sink.pad) frame.timeBase = sink.pad.buffersinkGetTimeBase()
  sink.take(frame)
  return secondsOf(av, frame) ?? 0
}

type Encoding = { encoder: Encoder; muxer: Muxer; index: number; isFirst: boolean }

function encode(run: JobRun, { encoder, muxer, index, isFirst }: Encoding, frame: Frame | null) {
  if (frame === null && !encoder.isEncoderInitialized) return
  const seconds = frame && secondsOf(run.av, frame)
  encoder.encodeSync(frame)
  for (let packet = encoder.receiveSync(); packet; packet = encoder.receiveSync()) {
    using owned: Packet = packet
    muxer.writePacketSync(owned, index)
  }
  if (!isFirst || seconds === null || seconds <= run.reported) return
  run.reported = seconds + 0.5
  run.job.onTime?.(seconds)
}
