import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modelPiece, modelType } from '#contract/videos/speech-model.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { requirePlace } from '../platform/storage/place.ts'
import { mediaPrefix, sourceKey, type VersionKey } from '../platform/storage/keys.ts'
import { bytesOf, type Store } from '../platform/storage/store.ts'
import { countBatch, look } from '../transmissions/ledger/guard.ts'
import { shortFilm } from '../testing/media/clips.ts'
import { whisperModel } from '../testing/media/whisper-model.ts'
import { openTestServer, startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { machinesOf, type Machines } from '../testing/store/machines.ts'
import { hasSwift, startSwift, type Swift } from '../testing/store/swift.ts'
import { announceVideo, offsetOf, sendPart, uploadVideo } from '../testing/uploads.ts'
import { until } from '../testing/until.ts'
import { probeVideo, processVideo } from '../videos/process.ts'
import { sweepUploads } from '../videos/uploads/finish.ts'
import { check } from './check.ts'
import { forgetFormer, moveTo } from './move.ts'

describe.skipIf(!hasSwift)(
  'an installation between a folder and a bucket (needs the packages of Swift)',
  () => {
    let swift: Swift
    let first: TestServer
    let machines: Machines
    let admin: Person
    let clip: Buffer
    let inFolder: VersionKey

    beforeAll(async () => {
      swift = await startSwift()
      first = await startTestServer()
      admin = await first.person('admin', await first.organization())
      machines = await machinesOf(first, swift, { bucket: 'files' })
      clip = await shortFilm()
      inFolder = await ready(first)
    })

    afterAll(async () => {
      await machines?.close()
      await first?.close()
      await swift?.stop()
    })

    /** Uploads the clip at one server and converts it at another. */
    async function ready(server: TestServer, other = server): Promise<VersionKey> {
      const key = await uploadVideo(server, admin, { bytes: clip })
      await probeVideo(other.services, key)
      await processVideo(other.services, key, new AbortController().signal)
      return key
    }

    /** Sends one in two pieces, each to another server. */
    async function sendModel(one: TestServer, other: TestServer): Promise<Buffer> {
      const { token } = await first.person('superadmin', null)
      const bytes = whisperModel({ state: 96 })
      const post = async (server: TestServer, url: string, payload: object | Buffer) => {
        const type = payload instanceof Buffer ? modelType : 'application/json'
        const headers = { 'content-type': type, authorization: `Bearer ${token}` }
        const { statusCode } = await server.app.inject({
          method: 'POST',
          url: `/api/system/speech-model/${url}`,
          headers,
          payload,
        })
        expect(statusCode).toBe(200)
      }
      await post(one, 'upload', { name: 'ggml-tiny.bin', size: bytes.length })
      await post(one, 'pieces?offset=0', bytes.subarray(0, modelPiece))
      await post(other, `pieces?offset=${modelPiece}`, bytes.subarray(modelPiece))
      return bytes
    }

    async function modelsIn(store: Store): Promise<Buffer[]> {
      const found: Buffer[] = []
      for await (const { key } of store.list('models/')) found.push(await bytesOf(await store.read(key)))
      return found
    }

    const saidBy = (server: TestServer) => {
      const sentences: string[] = []
      return { moving: { ...server.services, say: (one: string) => void sentences.push(one) }, sentences }
    }

    async function contentsOf(store: Store, key: VersionKey): Promise<Record<string, string>> {
      const found: Record<string, string> = {}
      for (const prefix of [sourceKey(key), mediaPrefix(key)])
        for await (const object of store.list(prefix))
          found[object.key] = (await bytesOf(await store.read(object.key))).toString('base64')
      return found
    }

    async function plays(server: TestServer, { videoId }: VersionKey): Promise<boolean> {
      const { playback } = (await admin.call(readVideo, { params: { videoId } })).body
      const master = playback?.hls ?? ''
      const list = await server.app.inject({ url: master })
      const [rendition = ''] = /^[\w/]+\.m3u8$/m.exec(list.body) ?? []
      const at = master.replace('master.m3u8', rendition)
      const segment = await server.app.inject({
        url: at.replace('index.m3u8', '00000.m4s'),
        headers: { range: 'bytes=10-19' },
      })
      return segment.statusCode === 206 && segment.rawPayload.length === 10
    }

    test('settings of a bucket change nothing where files lie in a folder', async () => {
      const same = await openTestServer(
        { ownerUrl: first.ownerUrl, dataDir: first.services.env.dataDir },
        machines.settings,
      )
      await requirePlace(same.services)
      expect((await same.services.storage.main()).kind).toBe('folder')
      await same.close()
    })

    test('a machine with another folder does not start', async () => {
      await requirePlace(first.services)
      const other = await machines.open()
      await expect(requirePlace(other.services)).rejects.toThrow(
        'files of other machines cannot be seen from here',
      )
    })

    test('files move into the bucket while a video plays, an upload goes on and mails leave', async () => {
      const settled = await openTestServer(
        { ownerUrl: first.ownerUrl, dataDir: first.services.env.dataDir },
        machines.settings,
      )
      expect(await countBatch(settled.services)).toBe(true)
      const before = await contentsOf(first.services.storage.of('folder'), inFolder)
      const { uploadUrl: url } = await announceVideo(admin, clip.length)
      const send = (server: TestServer, offset: number, bytes: Buffer) =>
        sendPart(server, admin, { url, offset, bytes })
      expect((await send(settled, 0, clip.subarray(0, 1_000))).statusCode).toBe(204)

      const model = await sendModel(first, settled)

      const { moving, sentences } = saidBy(settled)
      await moveTo(moving, 's3')
      expect(sentences.at(-1)).toContain('1 upload has begun there and ends there')
      expect(await plays(settled, inFolder)).toBe(true)
      await expect(forgetFormer(moving)).rejects.toThrow('1 unfinished uploads lie in')
      expect((await send(settled, 1_000, clip.subarray(1_000))).statusCode).toBe(204)
      expect(await look(settled.services)).toBe('free')
      expect(await countBatch(settled.services)).toBe(true)

      await moveTo(moving, 's3')
      await check(moving)
      expect(await contentsOf(settled.services.storage.of('s3'), inFolder)).toEqual(before)
      await forgetFormer(moving)
      expect(await contentsOf(settled.services.storage.of('folder'), inFolder)).toEqual({})
      expect(await modelsIn(settled.services.storage.of('s3'))).toEqual([model])
      expect(await modelsIn(settled.services.storage.of('folder'))).toEqual([])
      expect(await plays(settled, inFolder)).toBe(true)
      await settled.close()
    })

    test('machines that see nothing of each other but the bucket do everything together', async () => {
      const [one, two] = [await machines.open(), await machines.open()]
      for (const { services } of [one, two]) await requirePlace(services)
      const key = await ready(one, two)
      expect(await plays(one, key)).toBe(true)
      expect(await plays(two, key)).toBe(true)
      expect(await plays(two, inFolder)).toBe(true)
      for (const { services } of [one, two, one, two]) {
        expect(await look(services)).toBe('free')
        expect(await countBatch(services)).toBe(true)
      }
    })

    test('a model of speech arrives at any machine, and the one before it goes', async () => {
      const [one, two] = [await machines.open(), await machines.open()]
      const model = await sendModel(one, two)
      expect(await modelsIn(one.services.storage.of('s3'))).toEqual([model])
    })

    test('an upload goes on at any machine, in pieces of any size', async () => {
      const [one, two] = [await machines.open(), await machines.open()]
      const bytes = randomBytes(14_000_000)
      const { key, uploadUrl: url } = await announceVideo(admin, bytes.length)
      const ends = [100, 100_000, 5_300_000, 5_300_001, 13_999_999, bytes.length]
      for (const [index, end] of ends.entries()) {
        const machine = index % 2 === 0 ? one : two
        const offset = await offsetOf(machine, admin, url)
        expect(offset).toBe(ends[index - 1] ?? 0)
        const sent = await sendPart(machine, admin, { url, offset, bytes: bytes.subarray(offset, end) })
        expect([sent.statusCode, sent.headers['upload-offset']]).toEqual([204, String(end)])
      }
      expect((await bytesOf(await two.services.storage.read(sourceKey(key)))).equals(bytes)).toBe(true)
      expect(await first.query('select 1 from uploads where version_id = $1', [key.versionId])).toEqual([])
    })

    test('what a bucket has lost of an upload is sent again', async () => {
      const one = await machines.open()
      const { uploadUrl: url } = await announceVideo(admin, 12_000_000)
      const patch = (offset: number, part: Buffer) => sendPart(one, admin, { url, offset, bytes: part })
      const bytes = randomBytes(12_000_000)
      expect((await patch(0, bytes.subarray(0, 6_000_000))).statusCode).toBe(204)
      const bucket = one.services.storage.of('s3')
      for await (const upload of bucket.uploads.list()) await bucket.uploads.drop(upload)
      expect((await patch(6_000_000, bytes.subarray(6_000_000))).statusCode).toBe(409)
      expect(await offsetOf(one, admin, url)).toBe(0)
      expect((await patch(0, bytes)).statusCode).toBe(204)
    })

    test('a bucket of another installation, a closed one and a missing one are sentences', async () => {
      const stranger = await startTestServer(machines.settings)
      await stranger.query('update backup_plan set installation = gen_random_uuid()')
      await expect(requirePlace(stranger.services)).rejects.toThrow('holds the files of another installation')
      const wrong = { ...machines.settings, S3_SECRET_KEY: 'wrong' }
      const closed = await openTestServer(
        { ownerUrl: stranger.ownerUrl, dataDir: stranger.services.env.dataDir },
        wrong,
      )
      await expect(requirePlace(closed.services)).rejects.toThrow('is closed to these keys')
      const nowhere = { ...machines.settings, S3_BUCKET: 'nowhere' }
      const lost = await openTestServer(
        { ownerUrl: stranger.ownerUrl, dataDir: stranger.services.env.dataDir },
        nowhere,
      )
      await expect(requirePlace(lost.services)).rejects.toThrow('There is no bucket at')
      for (const server of [lost, closed, stranger]) await server.close()
    })

    test('what is deleted goes from the bucket, and nothing else does', async () => {
      const one = await machines.open()
      const key = await ready(one)
      const bucket = one.services.storage.of('s3')
      await first.query(`update videos set deleted_at = now() where id = $1`, [key.videoId])
      await sweepUploads(one.services)
      await until(async () => Object.keys(await contentsOf(bucket, key)).length === 0)
      expect(Object.keys(await contentsOf(bucket, inFolder)).length).toBeGreaterThan(5)
    })

    test('a stored file that has changed is found, and is not played from', async () => {
      const one = await machines.open()
      const key = await uploadVideo(one, admin, { bytes: clip })
      await probeVideo(one.services, key)
      const bucket = one.services.storage.of('s3')
      await bucket.put(sourceKey(key), Buffer.concat([clip.subarray(0, -1), Buffer.from('x')]))
      const { moving, sentences } = saidBy(one)
      await expect(check(moving)).rejects.toThrow(/^1 of \d+ videos are not whole/)
      expect(sentences.join('\n')).toContain('is not the file that was uploaded')
      await processVideo(one.services, key, new AbortController().signal)
      const { body } = await admin.call(readVideo, { params: { videoId: key.videoId } })
      expect(body).toMatchObject({ state: 'failed', failure: 'source_altered' })
    })

    test('files move back into a folder, the same', async () => {
      const one = await machines.open()
      const before = await contentsOf(one.services.storage.of('s3'), inFolder)
      const { moving } = saidBy(one)
      await moveTo(moving, 'folder')
      // The one that has changed is the same as in the bucket, and keeps no other one from moving.
      await expect(check(moving)).rejects.toThrow(/^1 of \d+ videos are not whole/)
      await forgetFormer(moving)
      expect(await contentsOf(one.services.storage.of('folder'), inFolder)).toEqual(before)
      expect(await contentsOf(one.services.storage.of('s3'), inFolder)).toEqual({})
      expect(await look(one.services)).toBe('free')
      expect(await plays(one, inFolder)).toBe(true)
    })
  },
)
