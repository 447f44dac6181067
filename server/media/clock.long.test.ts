import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withLeaps } from '../testing/media/clock-leaps.ts'
import { goodFiles } from '../testing/media/hostile-media.ts'
import { probeSource } from '../testing/media/probes.ts'
import { availableEngines } from './engines.ts'
import { processSource } from './process.ts'

const engines = (await availableEngines()).map(({ name }) => name)
const clipMs = 800
/** What one packet of sound or one picture has. */
const onePieceMs = 200
const hour = 3600

let folder: string
let clip: Buffer

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sendreel-clock-'))
  clip = (await goodFiles(folder)).find(({ name }) => name === 'ts')?.bytes ?? Buffer.alloc(0)
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => {
  delete process.env['SENDREEL_TRANSCODER']
})

async function file(bytes: Buffer): Promise<string> {
  const source = path.join(folder, 'stream.ts')
  await writeFile(source, bytes)
  return source
}

/** A recorder that was stopped and went on, one whose clock ends at 26.5 hours, and single times that a bad cable has spoilt. */
const leaps: [name: string, which: Parameters<typeof withLeaps>[1]][] = [
  ['goes on an hour later', ({ index, count }) => (index > count / 2 ? hour : 0)],
  ['goes on an hour earlier', ({ index, count }) => (index > count / 2 ? 0 : hour)],
  ['comes to its end and begins anew', () => 2 ** 33 / 90_000 - 0.4],
  ['has one picture an hour late', ({ index }) => (index === 10 ? hour : 0)],
  ['has one piece of sound an hour late', ({ index }) => (index === 11 ? hour : 0)],
  ['has its first time an hour late', ({ index }) => (index === 0 ? hour : 0)],
  ['has its last time an hour late', ({ index, count }) => (index === count - 1 ? hour : 0)],
  ['has its pictures an hour after its sound', ({ kind }) => (kind === 'picture' ? hour : 0)],
]

describe.each(engines)('a transport stream, with the engine %s', (engine) => {
  beforeEach(() => {
    process.env['SENDREEL_TRANSCODER'] = engine
  })

  test.each(leaps)('whose clock %s is as long as what it shows', async (_name, which) => {
    const { durationMs, promisedMs } = await probeSource(await file(withLeaps(clip, which)))
    expect(Math.abs(durationMs - clipMs)).toBeLessThanOrEqual(onePieceMs)
    expect(promisedMs).toBe(durationMs)
  })

  test('of two recordings, one behind the other, has both', async () => {
    const source = await file(Buffer.concat([clip, clip]))
    const outDir = path.join(folder, engine)
    const { durationMs, warnings } = await processSource({ source, outDir })
    expect(durationMs).toBeGreaterThanOrEqual(2 * clipMs)
    // Where they are as short as these, their last picture and their first sound lie too far apart to be told from a pause.
    expect(durationMs).toBeLessThanOrEqual(3 * clipMs + onePieceMs)
    expect(warnings).toEqual([])
  })

  test('keeps a pause of nine seconds, which is no leap', async () => {
    const paused = withLeaps(clip, ({ index, count }) => (index > count / 2 ? 9 : 0))
    const { durationMs } = await probeSource(await file(paused))
    expect(Math.abs(durationMs - clipMs - 9_000)).toBeLessThanOrEqual(onePieceMs)
  })
})
