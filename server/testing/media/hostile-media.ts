import { readdirSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  MpegTsOutputFormat,
  Output,
  type OutputFormat,
} from 'mediabunny'
import { makeClip } from './clips.ts'
import { NotAVideoError } from '../../media/refusals.ts'
import { processSource } from '../../media/process.ts'
import { TranscodeError } from '../../media/job.ts'

/** A file by name; what it is good for stands in the name. */
export type Hostile = { name: string; bytes: Buffer }

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One good clip in each container that we take. */
export async function goodFiles(folder: string, seconds = 0.8): Promise<Hostile[]> {
  const file = path.join(folder, `good-${seconds}.mp4`)
  await makeClip({ file, seconds, width: 160, height: 120, style: 'bars' })
  const clip = await readFile(file)
  const mkv = await remux(clip, new MkvOutputFormat())
  return [
    { name: 'mp4', bytes: clip },
    { name: 'fragmented mp4', bytes: await remux(clip, new Mp4OutputFormat({ fastStart: 'fragmented' })) },
    { name: 'mov', bytes: await remux(clip, new MovOutputFormat({ fastStart: false })) },
    { name: 'mkv', bytes: mkv },
    { name: 'webm', bytes: replaced(mkv, 'matroska', 'webm\0\0\0\0') },
    { name: 'ts', bytes: await remux(clip, new MpegTsOutputFormat()) },
  ]
}

async function remux(clip: Buffer, format: OutputFormat): Promise<Buffer> {
  using input = new Input({ source: new BufferSource(clip), formats: ALL_FORMATS })
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
  if (!video || !audio) throw new Error('The clip lacks picture or sound')
  const target = new BufferTarget()
  const output = new Output({ format, target })
  const [pictures, sound] = [new EncodedVideoPacketSource('avc'), new EncodedAudioPacketSource('aac')]
  output.addVideoTrack(pictures)
  output.addAudioTrack(sound)
  await output.start()
  const [shape, tone] = [await video.getDecoderConfig(), await audio.getDecoderConfig()]
  if (!shape || !tone) throw new Error('The clip cannot be decoded')
  for await (const packet of new EncodedPacketSink(video).packets())
    await pictures.add(packet, { decoderConfig: shape })
  for await (const packet of new EncodedPacketSink(audio).packets())
    await sound.add(packet, { decoderConfig: tone })
  await output.finalize()
  return Buffer.from(target.buffer ?? new ArrayBuffer(0))
}

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  const copy = Buffer.from(bytes)
  copy.write(to, copy.indexOf(from), 'latin1')
  return copy
}

const extremes = [0, 1, 0x7f, 0xff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]

/** Ways to damage a file; half of all places lie in its first kilobyte and its last, where its tables are. */
const mutations: Record<string, (bytes: Buffer, roll: () => number) => Buffer> = {
  'a byte': (bytes, roll) => {
    bytes[placeIn(bytes, roll)] = roll() * 256
    return bytes
  },
  'twenty bytes': (bytes, roll) => {
    for (let n = 0; n < 20; n += 1) bytes[placeIn(bytes, roll)] = roll() * 256
    return bytes
  },
  'a number': (bytes, roll) => {
    bytes.writeUInt32BE(
      extremes[Math.floor(roll() * extremes.length)] ?? 0,
      Math.min(placeIn(bytes, roll), bytes.length - 4),
    )
    return bytes
  },
  'a cut': (bytes, roll) => bytes.subarray(0, 1 + Math.floor(roll() * bytes.length)),
  'a hole': (bytes, roll) => {
    const at = placeIn(bytes, roll)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + Math.floor(roll() * 4_000))])
  },
  'a piece twice': (bytes, roll) => {
    const at = placeIn(bytes, roll)
    return Buffer.concat([bytes.subarray(0, at + 500), bytes.subarray(at)])
  },
  noise: (bytes, roll) => {
    const at = placeIn(bytes, roll)
    for (let n = at; n < Math.min(bytes.length, at + 2_000); n += 1) bytes[n] = roll() * 256
    return bytes
  },
}

function placeIn(bytes: Buffer, roll: () => number): number {
  const at = roll()
  if (at < 0.25) return Math.floor(roll() * Math.min(1_024, bytes.length))
  if (at < 0.5) return Math.max(0, bytes.length - 1 - Math.floor(roll() * 1_024))
  return Math.floor(roll() * bytes.length)
}

/** Damaged copies of the good files, the same ones for the same seed. */
export function mutants(good: Hostile[], count: number, seed: number): Hostile[] {
  const roll = dice(seed)
  const ways = Object.entries(mutations)
  return Array.from({ length: count }, (_, index) => {
    const source = good[index % good.length]
    const [way, mutate] = ways[Math.floor(roll() * ways.length)] ?? []
    if (!source || !way || !mutate) throw new Error('There is nothing to damage')
    return { name: `${index} ${source.name} with ${way}`, bytes: mutate(Buffer.from(source.bytes), roll) }
  })
}

/** Texts that name other files, the way each kind of player reads them. */
export function playlists(target: string): Hostile[] {
  const hls = `#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6\n#EXT-X-MAP:URI="${target}/init.mp4"\n#EXTINF:6,\n${target}/00000.m4s\n#EXT-X-ENDLIST\n`
  const texts: Record<string, string> = {
    HLS: hls,
    'HLS with a mark before it': `\uFEFF${hls}`,
    'HLS of variants': `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${target}/index.m3u8\n`,
    DASH: `<?xml version="1.0"?><MPD type="static"><BaseURL>${target}/</BaseURL></MPD>`,
    concat: `ffconcat version 1.0\nfile '${target}/00000.m4s'\n`,
    'concat without a head': `file '${target}/00000.m4s'\n`,
    SDP: `v=0\no=- 0 0 IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n`,
    SVG: `<svg xmlns="http://www.w3.org/2000/svg"><image href="file://${target}/poster.jpg"/></svg>`,
  }
  return Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text) }))
}

/** Files whose numbers promise more than any machine has. */
export function bombs(mp4: Buffer): Hostile[] {
  const box = (name: string, content: Buffer) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(8 + content.length)
    head.write(name, 4, 'latin1')
    return Buffer.concat([head, content])
  }
  const ftyp = box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1'))
  let nested = box('free', Buffer.alloc(8))
  for (let depth = 0; depth < 20_000; depth += 1) nested = box('moov', nested)
  const patched = (name: string, at: number, ...values: number[]) => {
    const copy = Buffer.from(mp4)
    for (let place = copy.indexOf(name); place >= 0; place = copy.indexOf(name, place + 4))
      values.forEach((value, index) => copy.writeUInt32BE(value >>> 0, place + 4 + at + 4 * index))
    return copy
  }
  const packets = Buffer.alloc(188 * 40_000)
  for (let at = 0; at < packets.length; at += 188) packets[at] = 0x47
  const huge = patched('avc1', 24, 0x20002000)
  for (let place = huge.indexOf('stts'); place >= 0; place = huge.indexOf('stts', place + 4))
    huge.writeUInt32BE(0x00800000, place + 16)
  return [
    { name: 'two thousand million samples', bytes: patched('stsz', 4, 1, 0x7fffffff) },
    { name: 'two thousand million times', bytes: patched('stts', 4, 0x7fffffff, 0x7fffffff, 1) },
    { name: 'samples that last for weeks', bytes: patched('stts', 12, 0x7fffffff) },
    { name: 'as many chunks as there are numbers', bytes: patched('stco', 4, 0xffffffff) },
    { name: '8192 x 8192 for hours', bytes: huge },
    { name: 'twenty thousand boxes in each other', bytes: Buffer.concat([ftyp, nested]) },
    {
      name: 'an index packed by zlib',
      bytes: Buffer.concat([ftyp, box('moov', box('cmov', Buffer.alloc(4_000, 0x78)))]),
    },
    {
      name: 'boxes without length',
      bytes: Buffer.concat([ftyp, Buffer.from('\0\0\0\x01moov\0\0\0\0\0\0\0\0'.repeat(50), 'latin1')]),
    },
    { name: 'an empty stream of forty thousand packets', bytes: packets },
    { name: 'nothing', bytes: Buffer.alloc(0) },
    { name: 'zeros', bytes: Buffer.alloc(1_000_000) },
    {
      name: 'a reference movie',
      bytes: Buffer.concat([ftyp, box('moov', box('rmra', box('rmda', Buffer.alloc(64))))]),
    },
    { name: 'pictures in another file', bytes: patched('url ', 0, 0) },
    { name: 'AVI', bytes: Buffer.from(`RIFF\0\0\0\0AVI LIST${'\0'.repeat(200)}`, 'latin1') },
  ]
}

/** What a file came to, and what it took: seconds of the clock and of one core, and bytes of memory of all its processes. */
export type Outcome = { name: string; end: string; seconds: number; cpuSeconds: number; bytes: number }

/** Probes the file and, if it is taken, converts it. One at a time, or the figures are of all together. */
export async function survive({ name, bytes }: Hostile, folder: string): Promise<Outcome> {
  const source = path.join(folder, 'hostile')
  await writeFile(source, bytes)
  let most = 0
  const look = setInterval(() => {
    most = Math.max(most, residentBytes())
  }, 50)
  const [begun, cpuBefore] = [Date.now(), childrenSeconds()]
  const end = await processSource({ source, outDir: path.join(folder, 'made') }).then(
    ({ warnings }) => `ready${warnings.map(({ code }) => ` ${code}`).join('')}`,
    endOf,
  )
  clearInterval(look)
  const seconds = (Date.now() - begun) / 1000
  return { name, end, seconds, cpuSeconds: childrenSeconds() - cpuBefore, bytes: most }
}

function endOf(error: unknown): string {
  if (error instanceof NotAVideoError) return error.code
  if (error instanceof TranscodeError) return 'processing_failed'
  throw error
}

/** Processor time of the children that have ended, and theirs; the clock of the system ticks a hundred times a second. */
function childrenSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
  return ((fields[13] ?? 0) + (fields[14] ?? 0)) / 100
}

/** Memory in use by everything that this process has started. */
function residentBytes(): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => statusOf(pid))
  const ours = new Set([String(process.pid)])
  for (const { pid, parent } of processes.toSorted((a, b) => Number(a.pid) - Number(b.pid)))
    if (ours.has(parent)) ours.add(pid)
  return processes
    .filter(({ pid }) => pid !== String(process.pid) && ours.has(pid))
    .reduce((sum, { bytes }) => sum + bytes, 0)
}

function statusOf(pid: string): { pid: string; parent: string; bytes: number }[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const value = (name: string) => new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? ''
    return [{ pid, parent: value('PPid'), bytes: 1024 * Number(value('VmRSS')) }]
  } catch {
    // It has ended meanwhile.
    return []
  }
}
