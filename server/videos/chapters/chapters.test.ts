import { beforeEach, describe, expect, test } from 'vitest'
import { readAudience } from '#contract/audience/audience.ts'
import { readEvidence } from '#contract/evidence/evidence.ts'
import { readChapters, saveChapters } from '#contract/videos/chapters.ts'
import { replaceVideo, type VideoChange } from '#contract/videos/replacements.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { addVideo, openPage } from '../../testing/viewing/viewing.ts'
import { addMedia } from '../../testing/viewing/served.ts'
import { aServer, anOrganization, setPolicies } from '../../testing/worlds.ts'
import { aggregate, by, watched } from '../../testing/viewing/watching.ts'
import type { Person } from '../../testing/server.ts'
import { storeResult } from '../process-queries.ts'

const server = await aServer()
let orgId: string
let admin: Person
let videoId: string
let versionId: string

beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  ;({ videoId, versionId } = await addVideo(server, { organizationId: orgId }))
})

type Sent = { chapters?: object[]; text?: string }
const save = (body: Sent, headers: Record<string, string> = {}) =>
  admin.send('PUT', `/api/videos/${videoId}/chapters`, { body, headers })
const titles = async () => (await read()).chapters.map(({ title }) => title)
const read = async () => (await admin.call(readChapters, { params: { videoId } })).body

const lockOut = '0:00 Start\n0:10 Lock out\n0:40 Try it'
const three = [
  { startMs: 0, title: 'Start' },
  { startMs: 10_000, title: 'Lock out' },
  { startMs: 40_000, title: 'Try it' },
]

describe('the chapters of a video', () => {
  test('are saved as a list, as lines and as a file, and read in the order of their times', async () => {
    expect((await read()).chapters).toEqual([])
    const kept = three.map((chapter) => ({ ...chapter, toCheck: false }))
    const vtt =
      'WEBVTT\n\n00:40.000 --> 01:00.000\nTry it\n\n00:00.000 --> 00:10.000\nStart\n\n00:10.000 --> 00:40.000\nLock out\n'
    for (const body of [{ chapters: three.toReversed() }, { text: lockOut }, { text: vtt }]) {
      const saved = await save(body)
      expect(saved).toMatchObject({ status: 200, body: { versionId, durationMs: 60_000, chapters: kept } })
      expect((await read()).chapters).toEqual(kept)
      expect((await save({ chapters: [] })).status).toBe(200)
      expect(await titles()).toEqual([])
    }
  })

  test('what a GET gave is taken back by a PUT', async () => {
    await save({ text: lockOut })
    const given = await read()
    expect(await save(given)).toMatchObject({ status: 200 })
    expect((await read()).chapters).toEqual(given.chapters)
  })

  test.each([
    ['nothing', {}, { fields: { chapters: ['required'] } }],
    ['both', { chapters: [], text: '' }, { fields: { chapters: ['invalid'] } }],
    [
      'a line without a time',
      { text: '0:00 Start\nLock out' },
      { fields: { text: ['invalid'] }, detail: 'Line 2: Begin with a time, as in “3:10 Lock out”.' },
    ],
    [
      'a time at which the video is over',
      { text: '0:00 Start\n1:00 Late' },
      { fields: { text: ['too_big'] }, detail: 'Line 2: The video is over by then.' },
    ],
    [
      'a list with such a time',
      { chapters: [...three, { startMs: 60_000, title: 'Late' }] },
      { fields: { 'chapters.3.startMs': ['too_big'] }, detail: 'Line 4: The video is over by then.' },
    ],
    [
      'two at one time',
      { chapters: [three[0], { startMs: 0, title: 'Again' }] },
      {
        fields: { 'chapters.1.startMs': ['taken'] },
        detail: 'Line 2: Another chapter begins at this very time.',
      },
    ],
    [
      'an empty title',
      { chapters: [{ startMs: 0, title: '  ' }] },
      { fields: { 'chapters.0.title': ['required'] } },
    ],
    [
      'a title of two lines',
      { chapters: [{ startMs: 0, title: 'a\nb' }] },
      { fields: { 'chapters.0.title': ['hidden_characters'] } },
    ],
    [
      'a long title',
      { chapters: [{ startMs: 0, title: 'x'.repeat(121) }] },
      { fields: { 'chapters.0.title': ['too_long'] } },
    ],
    [
      'half a millisecond',
      { chapters: [{ startMs: 0.5, title: 'a' }] },
      { fields: { 'chapters.0.startMs': ['invalid'] } },
    ],
    [
      'a time before the beginning',
      { chapters: [{ startMs: -1, title: 'a' }] },
      { fields: { 'chapters.0.startMs': ['too_small'] } },
    ],
    [
      'too many',
      { chapters: Array.from({ length: 501 }, (_one, startMs) => ({ startMs, title: 'a' })) },
      { fields: { chapters: ['too_long'] } },
    ],
    [
      'another field',
      { chapters: [{ startMs: 0, title: 'a', endMs: 10 }] },
      { fields: { 'chapters.0.endMs': ['unknown_field'] } },
    ],
    ['too long a text', { text: '0:00 a\n'.repeat(40_000) }, { fields: { text: ['too_long'] } }],
  ] as const)('%s is refused, and nothing is changed', async (_what, body, expected) => {
    await save({ text: '0:05 Kept' })
    const answer = await save(body as Sent)
    expect(answer).toMatchObject({ status: 422, body: expected })
    expect(await titles()).toEqual(['Kept'])
  })

  test('keep odd titles as they are', async () => {
    const odd = ['اقفل الآلة', '👩‍👩‍👧 family', '</script><b>', `'; drop table videos; --`, '…', 'Zürich · 2:1']
    const chapters = odd.map((title, n) => ({ startMs: n * 1_000, title }))
    expect(await save({ chapters })).toMatchObject({ status: 200 })
    expect(await titles()).toEqual(odd)
    const { html, data } = await openPage(server, `/w/video/${videoId}`)
    expect(html).not.toContain('<b>drop')
    expect(html).not.toContain('</script><b>')
    expect(data).toMatchObject({ chapters: { list: chapters } })
  })

  test('saved by somebody else meanwhile are not overwritten', async () => {
    const first = await admin.send('GET', `/api/videos/${videoId}/chapters`)
    const seen = { 'if-match': String(first.headers['etag']) }
    expect(await save({ text: '0:01 Theirs' }, seen)).toMatchObject({ status: 200 })
    expect(await save({ text: '0:01 Mine' }, seen)).toMatchObject({ status: 412 })
    expect(await titles()).toEqual(['Theirs'])
  })

  test('of a video that plays nothing yet cannot be saved; of one that is not there neither', async () => {
    await server.query('update videos set current_version_id = null where id = $1', [videoId])
    expect(await save({ text: lockOut })).toMatchObject({ status: 409, body: { code: 'not_ready' } })
    await server.query('update videos set deleted_at = now() where id = $1', [videoId])
    expect(await save({ text: lockOut })).toMatchObject({ status: 404 })
  })

  test('each change is told in the audit log', async () => {
    await save({ text: lockOut })
    const found = await server.query<{ action: string; after: object }>(
      `select action, after from audit where entity_id = $1 order by id`,
      [videoId],
    )
    expect(found).toEqual([
      { action: 'video.chapters', after: { chapters: ['Start', 'Lock out', 'Try it'] } },
    ])
  })
})

describe('the page of the video', () => {
  test('lists them as links to their moments, and has nothing of it without any', async () => {
    const before = await openPage(server, `/w/video/${videoId}`)
    expect(before.html).not.toContain('id="chapters"')
    expect(before.data).not.toHaveProperty('chapters')
    await save({ text: '0:00 Start\n0:10.5 Lock out & tag' })
    const { html, data } = await openPage(server, `/w/video/${videoId}`)
    expect(html).toContain('<a href="#t=10.5"><span>0:10</span><b dir="auto">Lock out &amp; tag</b></a>')
    expect(html).toContain('aria-label="Chapters"')
    expect(data).toMatchObject({
      chapters: {
        list: [
          { startMs: 0, title: 'Start' },
          { startMs: 10_500, title: 'Lock out & tag' },
        ],
      },
    })
    expect(html).not.toMatch(/ style=| on\w+=/)
  })
})

describe('a replaced video', () => {
  async function replace(change: VideoChange, durationMs = 60_000): Promise<void> {
    const answer = await admin.call(replaceVideo, {
      params: { videoId },
      body: { fileName: 'new.mp4', size: 10, change },
    })
    expect(answer.status).toBe(201)
    const key = { organizationId: orgId, videoId, versionId: answer.body.uploadUrl.split('/').at(-1) ?? '' }
    const picture = { width: 1, height: 1, renditions: [], poster: 'p.jpg', posterSmall: 'p.jpg', blur: '' }
    const made = { ...picture, durationMs, storyboard: null, bytes: 1, files: [], warnings: [] }
    await server.services.db.as({ organizationId: orgId }, (tx) => storeResult(tx, key, made as never))
  }
  const kept = async () =>
    (await read()).chapters.map(
      ({ startMs, title, toCheck }) => `${toCheck ? '?' : ''}${startMs / 1_000} ${title}`,
    )
  const shown = async () =>
    (await admin.call(readVideo, { params: { videoId } })).body.chapters.map(({ title }) => title)

  test('keeps the chapters that did not change, and marks the others', async () => {
    await save({ text: lockOut })
    await replace({ matters: 'parts', parts: [[8_000, 20_000]], alsoDone: false })
    expect(await kept()).toEqual(['0 Start', '?10 Lock out', '40 Try it'])
    expect(await shown()).toEqual(['Start', 'Try it'])
    expect((await openPage(server, `/w/video/${videoId}`)).data).toMatchObject({
      chapters: { list: [{ title: 'Start' }, { title: 'Try it' }] },
    })
    // Somebody has looked.
    const checked = (await read()).chapters.map(({ startMs, title }) => ({ startMs, title }))
    expect(await save({ chapters: checked })).toMatchObject({ status: 200 })
    expect(await shown()).toEqual(['Start', 'Lock out', 'Try it'])
  })

  test('moves what comes after a part that became longer', async () => {
    await save({ text: lockOut })
    await replace({ matters: 'parts', parts: [[8_000, 25_000]], alsoDone: false }, 65_000)
    expect(await kept()).toEqual(['0 Start', '?10 Lock out', '45 Try it'])
  })

  test('that is another one altogether has all of them to be checked, also where it is shorter', async () => {
    await save({ text: lockOut })
    await replace({ matters: 'whole', alsoDone: false }, 30_000)
    expect(await kept()).toEqual(['?0 Start', '?10 Lock out', '?40 Try it'])
    expect(await shown()).toEqual([])
    expect((await openPage(server, `/w/video/${videoId}`)).data).not.toHaveProperty('chapters')
    // What still has to be checked may be saved again beside what is new, and cannot be called right where the video is over.
    const { chapters } = await read()
    expect(await save({ chapters: [...chapters, { startMs: 10_000, title: 'New' }] })).toMatchObject({
      status: 200,
    })
    expect(await shown()).toEqual(['New'])
    const right = chapters.map(({ startMs, title }) => ({ startMs, title }))
    expect(await save({ chapters: right })).toMatchObject({ status: 422 })
  })

  test('in which nothing matters keeps them all', async () => {
    await save({ text: lockOut })
    await replace({ matters: 'nothing' })
    expect(await kept()).toEqual(['0 Start', '10 Lock out', '40 Try it'])
  })
})

describe('what was watched', () => {
  test('is told by chapter, of a person and of all', async () => {
    await save({ text: lockOut })
    await setPolicies(server, orgId, { smallestGroup: 1 })
    const person = await server.person(null, orgId)
    const ids = { org: orgId, video: videoId, version: versionId }
    const play = by({ ...ids, durMs: 60_000, kind: 'visitor', maxRate: 2, theta: 0.95 }, person)
    await aggregate(server, [watched(server, { play, at: Date.now() - 3_600_000, part: [5_000, 25_000] })])
    const params = { orgId, userId: person.id, videoId }
    const evidence = await admin.call(readEvidence, { params })
    expect(evidence.body.versions[0]?.chapters).toEqual([
      { title: 'Start', startMs: 0, endMs: 10_000, coveredMs: 5_000 },
      { title: 'Lock out', startMs: 10_000, endMs: 40_000, coveredMs: 15_000 },
      { title: 'Try it', startMs: 40_000, endMs: 60_000, coveredMs: 0 },
    ])
    const audience = await admin.call(readAudience, { params: { videoId } })
    expect(audience.body.chapters).toEqual(three)
  })
})

test('requires sign-in', async () => {
  expect((await server.call(readChapters, { params: { videoId } })).status).toBe(401)
})

test('requires role', async () => {
  const group = await server.person('groupadmin', orgId)
  expect((await group.call(saveChapters, { params: { videoId }, body: { text: '' } })).status).toBe(403)
  const foreign = await server.person('admin', await server.organization('Other'))
  expect((await foreign.call(readChapters, { params: { videoId } })).status).toBe(404)
  expect((await foreign.call(saveChapters, { params: { videoId }, body: { text: '' } })).status).toBe(404)
})

test('they are in the playlist of players that know nothing of the page, in the form of Apple, until they are gone', async () => {
  ;({ videoId, versionId } = await addMedia(server, orgId))
  const hls = (await admin.call(readVideo, { params: { videoId } })).body.playback?.hls ?? ''
  const get = async (url: string) =>
    (await server.app.inject({ url })) as { statusCode: number; body: string }
  const file = hls.replace('master.m3u8', 'chapters.json')
  expect((await get(hls)).body).not.toContain('SESSION-DATA')
  expect((await get(file)).statusCode).toBe(404)
  await save({ text: lockOut })
  expect((await get(hls)).body.split('\n').slice(0, 3)).toEqual([
    '#EXTM3U',
    '#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.chapters",URI="chapters.json"',
    '#EXT-X-STREAM-INF:BANDWIDTH=400000',
  ])
  const told = await get(file)
  expect(told.statusCode).toBe(200)
  expect(JSON.parse(told.body)).toEqual([
    { chapter: 1, 'start-time': 0, titles: [{ language: 'und', title: 'Start' }] },
    { chapter: 2, 'start-time': 10, titles: [{ language: 'und', title: 'Lock out' }] },
    { chapter: 3, 'start-time': 40, titles: [{ language: 'und', title: 'Try it' }] },
  ])
  await server.query('update videos set deleted_at = now() where id = $1', [videoId])
  expect((await get(file)).statusCode).toBe(404)
})
