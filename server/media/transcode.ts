import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { threads, TranscodeError, type Job, type JobOutput, type Transcoder } from './job.ts'
import { keyFrameSeconds, ladder, segmentSeconds, type Rung } from './ladder.ts'
import { avcCodec, masterPlaylist, measure } from './playlist.ts'
import type { Probe } from './probe.ts'
import { NotAVideoError } from './refusals.ts'
import type { Rendition, Warning } from './task.ts'
import { toneMap } from './tone.ts'

type TranscodeTask = {
  source: string
  /** An existing, empty folder. */
  outDir: string
  probe: Probe
  /** What is there of a video that ends too early is enough. */
  acceptIncomplete: boolean
  transcoder: Transcoder
  /** Done so far, 0 to 1. */
  onProgress: (fraction: number) => void
}

/** Samples that an AAC encoder puts before the sound. */
const AAC_PRIMING = 1024
const SAMPLE_RATE = 48_000

/**
 * Makes the HLS ladder: `master.m3u8`, one folder per rendition, `audio/` when there is sound. Media time 0 is
 * the first picture. Throws TranscodeError, and NotAVideoError when the pictures end before they should.
 */
export async function transcode(task: TranscodeTask): Promise<Transcoded> {
  const { source, outDir, probe, onProgress, transcoder } = task
  const seen = watchFor(probe)
  const rungs = ladder(probe.width, probe.height)
  const outputs = [
    ...rungs.map((rung) => videoOutput(task, rung)),
    ...(probe.audio ? [audioOutput(task)] : []),
  ]
  for (const { name } of rungs) await mkdir(join(outDir, name))
  if (probe.audio) await mkdir(join(outDir, 'audio'))
  await transcoder.run({
    input: { file: source, format: probe.demuxer, rotation: probe.rotation },
    video: videoGraph(task, rungs),
    ...(probe.audio && { audio: audioGraph(task) }),
    outputs,
    onTime: (seconds) => onProgress(Math.min(1, (seconds * 1000) / probe.durationMs)),
    watch: seen,
  } satisfies Job)
  onProgress(1)
  const isCut = seen.lastSeconds() < probe.lastSeconds - toleratedSeconds
  if (isCut && !task.acceptIncomplete) throw new NotAVideoError('cut_off')
  const { renditions, durationMs } = await writeMaster(task, rungs)
  const end = { code: 'cut_off' as const, startMs: durationMs, endMs: probe.durationMs }
  return {
    renditions,
    durationMs: task.acceptIncomplete ? durationMs : probe.durationMs,
    warnings: [...seen.damage(), ...(isCut ? [end] : [])],
  }
}

type Transcoded = { renditions: Rendition[]; durationMs: number; warnings: Warning[] }

/** Decoders may keep the last pictures of a group to themselves. */
const toleratedSeconds = 1
/** Complaints so near to each other are about one damage. */
const oneDamageMs = 2_000
const mostWarnings = 20

/** Notes how far the pictures go, and when a decoder complained. */
function watchFor({ startSeconds, lastSeconds }: Probe) {
  let latest = -Infinity
  const damage: Warning[] = []
  return {
    onPicture(seconds: number) {
      latest = Math.max(latest, seconds)
    },
    onComplaint() {
      const at = Math.max(0, Math.round((latest - startSeconds) * 1000)) || 0
      const last = damage.at(-1)
      if (last && at - last.endMs <= oneDamageMs) last.endMs = Math.max(last.endMs, at)
      else if (damage.length < mostWarnings) damage.push({ code: 'damaged', startMs: at, endMs: at })
    },
    lastSeconds: () => latest,
    /** What a decoder says of the place where the file ends is about the end. */
    damage: () =>
      damage.filter(({ startMs }) => startSeconds + startMs / 1000 < Math.max(latest, lastSeconds - 1)),
  }
}

/** A constant rate from the first picture to the end, decoded once, each size made from the next larger one. */
function videoGraph({ probe, acceptIncomplete, transcoder }: TranscodeTask, rungs: Rung[]): string {
  const { fps, durationMs, startSeconds, lastSeconds, ...source } = probe
  const largest = rungs.at(-1) ?? source
  const hold = durationMs / 1000 - (lastSeconds - startSeconds) + toleratedSeconds
  const steady = [
    // Recordings of a window change their size in mid-stream; only this filter bears it.
    ...(probe.hdr && transcoder.toneMaps
      ? [`scale=${largest.width}:${largest.height}`, ...toneMap(probe.hdr)]
      : [`scale=${source.width}:${source.height}`]),
    'yadif=deint=interlaced',
    'setpts=PTS-STARTPTS',
    `fps=${fps.num}/${fps.den}`,
    // Sound that goes on after the last picture: the picture stays, but it does not stand for pictures that are missing.
    ...(acceptIncomplete ? [] : [`tpad=stop_duration=${hold}:stop_mode=clone`]),
    `trim=duration=${durationMs / 1000}`,
  ]
  const scaled = rungs.toReversed().map(({ name, width, height }, index) => {
    const from = index === 0 ? '' : '[next' + index + ']'
    const scale = `scale=${width}:${height}:flags=bicubic,format=yuv420p,setsar=1`
    return from + scale + (index === rungs.length - 1 ? `[v${name}]` : `,split=2[v${name}][next${index + 1}]`)
  })
  return `[0:v]${steady.join(',')},${scaled.join(';')}`
}

/** Sound on the clock of the picture, with the encoder's priming taken out in advance, as long as the video. */
function audioGraph({ probe: { startSeconds, durationMs }, acceptIncomplete }: TranscodeTask): string {
  const steps = [
    `asetpts=PTS-${startSeconds}/TB`,
    `aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
    'aformat=sample_fmts=fltp:channel_layouts=stereo',
    `atrim=start_sample=${AAC_PRIMING}`,
    'asetpts=PTS-STARTPTS',
    ...(acceptIncomplete ? [] : ['apad']),
    `atrim=duration=${durationMs / 1000 - AAC_PRIMING / SAMPLE_RATE}`,
  ]
  return `[0:a]${steps.join(',')}[a]`
}

function videoOutput({ outDir, probe }: TranscodeTask, rung: Rung): JobOutput {
  const rate = probe.fps.num / probe.fps.den
  const gop = String(Math.round(keyFrameSeconds * rate))
  const options = {
    preset: 'veryfast',
    threads,
    profile: 'high',
    crf: String(rung.crf),
    maxrate: String(rung.maxBitrate),
    bufsize: String(2 * rung.maxBitrate),
    // At a constant rate a fixed group length puts the key frames of all renditions at the same instants.
    g: gop,
    keyint_min: gop,
    sc_threshold: '0',
    flags: '+cgop',
  }
  const streams = [{ label: `v${rung.name}`, encoder: 'libx264' as const, options }]
  return { ...hls(join(outDir, rung.name), segmentSeconds - 0.5 / rate), streams }
}

function audioOutput({ outDir }: TranscodeTask): JobOutput {
  const streams = [{ label: 'a', encoder: 'aac' as const, options: { b: '128k' } }]
  return { ...hls(join(outDir, 'audio'), segmentSeconds - 0.01), streams }
}

function hls(folder: string, seconds: number) {
  return {
    file: join(folder, 'index.m3u8'),
    format: 'hls' as const,
    options: {
      hls_time: seconds.toFixed(4),
      hls_playlist_type: 'vod',
      hls_segment_type: 'fmp4',
      hls_flags: 'independent_segments',
      hls_fmp4_init_filename: 'init.mp4',
      hls_segment_filename: join(folder, '%05d.m4s'),
      // The first picture's time is 0 in the samples themselves, not by an edit list that players overlook.
      hls_segment_options: 'movflags=negative_cts_offsets:use_editlist=0:avoid_negative_ts=disabled',
    },
  }
}

async function writeMaster({ outDir, probe }: TranscodeTask, rungs: Rung[]) {
  const read = (name: string) =>
    measure(outDir, `${name}/index.m3u8`).catch((error: unknown) => {
      throw new TranscodeError(`The rendition ${name} is incomplete.`, { cause: error })
    })
  const audio = probe.audio ? await read('audio') : null
  const variants = await Promise.all(
    rungs.map(async ({ name, width, height }) => {
      const media = await read(name)
      return { name, media, width, height, fps: probe.fps, codecs: avcCodec(media.init) }
    }),
  )
  await writeFile(join(outDir, 'master.m3u8'), masterPlaylist(variants, audio))
  const durationMs = Math.round(1000 * Math.max(...variants.map(({ media }) => media.seconds)))
  const renditions = variants.map(({ name, width, height, media, codecs }): Rendition => ({
    name,
    width,
    height,
    bitrate: media.average,
    codecs,
  }))
  return { renditions, durationMs }
}
