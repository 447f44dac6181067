import { afterAll, expect, test } from 'vitest'
import { become, readCase } from '../testing/media/video-cases.ts'
import { aServer } from '../testing/worlds.ts'
import { startMediaProcess } from './media-process.ts'

const server = await aServer()
const admin = await server.person('admin', await server.organization())
const media = startMediaProcess(server.services)
afterAll(() => media.stop())

const made = async (file: string) => become({ server, admin }, await readCase(file))

test('the length is that of what its author has left of it', { timeout: 60_000 }, async () => {
  const { video } = await made('trimmed-at-end.mp4')
  expect(video).toMatchObject({ failure: null, durationMs: 1_500, warnings: [] })
})

test('sound that nobody can read leaves a silent video that says so', { timeout: 60_000 }, async () => {
  const { video, playlist } = await made('unreadable-sound-only.mp4')
  const warnings = [{ code: 'no_sound', startMs: 0, endMs: 4_000 }]
  expect(video).toMatchObject({ failure: null, durationMs: 4_000, warnings })
  expect(playlist).not.toContain('AUDIO=')
})

test.each([
  ['small.wmv', 'wmv'],
  ['small-mpeg2.m2ts', 'mpeg2'],
  ['encrypted.mp4', 'encrypted'],
])('%s is refused by its name', { timeout: 60_000 }, async (file, failure) => {
  expect((await made(file)).video).toMatchObject({ state: 'failed', failure })
})
