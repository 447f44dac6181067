import { Decoder, Demuxer } from 'node-av/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { availableEngines } from '../media/engines.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { become, playable, readCase, refused, taken } from '../testing/media/video-cases.ts'
import { startMediaProcess, type MediaProcess } from './media-process.ts'

const engines = (await availableEngines()).map(({ name }) => name)
let server: TestServer
let admin: Person
let media: MediaProcess
const lengths = new Map<string, number>()

beforeAll(async () => {
  server = await startTestServer()
  admin = await server.person('admin', await server.organization())
})
afterAll(async () => {
  await server.close()
})

describe.each(engines)('with the engine %s', (engine) => {
  beforeAll(() => {
    process.env['SENDREEL_TRANSCODER'] = engine
    media = startMediaProcess(server.services)
  })
  afterAll(async () => {
    await media.stop()
    delete process.env['SENDREEL_TRANSCODER']
  })
  const made = async (file: string) => become({ server, admin }, await readCase(file))

  test.each(refused)('$file is refused as $failure', async ({ file, failure }) => {
    expect((await made(file)).video).toMatchObject({ state: 'failed', failure })
  })

  test.each(taken)('$file becomes what it is', async (each) => {
    const { video, playlist } = await made(each.file)
    const { seconds, fps = 10, size, sound, warnings = [] } = each
    expect(video).toMatchObject({ failure: null, state: 'ready', width: size[0], height: size[1] })
    expect(video.warnings.map(({ code }) => code)).toEqual(warnings)
    expect(playlist.includes('AUDIO="audio"')).toBe(sound)
    expect(playlist).toContain(`FRAME-RATE=${fps.toFixed(3)}`)
    const picture = 1000 / fps
    expect(Math.abs((video.durationMs ?? 0) - seconds * 1000)).toBeLessThanOrEqual(picture + 1)
    const before = lengths.get(each.file) ?? video.durationMs ?? 0
    lengths.set(each.file, before)
    expect(Math.abs((video.durationMs ?? 0) - before)).toBeLessThanOrEqual(picture + 1)
  })

  test('what was cut away in the middle is neither shown nor heard', async () => {
    const whole = await shown(await playable(await made('../ordinary.mp4'), '120p'))
    const cut = await shown(await playable(await made('edit-cut-middle.mp4'), '120p'))
    expect(cut).toHaveLength(20)
    expect(likeness(cut[4], whole[4])).toBeLessThan(3)
    expect(likeness(cut[16], whole[36])).toBeLessThan(3)
    expect(likeness(cut[16], whole[16])).toBeGreaterThan(6)
    const sound = await heard(await playable(await made('edit-between-key-frames.mp4'), 'audio'))
    const toneAt = (seconds: number) => strongest(sound.slice(seconds * 48_000, (seconds + 0.1) * 48_000))
    // 440 in the first second and 880 in the last are kept, and 1760 between them is cut away.
    const tones = Array.from({ length: 17 }, (_, tenth) => toneAt(0.1 + tenth / 10))
    expect(new Set(tones)).toEqual(new Set([440, 880]))
  })

  test('a phone that is turned while it records gets black bars', async () => {
    const pictures = await shown(await playable(await made('turned-while-recording.webm'), '120p'))
    const row = (picture: Uint8Array | undefined, x: number) => picture?.[60 * 160 + x] ?? 0
    const bars = [5, 20, 140, 155].map((x) => row(pictures[30], x))
    expect(Math.max(...bars)).toBeLessThan(24)
    expect(Math.max(...Array.from({ length: 80 }, (_, x) => row(pictures[30], 40 + x)))).toBeGreaterThan(60)
    expect(Math.max(...[60, 80, 100, 140].map((x) => row(pictures[5], x)))).toBeGreaterThan(60)
  })

  test('what is stored turned or mirrored stands upright', async () => {
    const pictureOf = async (file: string) => (await shown(await playable(await made(file), '64p')))[5]
    const stored = (await pictureOf('cover-first.mp4')) ?? new Uint8Array()
    const drawn = (width: number, from: (x: number, y: number) => [number, number]) =>
      stored.map((_, place) => {
        const [x, y] = from(place % width, Math.floor(place / width))
        return stored[96 * y + x] ?? 0
      })
    const upright = {
      'turned-90.mp4': drawn(64, (x, y) => [95 - y, x]),
      'turned-180.mp4': drawn(96, (x, y) => [95 - x, 63 - y]),
      'turned-270.mp4': drawn(64, (x, y) => [y, 63 - x]),
      'mirrored.mp4': drawn(96, (x, y) => [95 - x, y]),
    }
    for (const [file, picture] of Object.entries(upright))
      expect(likeness(await pictureOf(file), picture), file).toBeLessThan(4)
  })

  test('sound before the first picture is heard, and the first picture stands meanwhile', async () => {
    const begun = await made('sound-before-picture.mkv')
    const sound = await heard(await playable(begun, 'audio'))
    for (const seconds of [0.3, 1, 1.7, 3])
      expect(loudness(sound.slice(seconds * 48_000, (seconds + 0.2) * 48_000))).toBeGreaterThan(0.01)
    const pictures = await shown(await playable(begun, '120p'))
    expect(likeness(pictures[2], pictures[18])).toBeLessThan(1)
  })
})

/** The brightness of every picture, line after line. */
async function shown(bytes: Buffer): Promise<Uint8Array[]> {
  await using demuxer = await Demuxer.open(bytes)
  const stream = demuxer.video()
  if (!stream) throw new Error('There is no picture')
  using decoder = await Decoder.create(stream)
  const pictures: Uint8Array[] = []
  for await (const frame of decoder.frames(demuxer.packets(stream.index))) {
    if (!frame) continue
    using owned = frame
    pictures.push(new Uint8Array(owned.toBuffer().subarray(0, owned.width * owned.height)))
  }
  return pictures
}

/** The samples of the first channel. */
async function heard(bytes: Buffer): Promise<number[]> {
  await using demuxer = await Demuxer.open(bytes)
  const stream = demuxer.audio()
  if (!stream) throw new Error('There is no sound')
  using decoder = await Decoder.create(stream)
  const samples: number[] = []
  for await (const frame of decoder.frames(demuxer.packets(stream.index))) {
    if (!frame) continue
    using owned = frame
    const first = owned.data?.[0]
    if (first) for (let at = 0; at < owned.nbSamples; at += 1) samples.push(first.readFloatLE(4 * at))
  }
  return samples
}

/** By how much points differ, on average. */
function likeness(a: Uint8Array = new Uint8Array(), b: Uint8Array = new Uint8Array()): number {
  expect(a.length).toBe(b.length)
  return a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length
}

const loudness = (samples: number[]) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)

/** Which of the tones of the samples is the loudest. */
function strongest(samples: number[]): number | undefined {
  const power = (tone: number) => {
    const angle = (at: number) => (2 * Math.PI * tone * at) / 48_000
    const part = (of: (angle: number) => number) =>
      samples.reduce((sum, value, at) => sum + value * of(angle(at)), 0)
    return Math.hypot(part(Math.cos), part(Math.sin))
  }
  return [440, 880, 1760].toSorted((a, b) => power(b) - power(a))[0]
}
