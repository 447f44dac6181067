import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  bombs,
  goodFiles,
  mutants,
  playlists,
  survive,
  type Hostile,
} from '../testing/media/hostile-media.ts'
import { ask } from './ask.ts'
import { giveTo, placesOf } from './boundary.ts'
import { processSource } from './process.ts'
import { probeSource } from '../testing/media/probes.ts'
import { makeSample } from '../testing/media/samples.ts'
import { availableEngines, pickEngine } from './engines.ts'
import { transcoderOf } from './transcoder.ts'

const engines = await availableEngines()
let folder: string
let good: Hostile[]

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sendreel-hostile-'))
  good = await goodFiles(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => {
  delete process.env['SENDREEL_TRANSCODER']
})

const file = async ({ name, bytes }: Hostile) => {
  const at = path.join(folder, `${name}.mp4`)
  await writeFile(at, bytes)
  return at
}

test.each(['mp4', 'fragmented mp4', 'mov', 'mkv', 'webm', 'ts'])(
  'a good %s is taken, and read as what it is',
  async (name) => {
    const source = await file(good.find((each) => each.name === name) ?? { name, bytes: Buffer.alloc(0) })
    const demuxer = { mkv: 'matroska', webm: 'matroska', ts: 'mpegts' }[name] ?? 'mov'
    expect(await probeSource(source)).toMatchObject({ demuxer, width: 160, height: 120, isCut: false })
  },
)

describe('a list of files that calls itself holiday.mp4', () => {
  test('is refused, whatever it names', async () => {
    for (const list of playlists('../../../media/other/1'))
      await expect(probeSource(await file(list))).rejects.toMatchObject({
        code: expect.stringMatching(/^(refers_elsewhere|not_a_video)$/) as unknown,
      })
  })

  test.each(engines)('is followed by no engine, even if it came as far: $name', async (engine) => {
    const other = path.join(folder, 'other')
    await rm(other, { recursive: true, force: true })
    await processSource({ source: await file(good[0] as Hostile), outDir: other })
    for (const target of ['other/120p', path.join(other, '120p')])
      for (const list of playlists(target).filter(({ name }) => ['HLS', 'concat'].includes(name)))
        for (const format of ['mov', 'mpegts'] as const) {
          const out = path.join(folder, 'stolen.jpg')
          const output = { file: out, format: 'image2' as const, options: { update: '1' } }
          const job = {
            input: { file: await file(list), format },
            video: '[0:v]format=yuvj420p[v]',
            outputs: [{ ...output, streams: [{ label: 'v', encoder: 'mjpeg' as const, options: {} }] }],
          }
          await transcoderOf(engine)
            .run(job)
            .catch(() => undefined)
          expect((await readFile(out).catch(() => Buffer.alloc(0))).length).toBe(0)
        }
  })
})

test('what promises more than it has, or refers elsewhere, is refused by its name', async () => {
  const codes: Record<string, string> = {
    AVI: 'avi',
    'a reference movie': 'refers_elsewhere',
    'pictures in another file': 'refers_elsewhere',
    '8192 x 8192 for hours': 'too_large_picture',
  }
  const mp4 = good[0] as Hostile
  for (const bomb of bombs(mp4.bytes).filter(({ name }) => name in codes))
    await expect(probeSource(await file(bomb))).rejects.toMatchObject({ code: codes[bomb.name] })
  const old = {
    name: 'MPEG-4 Part 2',
    bytes: Buffer.from(mp4.bytes.toString('latin1').replace('avc1', 'mp4v'), 'latin1'),
  }
  old.bytes.write('mp4v', old.bytes.lastIndexOf('avc1'), 'latin1')
  await expect(probeSource(await file(old))).rejects.toMatchObject({ code: 'mpeg4_part_2' })
})

test('a pipe that nobody writes to is waited for by nobody', async () => {
  const pipe = path.join(folder, 'pipe.mp4')
  await promisify(execFile)('mkfifo', [pipe])
  await expect(probeSource(pipe)).rejects.toMatchObject({ code: 'not_a_video' })
})

test('a few files drawn from the corpus end in time, within their memory', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  console.log(`seed of the hostile files: ${seed}`)
  const drawn = [...mutants(good, 8, seed), ...bombs((good[0] as Hostile).bytes).slice(0, 2)]
  for (const hostile of drawn) {
    const outcome = await survive(hostile, folder)
    expect(outcome, `seed ${seed}`).toSatisfy(
      ({ cpuSeconds, bytes }: typeof outcome) => cpuSeconds < 30 && bytes < 2 ** 30,
    )
  }
})

describe.each(engines.map(({ name }) => name))('with the engine %s', (engine) => {
  beforeEach(() => {
    process.env['SENDREEL_TRANSCODER'] = engine
  })

  test('a file cut in half is not ready, unless what is there is enough', async () => {
    const source = await makeSample(folder, 'landscape')
    const whole = await processSource({ source, outDir: path.join(folder, 'whole') })
    expect(whole.warnings).toEqual([])
    await truncate(source, Math.floor((await readFile(source)).length / 2))
    const outDir = path.join(folder, `half-${engine}`)
    await expect(probeSource(source)).rejects.toMatchObject({ code: 'cut_off' })
    await expect(processSource({ source, outDir })).rejects.toMatchObject({ code: 'cut_off' })
    const half = await processSource({ source, outDir, acceptIncomplete: true })
    expect(half.durationMs).toBeGreaterThan(3_000)
    expect(half.durationMs).toBeLessThan(11_000)
    const end = { code: 'cut_off', startMs: half.durationMs, endMs: whole.durationMs }
    expect(half.warnings.at(-1)).toEqual(end)
  })

  test('a conversion that takes more than its time is ended, and said to be too costly', async () => {
    const input = await makeSample(folder, 'landscape')
    const places = { input, output: path.join(folder, `late-${engine}`), empty: path.join(folder, 'empty') }
    const probe = await probeSource(input)
    for (const each of [places.output, places.empty]) await mkdir(each, { recursive: true })
    await giveTo(input, places.output)
    const inside = await placesOf(places)
    const work = { source: inside.input, outDir: inside.output, engine: await pickEngine(), probe }
    const task = { kind: 'convert' as const, ...work }
    const limits = { cpuSeconds: 1, memoryBytes: 1.75 * 2 ** 30, fileBytes: 2 ** 30, wallMs: 120_000 }
    await expect(ask({ task, places, limits })).rejects.toMatchObject({ code: 'too_costly' })
  })

  test('damage in the middle is told with its time', async () => {
    const source = await makeSample(folder, 'landscape')
    const bytes = await readFile(source)
    for (let at = 400_000; at < 402_000; at += 1) bytes[at] = (at * 7) & 255
    await writeFile(source, bytes)
    const { warnings, durationMs } = await processSource({
      source,
      outDir: path.join(folder, `damaged-${engine}`),
    })
    expect(warnings).toHaveLength(1)
    const [damage] = warnings
    expect(damage?.code).toBe('damaged')
    expect(Math.abs((damage?.startMs ?? 0) - durationMs / 2)).toBeLessThan(1_500)
  })
})

test('what another user of the child leaves behind is the server’s alone', async () => {
  const outDir = path.join(folder, 'ours')
  await mkdir(folder, { recursive: true })
  await processSource({ source: await file(good[0] as Hostile), outDir })
  const { stdout } = await promisify(execFile)('find', [outDir, '-printf', '%m %U\n'])
  expect(new Set(stdout.trim().split('\n'))).toEqual(
    new Set([`700 ${process.getuid?.()}`, `600 ${process.getuid?.()}`]),
  )
  expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
})
