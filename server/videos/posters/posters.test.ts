import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { choosePoster, readPosters } from '#contract/videos/posters.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { headOf } from '../../media/pictures/picture-head.ts'
import { processVideo } from '../process.ts'
import { sourceKey } from '../../platform/storage/keys.ts'
import { makeClip } from '../../testing/media/clips.ts'
import { png } from '../../testing/media/png.ts'
import { addVideo } from '../../testing/viewing/viewing.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import type { Person } from '../../testing/server.ts'

const server = await aServer()
const { orgId, admin } = await anOrganization(server)
let videoId: string

beforeEach(async () => {
  ;({ videoId } = await addVideo(server, { organizationId: orgId }))
})

const choose = (body: object, by: Person = admin) => by.send('PUT', `/api/videos/${videoId}/poster`, { body })
const posters = async () => (await admin.call(readPosters, { params: { videoId } })).body.posters
const picture = (file: Buffer) => ({ data: file.toString('base64') })
/** The picture at an address, as a browser gets it. */
async function shownAt(address: string) {
  const answer = await server.app.inject(address)
  expect(answer.statusCode).toBe(200)
  return { head: headOf(answer.rawPayload), bytes: answer.rawPayload }
}
const large = async () => {
  const { playback } = (await admin.call(readVideo, { params: { videoId } })).body
  return shownAt(playback?.poster ?? '')
}

describe('a picture of one’s own', () => {
  test('becomes the poster, drawn anew in two sizes, and the one before can be had back', async () => {
    const [made] = await posters()
    expect(made).toMatchObject({ id: 'made', kind: 'made', isShown: true })
    expect(await choose(picture(png(1_600, 900)))).toMatchObject({ status: 200 })
    expect((await large()).head).toMatchObject({ format: 'jpeg_pipe', width: 1280, height: 720 })
    const [own, before] = await posters()
    expect(own).toMatchObject({ kind: 'picture', atMs: null, isShown: true })
    expect((await shownAt(own?.picture ?? '')).head).toMatchObject({ width: 640, height: 360 })
    expect(before).toMatchObject({ id: 'made', isShown: false })
    expect(await choose({ id: 'made' })).toMatchObject({ status: 200 })
    expect((await posters()).map(({ id, isShown }) => [id, isShown])).toEqual([
      [own?.id, false],
      ['made', true],
    ])
    expect(await choose({ id: own?.id ?? '' })).toMatchObject({ status: 200 })
    expect((await large()).head).toMatchObject({ width: 1280 })
  })

  test('that is taken anew leaves those before where they were, so that mails keep showing them', async () => {
    await choose(picture(png(40, 20)))
    const address = (await posters())[0]?.picture ?? ''
    const first = (await shownAt(address)).bytes
    await choose(picture(png(60, 20)))
    expect((await shownAt(address)).bytes.equals(first)).toBe(true)
    for (let n = 0; n < 13; n += 1) await choose(picture(png(20 + n, 20)))
    const kept = await posters()
    expect(kept).toHaveLength(13)
    expect(kept.at(-1)).toMatchObject({ id: 'made' })
  }, 120_000)

  test.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, 'SVG'],
    ['a text', Buffer.from('hello'), 415, 'no picture'],
    ['half a picture', png(200, 200).subarray(0, 120), 415, 'damaged'],
  ])('%s is refused, and nothing is changed', async (_what, file, ...expected) => {
    const answer = await choose(picture(file))
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      expected[0],
      expect.stringContaining(expected[1]) as string,
    ])
    expect(await posters()).toHaveLength(1)
  })
})

test.each([
  [{}, { atMs: ['required'] }],
  [{ atMs: 1, id: 'made' }, { atMs: ['required'] }],
  [{ id: 'none' }, { id: ['not_found'] }],
  [{ atMs: 60_000 }, { atMs: ['too_big'] }],
  [{ atMs: -1 }, { atMs: ['too_small'] }],
  [{ data: 'not base64!' }, { data: ['invalid'] }],
  [{ atMs: 1, other: 1 }, { other: ['unknown_field'] }],
])('%j is refused', async (body, fields) => {
  expect(await choose(body)).toMatchObject({ status: 422, body: { fields } })
  expect(await posters()).toHaveLength(1)
})

test('a frame of the video becomes the poster: the one at that moment', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-poster-'))
  const file = path.join(folder, 'clip.mp4')
  await makeClip({ file, seconds: 10, width: 320, height: 180, style: 'orbits' })
  const source = await readFile(file)
  await rm(folder, { recursive: true })
  const { videoId: id, versionId } = await addVideo(server, {
    organizationId: orgId,
    ready: false,
    state: 'processing',
  })
  videoId = id
  const key = { organizationId: orgId, videoId, versionId }
  await (await server.services.storage.main()).put(sourceKey(key), source)
  await server.query('update video_versions set uploaded_at = now() where id = $1', [versionId])
  await processVideo(server.services, key, new AbortController().signal)
  const drawn: Buffer[] = []
  for (const atMs of [0, 4_000, 5_300, 9_950]) {
    expect(await choose({ atMs })).toMatchObject({ status: 200 })
    const { head, bytes } = await large()
    expect(head).toMatchObject({ format: 'jpeg_pipe', width: 320, height: 180 })
    drawn.push(bytes)
  }
  expect(new Set(drawn.map((one) => one.toString('base64'))).size).toBe(4)
  expect((await posters()).map(({ kind, atMs }) => [kind, atMs])).toEqual([
    ['frame', 9_950],
    ['frame', 5_300],
    ['frame', 4_000],
    ['frame', 0],
    ['made', null],
  ])
})

test('requires sign-in', async () => {
  expect((await server.call(readPosters, { params: { videoId } })).status).toBe(401)
})

test('requires role', async () => {
  const group = await server.person('groupadmin', orgId)
  expect((await group.call(choosePoster, { params: { videoId }, body: { id: 'made' } })).status).toBe(403)
  const foreign = await server.person('admin', await server.organization('Other'))
  expect((await choose({ id: 'made' }, foreign)).status).toBe(404)
  expect((await foreign.call(readPosters, { params: { videoId } })).status).toBe(404)
})
