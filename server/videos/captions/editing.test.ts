import { beforeEach, describe, expect, test } from 'vitest'
import { captionTypes, chooseCaptions, deleteCaption, readCaptions } from '#contract/videos/captions.ts'
import { typedText } from '#contract/videos/cue-text.ts'
import { markProofRead, readCues, readProofRead, saveCues, type EditedCue } from '#contract/videos/cues.ts'
import { changeOperations } from '#contract/videos/record-bulk.ts'
import { replaceVideo, type VideoChange } from '#contract/videos/replacements.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { oddFile, saidIn } from '../../testing/media/odd-captions.ts'
import { forgetOperations } from '../../operations/forget.ts'
import { takeOperationBack } from '../../testing/operations.ts'
import type { Person } from '../../testing/server.ts'
import { addMedia } from '../../testing/viewing/served.ts'
import { chance } from '../../testing/viewing/viewers.ts'
import { anOrganization, aWorkingServer } from '../../testing/worlds.ts'
import { storeResult } from '../process-queries.ts'

const server = await aWorkingServer()
let orgId: string
let admin: Person
let videoId: string
let params: { videoId: string; language: string }

beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  ;({ videoId } = await addMedia(server, orgId))
  params = { videoId, language: 'de' }
})

const putFile = (file: string | Buffer, type: keyof typeof captionTypes = 'vtt') =>
  admin.send('PUT', `/api/videos/${videoId}/captions/de`, {
    body: Buffer.from(file),
    headers: { 'content-type': captionTypes[type] },
  })
const cue = (key: string, startMs: number, more: Partial<EditedCue> = {}): EditedCue => ({
  key,
  id: '',
  startMs,
  endMs: startMs + 1_000,
  settings: '',
  text: `Words ${key}`,
  ...more,
})
const typed = (one: EditedCue): EditedCue => ({ ...one, text: typedText(one.text) })
const read = async (by = admin) => (await by.call(readCues, { params })).body
const save = (cues: EditedCue[], more: { by?: Person; etag?: string } = {}) =>
  (more.by ?? admin).call(saveCues, {
    params,
    body: { cues },
    ...(more.etag !== undefined && { headers: { 'if-match': more.etag } }),
  })
const listed = async () => (await admin.call(readCaptions, { params: { videoId } })).body.items[0]
const actions = () =>
  server.query<{ action: string }>(
    `select action from audit where entity_id = $1 and action like 'video.caption%' order by at, id`,
    [videoId],
  )
const file = async (format = 'vtt') => {
  const { body } = await admin.send('GET', `/api/videos/${videoId}/captions/de?format=${format}`)
  return typeof body === 'string' ? body : ''
}

describe('captions that are edited', () => {
  test('begin from nothing, in the order of their times, to the millisecond', async () => {
    expect(await read()).toEqual({ cues: [], proofRead: null, updatedAt: null, updatedBy: null })
    const saved = await save([
      cue('b', 2_001, { endMs: 3_599, text: 'Second <i>line</i>\n& so < on' }),
      cue('a', 7, { endMs: 1_993, settings: 'line:0   align:start', id: 'one' }),
    ])
    expect(saved).toMatchObject({ status: 200, body: { cues: 2, fileName: null, format: 'vtt', madeFor: 1 } })
    const { cues, updatedBy } = await read()
    expect(cues).toEqual([
      cue('a', 7, { endMs: 1_993, settings: 'line:0 align:start', id: 'one' }),
      cue('b', 2_001, { endMs: 3_599, text: 'Second <i>line</i>\n&amp; so &lt; on' }),
    ])
    expect(updatedBy).toMatchObject({ id: admin.id })
    for (const format of ['vtt', 'srt'])
      expect(saidIn(await file(format)).map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
        [7, 1_993],
        [2_001, 3_599],
      ])
    const { tracks } = (await admin.call(readVideo, { params: { videoId } })).body
    const { body } = await server.app.inject({ url: tracks[0]?.src ?? '' })
    expect(saidIn(body).map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [7, 1_993],
      [2_001, 3_599],
    ])
  })

  test('keep what was in a file, and are the same text when nothing was typed', async () => {
    const seeded = chance(17)
    for (let index = 0; index < 60; index += 1) {
      const { name, format, bytes } = oddFile(seeded, index)
      const { status, body: stored } = await putFile(bytes, format)
      expect([name, status]).toEqual([name, 200])
      const { cues } = await read()
      const before = await file()
      expect((await save(cues.map(typed))).body, name).toEqual(stored)
      expect(await file(), name).toBe(before)
    }
  }, 60_000)

  test('keep the styles of their file, and lose what VTT does not know', async () => {
    await putFile('WEBVTT\n\nSTYLE\n::cue { color: red }\n\n00:01.000 --> 00:02.000 line:0\nOne\n')
    const [first] = (await read()).cues
    if (!first) throw new Error('no caption')
    await save([
      { ...first, text: '<script>x</script> <b onclick=y>bold</b>\n\n\nlast' },
      cue('new', 5_000, { text: ' \n ' }),
    ])
    expect(await file()).toContain('::cue { color: red }')
    expect((await read()).cues).toEqual([
      { ...first, text: '&lt;script&gt;x&lt;/script&gt; <b>bold</b>\nlast' },
    ])
  })

  test.each<[string, () => EditedCue[], string]>([
    ['an end before its beginning', () => [cue('a', 5, { endMs: 5 })], 'cues.0.endMs'],
    ['one name for two', () => [cue('a', 5), cue('a', 6)], 'cues.1.key'],
    ['a name that is none', () => [cue('a b', 5)], 'cues.0.key'],
    ['half a millisecond', () => [cue('a', 5.5, { endMs: 9 })], 'cues.0.startMs'],
    ['a time before the video', () => [cue('a', -1)], 'cues.0.startMs'],
    ['a year', () => [cue('a', 5, { endMs: 31_536_000_000 })], 'cues.0.endMs'],
    ['a long text', () => [cue('a', 5, { text: 'x'.repeat(2_001) })], 'cues.0.text'],
    [
      'times within settings',
      () => [cue('a', 5, { settings: '00:01.000 --> 00:02.000' })],
      'cues.0.settings',
    ],
    ['times within a name', () => [cue('a', 5, { id: '00:01.000 --> 00:02.000' })], 'cues.0.id'],
    ['too many', () => Array.from({ length: 20_001 }, (_, at) => cue(`c${at}`, at)), 'cues'],
  ])('are refused with %s', async (...[, cues, field]) => {
    const refused = await save(cues())
    expect(refused.status).toBe(422)
    expect(Object.keys((refused.body as { fields?: object }).fields ?? {})).toEqual([field])
    expect((await read()).updatedAt).toBeNull()
  })

  test('of 20,000 are saved', async () => {
    const all = Array.from({ length: 20_000 }, (_, at) =>
      cue(`c${at}`, at * 1_000, { text: `Line & <i>${at}</i>` }),
    )
    expect((await save(all)).body).toMatchObject({ cues: 20_000 })
    expect((await read()).cues).toHaveLength(20_000)
  }, 60_000)

  test('are saved by nobody who has seen older ones, and names stay for whoever merges', async () => {
    await putFile('WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\n00:03.000 --> 00:04.000\nTwo\n')
    const other = await server.person('admin', orgId)
    const mine = await admin.call(readCues, { params })
    const [one, two] = mine.body.cues
    if (!one || !two) throw new Error('no captions')
    const etag = String(mine.headers['etag'])
    expect((await save([one, { ...two, text: 'Theirs' }], { by: other, etag })).status).toBe(200)
    expect((await save([{ ...one, text: 'Mine' }, two], { etag })).status).toBe(412)
    const { cues, updatedBy } = await read()
    expect(cues).toEqual([one, { ...two, text: 'Theirs' }])
    expect(updatedBy).toMatchObject({ id: other.id })
  })

  test('are one entry of the audit for each sitting of each person', async () => {
    const other = await server.person('admin', orgId)
    for (const text of ['a', 'ab', 'ab']) await save([cue('a', 0, { text })])
    await save([cue('a', 0, { text: 'abc' })], { by: other })
    await save([cue('a', 0, { text: 'abcd' })])
    await server.query(`update captions set edited_at = now() - interval '16 minutes' where video_id = $1`, [
      videoId,
    ])
    await save([cue('a', 0, { text: 'abcde' })])
    expect(await actions()).toEqual(Array.from({ length: 4 }, () => ({ action: 'video.captions_edited' })))
  })
})

describe('captions that somebody has proof-read', () => {
  const proof = (isProofRead: boolean, etag?: string) =>
    admin.call(markProofRead, {
      params,
      body: { isProofRead },
      ...(etag !== undefined && { headers: { 'if-match': etag } }),
    })
  const at = expect.stringMatching(/^\d{4}-/) as string

  test('say who and when, until their text or times are others', async () => {
    expect((await proof(true)).status).toBe(404)
    await save([cue('a', 0)])
    expect((await listed())?.proofRead).toBeNull()
    const { headers } = await admin.call(readCues, { params })
    expect((await proof(true, '"older"')).status).toBe(412)
    const marked = await proof(true, String(headers['etag']))
    expect(marked.body).toMatchObject({ proofRead: { at, by: { id: admin.id } } })
    expect((await admin.call(readProofRead, { params })).body).toMatchObject({ proofRead: { at } })
    expect((await proof(false, String(headers['etag']))).status).toBe(412)
    await proof(true)
    await save([cue('a', 0)])
    expect(await listed()).toMatchObject({ proofRead: { at } })
    await save([cue('a', 1)])
    expect((await listed())?.proofRead).toBeNull()
    await proof(true)
    await putFile('WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n')
    expect((await listed())?.proofRead).toBeNull()
    await proof(true)
    await proof(false)
    expect((await listed())?.proofRead).toBeNull()
    expect((await actions()).map(({ action }) => action)).toEqual([
      'video.captions_edited',
      'video.captions_proof_read',
      'video.captions_proof_read',
      'video.captioned',
      'video.captions_proof_read',
      'video.captions_reopened',
    ])
  })

  async function replace(change: VideoChange): Promise<void> {
    const body = { fileName: 'new.mp4', size: 10, change }
    const answer = await admin.call(replaceVideo, { params: { videoId }, body })
    const key = { organizationId: orgId, videoId, versionId: answer.body.uploadUrl.split('/').at(-1) ?? '' }
    const picture = { width: 1, height: 1, renditions: [], poster: 'p.jpg', posterSmall: 'p.jpg', blur: '' }
    const made = { ...picture, durationMs: 60_000, storyboard: null, bytes: 1, files: [], warnings: [] }
    await server.services.db.as({ organizationId: orgId }, (tx) => storeResult(tx, key, made as never))
  }

  test('are open again when the video is another one, and not where nothing of it matters', async () => {
    await save([cue('a', 0), cue('b', 20_000)])
    await proof(true)
    await replace({ matters: 'nothing' })
    expect(await listed()).toMatchObject({ proofRead: { at }, former: null })
    await replace({ matters: 'parts', parts: [[18_000, 24_000]], alsoDone: false })
    expect(await listed()).toMatchObject({ proofRead: null, former: { cues: 1 } })
    expect((await proof(true)).body).toMatchObject({ proofRead: { at }, former: null })
  })
})

describe('removed captions', () => {
  const remove = async () =>
    (await admin.call(deleteCaption, { params, query: { kind: 'captions' } })).body.operationId
  const undo = (operationId: string) => takeOperationBack(admin, operationId)

  test('come back as they were', async () => {
    await putFile('WEBVTT\n\nSTYLE\n::cue { color: red }\n\n00:01.000 --> 00:02.000 line:0\nOne\n')
    await admin.call(chooseCaptions, {
      params: { videoId },
      body: { shown: { language: 'de', kind: 'captions' } },
    })
    await admin.call(markProofRead, { params, body: { isProofRead: true } })
    const [before, text] = [await listed(), await file()]
    const operationId = await remove()
    expect(await listed()).toBeUndefined()
    await undo(operationId)
    expect(await listed()).toEqual({ ...before, updatedAt: expect.any(String) })
    expect(await file()).toBe(text)
    expect((await actions()).at(-1)).toEqual({ action: 'video.captions_restored' })
  })

  test('are gone for good where somebody gives them up', async () => {
    await save([cue('a', 0)])
    const operationId = await remove()
    const kept = () =>
      server.query('select 1 from operation_rows where operation_id = $1 and after is not null', [
        operationId,
      ])
    await forgetOperations(server.services)
    expect(await kept()).toHaveLength(1)
    const body = { selection: { ids: [operationId] }, action: 'delete' as const }
    expect((await admin.call(changeOperations, { body })).status).toBe(200)
    await forgetOperations(server.services)
    expect(await kept()).toEqual([])
  })

  test('stay away where others are there by then', async () => {
    await save([cue('a', 0)])
    const operationId = await remove()
    await save([cue('b', 0)])
    await undo(operationId)
    expect((await read()).cues.map(({ key }) => key)).toEqual(['b'])
  })
})

test('requires sign-in', async () => {
  expect((await server.call(readCues, { params })).status).toBe(401)
  expect((await server.call(saveCues, { params, body: { cues: [] } })).status).toBe(401)
})

test('requires role', async () => {
  await save([cue('a', 0)])
  const group = await server.person('groupadmin', orgId)
  const foreign = await server.person('admin', await server.organization('Other'))
  for (const [by, status] of [
    [group, 403],
    [foreign, 404],
  ] as const) {
    expect((await by.call(readCues, { params })).status).toBe(status)
    expect((await save([cue('b', 0)], { by })).status).toBe(status)
    expect((await by.call(markProofRead, { params, body: { isProofRead: true } })).status).toBe(status)
  }
})
