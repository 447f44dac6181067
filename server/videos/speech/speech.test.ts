import { beforeEach, describe, expect, test } from 'vitest'
import { captionTypes, readCaptions } from '#contract/videos/captions.ts'
import { cancelRecognition, readSpeech, recogniseSpeech } from '#contract/videos/speech.ts'
import { readSpeechModel } from '#contract/videos/speech-model.ts'
import type { Person } from '../../testing/server.ts'
import { addMedia } from '../../testing/viewing/served.ts'
import { anOrganization, aServer } from '../../testing/worlds.ts'

const named = { WHISPER_MODEL: '/nowhere/ggml-base.bin', WHISPER_MODEL_SHA256: 'a'.repeat(64) }
const server = await aServer(named)
const without = await aServer()
let orgId: string
let admin: Person
let videoId: string
let versionId: string

beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  ;({ videoId, versionId } = await addMedia(server, orgId))
})

type Asked = { language?: string; replace?: boolean; by?: Person }
const ask = ({ language = 'de', replace = false, by = admin }: Asked = {}) =>
  by.call(recogniseSpeech, { params: { videoId, language }, body: { replace } })
const read = async () => (await admin.call(readSpeech, { params: { videoId } })).body
const jobs = async () => {
  const found = await server.services.db.system.query(
    `select data - 'origin' as data from pgboss.job where name = 'captions.recognise' and data->>'organizationId' = $1`,
    [orgId],
  )
  return found.rows
}
const put = (language: string) =>
  admin.send('PUT', `/api/videos/${videoId}/captions/${language}?kind=captions`, {
    body: Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\nBy hand'),
    headers: { 'content-type': captionTypes.vtt },
  })

test('requires sign-in', async () => {
  const url = `/api/videos/${videoId}/speech`
  expect((await server.app.inject({ url })).statusCode).toBe(401)
})

test('requires role', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await ask({ by: groupadmin })).status).toBe(403)
  expect((await admin.call(readSpeechModel)).status).toBe(403)
})

describe('recognising speech', () => {
  test('waits in line for a machine that listens, and is told with the model', async () => {
    const { status, body } = await ask()
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { language: 'de', state: 'waiting', progress: 0, failure: null, made: null },
    })
    expect(await read()).toEqual({ model: { name: 'ggml-base' }, last: body })
    expect(await jobs()).toEqual([{ data: { organizationId: orgId, recognitionId: body.id } }])
  })

  test('of one video is done once at a time', async () => {
    await ask()
    expect(await ask({ language: 'en' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', reason: { code: 'speech_being_recognised' } },
    })
    expect(await jobs()).toHaveLength(1)
  })

  test('is stopped by a press, and may be asked for again', async () => {
    await ask()
    const stopped = await admin.call(cancelRecognition, { params: { videoId } })
    expect(stopped.body.last).toMatchObject({ state: 'cancelled' })
    expect(await jobs()).toEqual([])
    expect((await ask()).status).toBe(200)
  })

  test('never takes the place of captions without being asked to', async () => {
    await put('de')
    const refused = { status: 409, body: { reason: { code: 'captions_present' } } }
    expect(await ask()).toMatchObject(refused)
    expect(await ask({ language: 'auto' })).toMatchObject(refused)
    expect((await ask({ replace: true })).status).toBe(200)
    const { items } = (await admin.call(readCaptions, { params: { videoId } })).body
    expect(items).toMatchObject([{ language: 'de', recognisedWith: null }])
  })

  test('takes languages that the models know', async () => {
    const fields = (fault: string) => ({ status: 422, body: { fields: { language: [fault] } } })
    expect(await ask({ language: 'not a tag' })).toMatchObject(fields('invalid'))
    expect(await ask({ language: 'rm' })).toMatchObject(fields('not_a_choice'))
    expect(await ask({ language: 'pt-br' })).toMatchObject({ status: 200, body: { language: 'pt-BR' } })
  })

  test('of a video without sound is refused', async () => {
    await server.services.db.system.query(
      `update video_versions set probe = '{"hasSound": false}' where id = $1`,
      [versionId],
    )
    expect(await ask()).toMatchObject({ status: 409, body: { reason: { code: 'video_without_sound' } } })
  })

  test('of a video of somebody else finds nothing', async () => {
    const { admin: other } = await anOrganization(server)
    expect((await ask({ by: other })).status).toBe(404)
    expect((await other.call(readSpeech, { params: { videoId } })).status).toBe(404)
    expect((await other.call(cancelRecognition, { params: { videoId } })).status).toBe(404)
  })

  test('is written into the log, and so is that it was stopped', async () => {
    await ask()
    await admin.call(cancelRecognition, { params: { videoId } })
    const { rows } = await server.services.db.system.query(
      `select action from audit where entity_id = $1 and action like 'video.recogni%' order by id`,
      [videoId],
    )
    expect(rows).toEqual([{ action: 'video.recognise' }, { action: 'video.recognition_cancelled' }])
  })
})

test('without a model says what is missing', async () => {
  const world = await anOrganization(without)
  const video = await addMedia(without, world.orgId)
  const params = { videoId: video.videoId, language: 'de' }
  expect(await world.admin.call(recogniseSpeech, { params, body: { replace: false } })).toMatchObject({
    status: 409,
    body: { reason: { code: 'no_speech_model' }, detail: expect.stringContaining('Settings, Speech') },
  })
  expect((await world.admin.call(readSpeech, { params })).body).toEqual({ model: null, last: null })
})
