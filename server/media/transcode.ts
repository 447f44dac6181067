import { mkdir, writeFile, readFile, stat } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { threads, TranscodeError, type Job, type JobOutput, type Transcoder } from './job.ts'
import { keyFrameSeconds, ladder, segmentSeconds, type Rung } from './ladder.ts'
import { sampleRate, stereo } from './measure.ts'
import type { Probe, Fraction } from './probe.ts'
import type { Rendition, Warning } from './task.ts'

type TranscodeTask = {
  source: string
  /** An existing, empty folder. */
  outDir: string
  probe: Probe
  transcoder: Transcoder
  /** Done so far, 0 to 1. */
  onProgress: (fraction: number) => void
}

/** Samples that an AAC encoder puts before the sound. */
const AAC_PRIMING = 1024

/**
 * Makes the HLS ladder: `master.m3u8`, one folder per rendition, `audio/` when there is sound. Media time 0 is the first picture or
 * the first sound, whichever comes before the other. Throws TranscodeError.
 */
export async function transcode(task: TranscodeTask): Promise<Transcoded> {
  const { source, outDir, probe, onProgress, transcoder } = task
  const seen = watchFor(probe)
  const rungs = ladder(probe.width, probe.height)
  const hasSound = probe.tracks.sound !== null
  const outputs = [...rungs.map((rung) => videoOutput(task, rung)), ...(hasSound ? [audioOutput(task)] : [])]
  for (const { name } of rungs) await mkdir(join(outDir, name))
  if (hasSound) await mkdir(join(outDir, 'audio'))
  await transcoder.run({
    input: { file: source, format: probe.demuxer, tracks: probe.tracks },
    video: videoGraph(task, rungs),
    ...(hasSound && { audio: audioGraph(probe) }),
    outputs,
    onTime: (seconds) => onProgress(Math.min(1, (seconds * 1000) / probe.durationMs)),
    watch: seen,
  } satisfies Job)
  onProgress(1)
  const { renditions, durationMs } = await writeMaster(task, rungs)
  return { renditions, durationMs, warnings: [...seen.damage(), ...warningsOf(probe, durationMs)] }
}

/** What is missing although nothing complained: an end that the file promised, and its sound. */
function warningsOf({ promisedMs, isSoundLost }: Probe, durationMs: number): Warning[] {
  const end = { code: 'cut_off' as const, startMs: durationMs, endMs: promisedMs }
  const silence = { code: 'no_sound' as const, startMs: 0, endMs: durationMs }
  return [...(isSoundLost ? [silence] : []), ...(promisedMs > durationMs ? [end] : [])]
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
    /** What a decoder says of the place where the file ends is about the end. Pictures that never came are missing there. */
    damage(): Warning[] {
      const reported = damage.filter(
        ({ startMs }) => startSeconds + startMs / 1000 < Math.max(latest, lastSeconds - 1),
      )
      if (latest >= lastSeconds - toleratedSeconds) return reported
      const [startMs, endMs] = [latest, lastSeconds].map((at) =>
        Math.max(0, Math.round((at - startSeconds) * 1000)),
      )
      return [...reported, { code: 'damaged', startMs: startMs ?? 0, endMs: endMs ?? 0 }]
    },
  }
}

/** The stored curve as FFmpeg calls it, and the brightness that counts as white, in candelas per square metre. */
const curves = { pq: { name: 'smpte2084', white: 203 }, hlg: { name: 'arib-std-b67', white: 203 } }

/**
 * Filters that bring the wide range of brightness and colour, as phones film it, to what usual screens show. They compute with
 * floating numbers: the picture should have its final size before.
 */
function toneMap(hdr: NonNullable<Probe['hdr']>): string[] {
  const { name, white } = curves[hdr]
  return [
    `zscale=tin=${name}:pin=bt2020:min=bt2020nc:t=linear:npl=${white}`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    'tonemap=mobius:desat=0',
    'zscale=t=bt709:m=bt709:r=tv',
    'format=yuv420p',
  ]
}

/** A constant rate from beginning to end, decoded once, each size made from the next larger one. */
function videoGraph({ probe, transcoder }: TranscodeTask, rungs: Rung[]): string {
  const { fps, durationMs, startSeconds, ...source } = probe
  const count = Math.round((durationMs / 1000) * (fps.num / fps.den))
  const isWide = probe.hdr !== null && transcoder.toneMaps
  const steady = [
    ...fitted(isWide ? (rungs.at(-1) ?? source) : source),
    ...(probe.hdr && isWide ? toneMap(probe.hdr) : []),
    'yadif=deint=interlaced',
    `setpts=PTS-${startSeconds}/TB`,
    // Sound that comes before the first picture or after the last is heard while that picture stays.
    `fps=${fps.num}/${fps.den}:start_time=0:eof_action=pass`,
    `tpad=stop=${count}:stop_mode=clone`,
    `trim=end_frame=${count}`,
  ]
  const scaled = rungs.toReversed().map(({ name, width, height }, index) => {
    const from = index === 0 ? '' : '[next' + index + ']'
    const scale = `scale=${width}:${height}:flags=bicubic,format=yuv420p,setsar=1`
    return from + scale + (index === rungs.length - 1 ? `[v${name}]` : `,split=2[v${name}][next${index + 1}]`)
  })
  return `[0:v]${steady.join(',')},${scaled.join(';')}`
}

/**
 * Each picture whole and in its shape, whatever the others have: recordings of a window change their size in mid-stream, and a phone
 * is turned. Only these filters bear it.
 */
function fitted({ width, height }: { width: number; height: number }): string[] {
  const [w, h] = [`min(${width},${height}*dar)`, `min(${height},${width}/dar)`].map(
    (side) => `'max(2,round(${side}))'`,
  )
  return [
    `scale=w=${w}:h=${h}:eval=frame`,
    'setsar=1',
    `pad=w=${width}:h=${height}:x='(ow-iw)/2':y='(oh-ih)/2':eval=frame`,
  ]
}

/** Sound on the clock of the picture, with the encoder's priming taken out in advance, as long as the video. */
function audioGraph({ startSeconds, durationMs }: Probe): string {
  const steps = [
    `asetpts=PTS-${startSeconds}/TB`,
    `aresample=${sampleRate}:async=1:first_pts=0`,
    stereo,
    `atrim=start_sample=${AAC_PRIMING}`,
    'asetpts=PTS-STARTPTS',
    'apad',
    `atrim=duration=${durationMs / 1000 - AAC_PRIMING / sampleRate}`,
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
  const audio = probe.tracks.sound === null ? null : await read('audio')
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

/** A media playlist with what its segments really weigh. */
type Measured = {
  /** Path relative to the master playlist. */
  uri: string
  seconds: number
  /** Bits per second: of the heaviest segment, of all together. */
  peak: number
  average: number
  init: Buffer
}

type Variant = { media: Measured; width: number; height: number; fps: Fraction; codecs: string }

/** Reads a finished media playlist and weighs its segments. `uri` is relative to the folder. */
async function measure(folder: string, uri: string): Promise<Measured> {
  const file = join(folder, uri)
  const text = await readFile(file, 'utf8')
  const map = /^#EXT-X-MAP:URI="([^"]+)"/m.exec(text)?.[1]
  if (!map || !text.includes('#EXT-X-ENDLIST')) throw new Error(`${uri} is not a finished playlist`)
  const segments = await Promise.all(
    [...text.matchAll(/^#EXTINF:([\d.]+),[^\n]*\n(\S+)/gm)].map(async ([, seconds, name]) => ({
      seconds: Number(seconds),
      bits: 8 * (await stat(join(dirname(file), name ?? ''))).size,
    })),
  )
  const sum = (pick: (segment: { seconds: number; bits: number }) => number) =>
    segments.reduce((total, segment) => total + pick(segment), 0)
  const seconds = sum((segment) => segment.seconds)
  const average = sum((segment) => segment.bits) / seconds
  // A last segment of a few frames has no rate worth telling.
  const whole = segments.filter((segment) => segment.seconds > 1)
  const peak = Math.max(average, ...whole.map((segment) => segment.bits / segment.seconds))
  return {
    uri,
    seconds,
    peak: Math.ceil(peak),
    average: Math.ceil(average),
    init: await readFile(join(dirname(file), map)),
  }
}

/** The codec string of an H.264 init segment, from its decoder configuration. */
function avcCodec(init: Buffer): string {
  const at = init.indexOf('avcC')
  if (at < 0) throw new Error('The init segment has no H.264 configuration')
  return `avc1.${init.subarray(at + 5, at + 8).toString('hex')}`
}

/** The multivariant playlist: the given order, relative addresses, measured rates. */
function masterPlaylist(variants: Variant[], audio: Measured | null): string {
  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS']
  if (audio) {
    const attributes = 'GROUP-ID="audio",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"'
    lines.push(`#EXT-X-MEDIA:TYPE=AUDIO,${attributes},URI="${audio.uri}"`)
  }
  for (const { media, width, height, fps, codecs } of variants) {
    const attributes = [
      `BANDWIDTH=${media.peak + (audio?.peak ?? 0)}`,
      `AVERAGE-BANDWIDTH=${media.average + (audio?.average ?? 0)}`,
      `RESOLUTION=${width}x${height}`,
      `FRAME-RATE=${(fps.num / fps.den).toFixed(3)}`,
      `CODECS="${audio ? `${codecs},mp4a.40.2` : codecs}"`,
      ...(audio ? ['AUDIO="audio"'] : []),
    ]
    lines.push(`#EXT-X-STREAM-INF:${attributes.join(',')}`, media.uri)
  }
  return `${lines.join('\n')}\n`
}
