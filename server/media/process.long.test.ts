import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny'
import { Decoder, Demuxer } from 'node-av/api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { processSource, type ProcessedVideo } from './process.ts'
import { probeSource } from '../testing/media/probes.ts'
import { makeSample, samples } from '../testing/media/samples.ts'
import { availableEngines } from './engines.ts'
import { transcoderOf } from './transcoder.ts'

const engines = (await availableEngines()).map((engine) => engine.name)
const sources = new Map<string, string>()
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendreel-media-'))
  for (const name of Object.keys(samples).filter(isSample)) sources.set(name, await makeSample(folder, name))
})

afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => {
  delete process.env.SENDREEL_TRANSCODER
})

test('node-av is installed, so that a machine without ffmpeg works', () => {
  expect(engines).toContain('av')
})

test.skipIf(!engines.includes('cli'))(
  'a system ffmpeg is here and passes the same checks as node-av (needs an ffmpeg with libx264)',
  () => {
    expect(engines).toEqual(['cli', 'av'])
  },
)

describe.each(engines)('with the engine %s', (engine) => {
  beforeEach(() => {
    process.env.SENDREEL_TRANSCODER = engine
  })

  test.each(Object.keys(samples).filter(isSample))(
    '%s: starts at 0, keeps its length, covers its timeline',
    async (name) => {
      const { outDir, result, seen } = await run(name, engine)
      const source = await probeSource(sourceOf(name))
      const rungs = result.renditions.map((each) => each.name)
      expect(result.durationMs).toBe(source.durationMs)
      expect(existsSync(join(outDir, 'audio'))).toBe(source.tracks.sound !== null)
      for (const track of source.tracks.sound !== null ? [...rungs, 'audio'] : rungs) {
        const { first, end } = await rendition(outDir, track)
        expect(Math.abs(first)).toBeLessThanOrEqual(0.001)
        expect(Math.abs(end * 1000 - source.durationMs)).toBeLessThanOrEqual(50)
      }
      for (const rung of rungs) {
        const { keys } = await rendition(outDir, rung)
        expect(keys).toEqual(keys.map((_, index) => 2 * index))
      }
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
      expect(seen.at(-1)).toBe(1)
      await expectStoryboard(outDir, result)
      await expectMaster(outDir, { hasAudio: source.tracks.sound !== null, rungs })
      expect(result.blur.length).toBeLessThanOrEqual(1024)
      expect(result.files.map((file) => file.name)).toEqual(
        expect.arrayContaining(['poster.jpg', 'poster-640.jpg', 'master.m3u8']),
      )
    },
  )

  test('the ladder is cut into segments of 4 seconds with key frames at the same instants', async () => {
    const { outDir, result } = await run('landscape', engine)
    expect(result.renditions.map(({ name, width, height }) => `${name} ${width}x${height}`)).toEqual([
      '240p 320x240',
      '360p 480x360',
      '480p 640x480',
    ])
    for (const { name } of result.renditions) {
      const { segments, keys } = await rendition(outDir, name)
      expect(segments).toEqual([4, 4, 4, 2])
      expect(keys).toEqual([0, 2, 4, 6, 8, 10, 12])
    }
  })

  test('pictures stand upright', async () => {
    const portrait = await run('portrait, silent', engine)
    expect(portrait.result.renditions[0]).toMatchObject({ name: '240p', width: 240, height: 426 })
    const turned = await run('turned on its side', engine)
    expect(turned.result).toMatchObject({ width: 270, height: 480 })
    expect(jpegSize(await readFile(join(turned.outDir, 'poster.jpg')))).toEqual([240, 426])
  })

  test.each(['pq', 'hlg'] as const)(
    'a picture in HDR (%s) is brought to what usual screens show',
    async (hdr) => {
      const source = join(folder, `${hdr}.mp4`)
      await makeHdr(source, hdr)
      expect(await probeSource(source)).toMatchObject({ hdr })
      const outDir = join(folder, `${hdr}-${engine}`)
      await processSource({ source, outDir })
      const { luma, transfer } = await firstPicture(outDir)
      // The middle of the wide curve is a light grey of the usual one.
      const expected = { pq: 175, hlg: 142 }[hdr]
      expect(Math.abs(luma - expected)).toBeLessThanOrEqual(4)
      expect(transfer).toBe('bt709')
    },
  )

  test('an abort in the middle stops at once and leaves nothing', async () => {
    const stop = new AbortController()
    const outDir = join(folder, `aborted-${engine}`)
    let reached = 0
    const onProgress = (fraction: number) => {
      reached = fraction
      stop.abort()
    }
    const work = processSource({ source: sourceOf('landscape'), outDir, onProgress, signal: stop.signal })
    await expect(work).rejects.toThrow('abort')
    expect(reached).toBeLessThan(0.5)
    expect((await readdir(folder)).filter((name) => name.startsWith('aborted-'))).toEqual([])
  })

  test('a second run replaces what a crash has left', async () => {
    const outDir = join(folder, `again-${engine}`)
    const source = sourceOf('shorter than a second')
    const once = await processSource({ source, outDir })
    await writeFile(join(outDir, 'stale.m4s'), '')
    const { files } = await processSource({ source, outDir })
    expect(files.map((file) => file.name)).toEqual(once.files.map((file) => file.name))
    expect(await readdir(outDir)).not.toContain('stale.m4s')
  })
})

test('node-av says nothing, and its process ends in order', async () => {
  const script = `
    const { processSource } = await import(${JSON.stringify(new URL('process.ts', import.meta.url).href)})
    await processSource({ source: ${JSON.stringify(sourceOf('shorter than a second'))}, outDir: ${JSON.stringify(join(folder, 'quiet'))} })`
  const env = { ...process.env, SENDREEL_TRANSCODER: 'av' }
  const output = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
  expect(output).toEqual({ stdout: '', stderr: '' })
})

/** Half a second of grey (128 of 255) with the marks of a phone's HDR. */
async function makeHdr(file: string, hdr: 'pq' | 'hlg') {
  const [width, height] = [160, 120]
  const grey = Buffer.alloc((width * height * 3) / 2, 128)
  const transfer = { pq: 'smpte2084', hlg: 'arib-std-b67' }[hdr]
  const options = {
    preset: 'ultrafast',
    'x264-params': `colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`,
  }
  await transcoderOf({ name: 'av' }).run({
    input: { width, height, fps: 10, frames: Array.from({ length: 5 }, () => grey) },
    video: '[0:v]format=yuv420p10le[v]',
    outputs: [{ file, format: 'mp4', options: {}, streams: [{ label: 'v', encoder: 'libx264', options }] }],
  })
}

/** Brightness of a point of the first picture of the only rendition, and the curve that its stream names. */
async function firstPicture(outDir: string) {
  const pieces = ['init.mp4', '00000.m4s'].map((name) => readFile(join(outDir, '120p', name)))
  const bytes = Buffer.concat(await Promise.all(pieces))
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS })
  const transfer = (await (await input.getPrimaryVideoTrack())?.getColorSpace())?.transfer
  await using demuxer = await Demuxer.open(bytes)
  const stream = demuxer.video()
  if (!stream) throw new Error('There is no picture')
  using decoder = await Decoder.create(stream)
  for await (const frame of decoder.frames(demuxer.packets(stream.index))) {
    if (!frame) continue
    using owned = frame
    return { luma: owned.toBuffer()[0] ?? 0, transfer }
  }
  throw new Error('There is no picture')
}

function isSample(name: string): name is keyof typeof samples {
  return name in samples
}

function sourceOf(name: keyof typeof samples): string {
  return sources.get(name) ?? ''
}

type Done = { outDir: string; result: ProcessedVideo; seen: number[] }

const results = new Map<string, Done>()

/** Processes the sample with the engine, once. */
async function run(name: keyof typeof samples, engine: string): Promise<Done> {
  const outDir = join(folder, `${name.replaceAll(/\W+/g, '-')}-${engine}`)
  const before = results.get(outDir)
  if (before) return before
  const seen: number[] = []
  const onProgress = (fraction: number) => seen.push(fraction)
  const done = { outDir, seen, result: await processSource({ source: sourceOf(name), outDir, onProgress }) }
  results.set(outDir, done)
  return done
}

/** Reads a rendition as a player would: init segment, then the segments of its playlist. */
async function rendition(outDir: string, name: string) {
  const playlist = await readFile(join(outDir, name, 'index.m3u8'), 'utf8')
  const uris = [...playlist.matchAll(/URI="([^"]+)"|^(\w+\.m4s)$/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  )
  const pieces = await Promise.all(uris.map((uri) => readFile(join(outDir, name, uri))))
  expect(pieces[0]?.includes('elst')).toBe(false)
  using input = new Input({ source: new BufferSource(Buffer.concat(pieces)), formats: ALL_FORMATS })
  const [track] = await input.getTracks()
  if (!track) throw new Error(`${name} has no track`)
  const keys: number[] = []
  for await (const packet of new EncodedPacketSink(track).packets()) {
    if (packet.type === 'key') keys.push(Math.round(packet.timestamp * 1000) / 1000)
  }
  const segments = [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].map((match) => Number(match[1]))
  return { first: await track.getFirstTimestamp(), end: await track.computeDuration(), keys, segments }
}

async function expectMaster(outDir: string, { hasAudio, rungs }: { hasAudio: boolean; rungs: string[] }) {
  const master = await readFile(join(outDir, 'master.m3u8'), 'utf8')
  const variants = [...master.matchAll(/#EXT-X-STREAM-INF:(.*)\n(.*)/g)]
  expect(variants.map((match) => match[2])).toEqual(rungs.map((name) => `${name}/index.m3u8`))
  for (const [, attributes = ''] of variants) {
    const number = (key: string) => Number(new RegExp(`(?:^|,)${key}=([\\d.]+)`).exec(attributes)?.[1])
    expect(number('BANDWIDTH')).toBeGreaterThanOrEqual(number('AVERAGE-BANDWIDTH'))
    expect(number('AVERAGE-BANDWIDTH')).toBeGreaterThan(0)
    expect(number('FRAME-RATE')).toBeGreaterThanOrEqual(10)
    expect(attributes).toMatch(/RESOLUTION=\d+x\d+/)
    expect(attributes).toMatch(
      hasAudio ? /CODECS="avc1\.6400..,mp4a\.40\.2",AUDIO="audio"/ : /CODECS="avc1\.6400.."$/,
    )
  }
  const uris = [...master.matchAll(/URI="([^"]+)"|^([^#\n].*)$/gm)].map((match) => match[1] ?? match[2] ?? '')
  expect(uris).toHaveLength(rungs.length + (hasAudio ? 1 : 0))
  for (const uri of uris) expect(existsSync(join(outDir, uri))).toBe(true)
}

async function expectStoryboard(outDir: string, { storyboard, durationMs }: ProcessedVideo) {
  const vtt = await readFile(join(outDir, storyboard.file), 'utf8')
  const time = '(\\d\\d):(\\d\\d):(\\d\\d)\\.(\\d{3})'
  const cue = new RegExp(`^${time} --> ${time}\\n(.+)#xywh=(\\d+),(\\d+),(\\d+),(\\d+)$`, 'gm')
  let reached = 0
  for (const match of vtt.matchAll(cue)) {
    const [h1, m1, s1, f1, h2, m2, s2, f2] = match.slice(1, 9).map(Number)
    expect(milliseconds([h1, m1, s1, f1])).toBe(reached)
    reached = milliseconds([h2, m2, s2, f2])
    const [x = 0, y = 0, width = 0, height = 0] = match.slice(10).map(Number)
    const [sheetWidth = 0, sheetHeight = 0] = jpegSize(await readFile(join(outDir, match[9] ?? '')))
    expect(x + width).toBeLessThanOrEqual(sheetWidth)
    expect(y + height).toBeLessThanOrEqual(sheetHeight)
  }
  expect(reached).toBe(durationMs)
}

function milliseconds([hours = 0, minutes = 0, seconds = 0, ms = 0]: (number | undefined)[]): number {
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms
}

/** Width and height, from the frame header. */
function jpegSize(jpeg: Buffer): number[] {
  let at = 2
  while (jpeg[at + 1] !== 0xc0) at += 2 + jpeg.readUInt16BE(at + 2)
  return [jpeg.readUInt16BE(at + 7), jpeg.readUInt16BE(at + 5)]
}
