import { createHash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import {
  beginSpeechModel,
  deleteSpeechModel,
  modelPiece,
  modelType,
  readSpeechModel,
} from '#contract/videos/speech-model.ts'
import { readSpeech } from '#contract/videos/speech.ts'
import { whisperModel } from '../../testing/media/whisper-model.ts'
import type { Person } from '../../testing/server.ts'
import { addMedia } from '../../testing/viewing/served.ts'
import { anOrganization, aServer } from '../../testing/worlds.ts'

const server = await aServer()
const named = { WHISPER_MODEL: '/nowhere/ggml-base.bin', WHISPER_MODEL_SHA256: 'a'.repeat(64) }
const ofOperator = await aServer(named)
const bytes = whisperModel({ state: 96 })
const sha256 = createHash('sha256').update(bytes).digest('hex')
let superadmin: Person

beforeEach(async () => {
  superadmin = await server.person('superadmin', null)
  await superadmin.call(deleteSpeechModel)
})

const begin = (more: { sha256?: string; size?: number } = {}) =>
  superadmin.call(beginSpeechModel, { body: { name: 'ggml-tiny.bin', size: bytes.length, ...more } })
const piece = (offset: number, body = bytes.subarray(offset, offset + modelPiece)) =>
  superadmin.send('POST', `/api/system/speech-model/pieces?offset=${offset}`, {
    body,
    headers: { 'content-type': modelType },
  })
const read = async () => (await superadmin.call(readSpeechModel)).body
const nothing = { model: null, upload: null }

test('requires sign-in', async () => {
  expect((await server.app.inject({ url: '/api/system/speech-model' })).statusCode).toBe(401)
})

test('requires role', async () => {
  const { admin } = await anOrganization(server)
  expect((await admin.call(readSpeechModel)).status).toBe(403)
  expect((await admin.call(deleteSpeechModel)).status).toBe(403)
})

test('a model arrives in pieces, goes on where it ended, and is used once it is whole', async () => {
  await begin({ sha256 })
  expect(await piece(0)).toMatchObject({
    status: 200,
    body: { model: null, upload: { arrived: modelPiece } },
  })
  expect(await piece(0)).toMatchObject({ status: 409, body: { reason: { code: 'model_piece_elsewhere' } } })
  expect((await read()).upload).toEqual({ name: 'ggml-tiny.bin', size: bytes.length, arrived: modelPiece })
  const model = { source: 'uploaded', name: 'ggml-tiny', file: null, sha256, isThere: null }
  expect(await piece(modelPiece)).toMatchObject({ status: 200, body: { model, upload: null } })
  const { orgId, admin } = await anOrganization(server)
  const { videoId } = await addMedia(server, orgId)
  expect((await admin.call(readSpeech, { params: { videoId } })).body.model).toEqual({ name: 'ggml-tiny' })
  expect((await superadmin.call(deleteSpeechModel)).body).toEqual(nothing)
  const { rows } = await server.services.db.system.query(
    `select action from audit where actor_id = $1 and action like 'speech_model.%' order by id`,
    [superadmin.id],
  )
  expect(rows).toEqual([{ action: 'speech_model.update' }, { action: 'speech_model.remove' }])
})

test('a file with another checksum is not used', async () => {
  await begin({ sha256: 'b'.repeat(64) })
  await piece(0)
  expect(await piece(modelPiece)).toMatchObject({
    status: 409,
    body: { reason: { code: 'speech_model_altered' } },
  })
  expect(await read()).toEqual(nothing)
})

test('a file that is no model is refused with its first piece', async () => {
  await begin({ size: 100 })
  expect(await piece(0, Buffer.alloc(100, 'x'))).toMatchObject({
    status: 409,
    body: { reason: { code: 'not_a_speech_model' } },
  })
})

test('nothing is taken that was not begun', async () => {
  expect((await piece(0)).status).toBe(404)
})

test('what the operator has named is told, and changed there alone', async () => {
  const other = await ofOperator.person('superadmin', null)
  expect((await other.call(readSpeechModel)).body).toEqual({
    model: {
      source: 'operator',
      name: 'ggml-base',
      file: named.WHISPER_MODEL,
      sha256: named.WHISPER_MODEL_SHA256,
      isThere: false,
    },
    upload: null,
  })
  const refused = { status: 409, body: { reason: { code: 'speech_model_of_operator' } } }
  expect(await other.call(deleteSpeechModel)).toMatchObject(refused)
  expect(await other.call(beginSpeechModel, { body: { name: 'x.bin', size: 100 } })).toMatchObject(refused)
})
