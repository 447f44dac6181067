import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { listNotifications } from '#contract/notifications/notifications.ts'
import { readDashboardAlerts } from '#contract/dashboard.ts'
import { readVideo, type VideoDetail } from '#contract/videos/videos.ts'
import { describeEngine } from '../media/engines.ts'
import { findProgram } from '../platform/programs.ts'
import { startTestServer } from '../testing/server.ts'
import { until } from '../testing/until.ts'
import { uploadVideo } from '../testing/uploads.ts'
import { startMediaProcess, type MediaProcess } from './media-process.ts'

const ffmpeg = await findProgram('ffmpeg')
const system = 'path' in ffmpeg ? ffmpeg.path : undefined
const settings = ['SENDREEL_TRANSCODER', 'FFMPEG_PATH', 'PATH'] as const
const before = settings.map((name) => process.env[name])

const server = await startTestServer()

let media: MediaProcess | undefined
const superadmin = await server.person('superadmin')
const admin = await server.person('admin', await server.organization())
const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-engines-'))
await chmod(folder, 0o755)
const clip = await readFile(path.join(import.meta.dirname, '../testing/media/ordinary.mp4'))
afterEach(async () => {
  await media?.stop()
  media = undefined
  for (const [index, name] of settings.entries()) {
    if (before[index] === undefined) delete process.env[name]
    else process.env[name] = before[index]
  }
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const upload = async () => (await uploadVideo(server, admin, { bytes: clip })).videoId
const read = async (videoId: string) => (await admin.call(readVideo, { params: { videoId } })).body
const ended = (videoId: string) =>
  until(async (): Promise<VideoDetail | false> => {
    const video = await read(videoId)
    return ['ready', 'failed'].includes(video.state) && video
  })

/** A program of this name, put there at once. */
async function program(name: string, lines: string): Promise<string> {
  const file = path.join(folder, name)
  await writeFile(file, `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  return file
}

type Settings = Partial<Record<(typeof settings)[number], string>>

const engines: [string, Settings, string][] = [
  ['that is bundled', { SENDREEL_TRANSCODER: 'av' }, 'by node-av.'],
  ...(system === undefined
    ? []
    : ([
        ['in the path', {}, `by ${system}.`],
        ['that FFMPEG_PATH names', { FFMPEG_PATH: system, PATH: '/nowhere' }, `by ${system}.`],
      ] satisfies [string, Settings, string][])),
]

test.each(engines)('a video is converted by the engine %s', async (_, chosen, told) => {
  Object.assign(process.env, chosen)
  expect(await describeEngine()).toBe(`Videos are converted ${told}`)
  media = startMediaProcess(server.services)
  expect(await ended(await upload())).toMatchObject({ state: 'ready', failure: null, durationMs: 4_000 })
})

test('a program that converts nothing is passed over, and videos become ready all the same', async () => {
  process.env['FFMPEG_PATH'] = '/bin/true'
  expect(await describeEngine()).toBe(
    '/bin/true converts nothing here (it ended without having made a video). Videos are converted by node-av.',
  )
  media = startMediaProcess(server.services)
  expect(await ended(await upload())).toMatchObject({ state: 'ready' })
})

const alerts = async () => (await superadmin.call(readDashboardAlerts)).body.items.map(({ kind }) => kind)
const reported = async () =>
  (await admin.call(listNotifications)).body.items.filter(({ kind }) => kind === 'video.failed').length

test.skipIf(system === undefined)(
  'a video that this machine cannot convert says so, and goes on by itself once it can (needs an ffmpeg)',
  async () => {
    Object.assign(process.env, { SENDREEL_TRANSCODER: 'cli', FFMPEG_PATH: path.join(folder, 'late') })
    media = startMediaProcess(server.services)
    const videoId = await upload()
    expect(await ended(videoId)).toMatchObject({ state: 'failed', failure: 'converter_broken' })
    expect(await alerts()).toContain('failing_conversion')
    expect(await reported()).toBe(1)
    await program('late', `exec ${system} "$@"`)
    await until(async () => (await read(videoId)).state === 'ready')
    expect(await alerts()).not.toContain('failing_conversion')
    expect(await reported()).toBe(1)
  },
)

test('a video that waits for an engine goes on when its process is killed and another one has it', async () => {
  Object.assign(process.env, { SENDREEL_TRANSCODER: 'cli', FFMPEG_PATH: '/bin/false' })
  media = startMediaProcess(server.services)
  const videoId = await upload()
  expect(await ended(videoId)).toMatchObject({ state: 'failed', failure: 'converter_broken' })
  await media.stop()
  process.env['SENDREEL_TRANSCODER'] = 'av'
  media = startMediaProcess(server.services)
  await until(async () => (await read(videoId)).state === 'ready')
})
