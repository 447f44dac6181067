import { createHash, randomUUID } from 'node:crypto'
import { readdir, rm, utimes } from 'node:fs/promises'
import path from 'node:path'
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
import { sweepUploads } from '../uploads/finish.ts'
import { takePiece, useModel } from './model-store.ts'

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
  const model = { source: 'uploaded', name: 'ggml-tiny', file: null, sha256, isThere: true }
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

test('a piece that ends a model may come twice: whoever took it may have died before the model was in place', async () => {
  await begin({ sha256 })
  await piece(0)
  await server.services.db.as('system', (tx) =>
    takePiece(server.services, tx, { offset: modelPiece, body: bytes.subarray(modelPiece) }),
  )
  expect((await read()).upload).toMatchObject({ arrived: bytes.length })
  expect(await piece(modelPiece)).toMatchObject({ status: 200, body: { model: { sha256 }, upload: null } })
})

test('one that waits for days goes on, one that is given up leaves nothing', async () => {
  const { services } = server
  const uploads = path.join(services.env.dataDir, 'uploads')
  await begin({ sha256 })
  await piece(0)
  const [name = ''] = await readdir(uploads)
  const old = new Date(Date.now() - 3 * 86_400_000)
  await utimes(path.join(uploads, name), old, old)
  await sweepUploads(services)
  expect(await piece(modelPiece)).toMatchObject({ status: 200, body: { model: { sha256 } } })
  expect(await readdir(path.join(services.env.dataDir, 'models'))).toHaveLength(1)
  await begin()
  await piece(0)
  await superadmin.call(deleteSpeechModel)
  expect(await readdir(path.join(services.env.dataDir, 'models'))).toEqual([])
  for (const one of await readdir(uploads)) await utimes(path.join(uploads, one), old, old)
  await sweepUploads(services)
  expect(await readdir(uploads)).toEqual([])
})

test('what the store has lost is asked for from its beginning', async () => {
  const { dataDir } = server.services.env
  await begin()
  await piece(0)
  await rm(path.join(dataDir, 'uploads'), { recursive: true })
  expect(await piece(modelPiece)).toMatchObject({
    status: 409,
    body: { reason: { code: 'model_piece_elsewhere' } },
  })
  expect(await read()).toEqual(nothing)
})

test('a model whose file did not come back with a restore is told to be missing', async () => {
  await begin({ sha256 })
  await piece(0)
  await piece(modelPiece)
  await rm(path.join(server.services.env.dataDir, 'models'), { recursive: true })
  expect((await read()).model).toMatchObject({ isThere: false })
})

test('the one in use stays where another was begun while one was put in place', async () => {
  await begin({ sha256 })
  await piece(0)
  await piece(modelPiece)
  const { services } = server
  const late = services.db.as('system', (tx) => useModel(tx, { id: randomUUID(), sha256 }))
  await expect(late).rejects.toMatchObject({ fault: { code: 'conflict' } })
  expect((await read()).model).toMatchObject({ sha256 })
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
