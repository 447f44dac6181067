import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readVideo } from '#contract/videos/videos.ts'
import {
  bombs,
  goodFiles,
  mutants,
  playlists,
  survive,
  type Hostile,
  type Outcome,
} from '../testing/media/hostile-media.ts'
import { startTestServer, type TestServer } from '../testing/server.ts'
import { uploadVideo } from '../testing/uploads.ts'
import { startMediaProcess, type MediaProcess } from '../videos/media-process.ts'

/** `SEED=… npm run test:all` repeats the files of a run. */
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const mutantsOfAll = 185

let folder: string
let good: Hostile[]
let server: TestServer
let media: MediaProcess | undefined

beforeAll(async () => {
  console.log(`seed of the hostile files: ${seed}`)
  folder = await mkdtemp(path.join(tmpdir(), 'sendreel-corpus-'))
  good = await goodFiles(folder)
  server = await startTestServer()
})
afterAll(async () => {
  await media?.stop()
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const mp4 = () => good[0]?.bytes ?? Buffer.alloc(0)
const corpus = () => [...mutants(good, mutantsOfAll, seed), ...bombs(mp4()), ...playlists('/var/lib/other')]

test('every one of two hundred hostile files ends within 30 seconds of one core and 1 GB', async () => {
  const outcomes: Outcome[] = []
  for (const hostile of corpus()) outcomes.push(await survive(hostile, folder))
  expect(outcomes.length).toBeGreaterThanOrEqual(200)
  const ends = Map.groupBy(outcomes, ({ end }) => end)
  const most = (of: (outcome: Outcome) => number) => Math.max(...outcomes.map(of))
  console.log(
    [...ends].map(([end, all]) => `${end}: ${all.length}`).join(', '),
    `| at most ${most((one) => one.cpuSeconds).toFixed(1)} s of one core, ${most((one) => one.seconds).toFixed(1)} s by the clock,`,
    `${Math.round(most((one) => one.bytes) / 2 ** 20)} MB`,
  )
  expect(outcomes.filter(({ cpuSeconds, bytes }) => cpuSeconds > 30 || bytes > 2 ** 30)).toEqual([])
})

test('a good clip of another organization, behind hostile ones, is ready within a minute', async () => {
  const [hostile, honest] = [
    await server.person('admin', await server.organization()),
    await server.person('admin', await server.organization()),
  ]
  media = startMediaProcess(server.services)
  const drawn = [...bombs(mp4()), ...mutants(good, 10, seed + 1)].filter(({ bytes }) => bytes.length > 0)
  for (const each of drawn) await uploadVideo(server, hostile, { bytes: each.bytes, title: each.name })
  const clip = await readFile(path.join(folder, 'good-0.8.mp4'))
  const begun = Date.now()
  const { videoId: id } = await uploadVideo(server, honest, { bytes: clip, title: 'good' })
  const state = async () => (await honest.call(readVideo, { params: { videoId: id } })).body.state
  while (!['ready', 'failed'].includes(await state()) && Date.now() - begun < 60_000)
    await new Promise((resolve) => setTimeout(resolve, 200))
  console.log(
    `ready after ${((Date.now() - begun) / 1000).toFixed(1)} s, behind ${drawn.length} hostile files`,
  )
  expect(await state()).toBe('ready')
})
