import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readVideo } from '#contract/videos/videos.ts'
import { requirePlace } from '../platform/storage/place.ts'
import { sourceKey, type VersionKey } from '../platform/storage/keys.ts'
import { bytesOf } from '../platform/storage/store.ts'
import { shortFilm } from '../testing/media/clips.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { startFaultyStore, type FaultyStore } from '../testing/store/faulty.ts'
import { machinesOf, type Machines } from '../testing/store/machines.ts'
import { hasSwift, startSwift, type Swift } from '../testing/store/swift.ts'
import { announceVideo, offsetOf, sendPart, uploadVideo } from '../testing/uploads.ts'
import { countBatch, look } from '../transmissions/ledger/guard.ts'
import { probeVideo, processVideo, resumeStalled } from '../videos/process.ts'

describe.skipIf(!hasSwift)(
  'a store of files that does not do what it should (needs the packages of Swift)',
  () => {
    let swift: Swift
    let faulty: FaultyStore
    let first: TestServer
    let machines: Machines
    let machine: TestServer
    let admin: Person
    let clip: Buffer

    beforeAll(async () => {
      swift = await startSwift()
      faulty = await startFaultyStore(swift.endpoint)
      first = await startTestServer()
      machines = await machinesOf(first, swift, { bucket: 'files', endpoint: faulty.endpoint })
      machine = await machines.open()
      await requirePlace(machine.services)
      admin = await machine.person('admin', await machine.organization())
      clip = await shortFilm(2)
    })

    afterAll(async () => {
      await machines?.close()
      await first?.close()
      await faulty?.stop()
      await swift?.stop()
    })

    beforeEach(() => faulty.behave('well'))

    const convert = (key: VersionKey) => processVideo(machine.services, key, new AbortController().signal)
    const read = async ({ videoId }: VersionKey) =>
      (await admin.call(readVideo, { params: { videoId } })).body

    const announce = (size: number) => announceVideo(admin, size)
    const send = (url: string, offset: number, bytes: Buffer) =>
      sendPart(machine, admin, { url, offset, bytes })
    const arrivedAt = (url: string) => offsetOf(machine, admin, url)

    async function segmentOf(key: VersionKey) {
      const { playback } = await read(key)
      return (playback?.hls ?? '').replace('master.m3u8', '180p/00000.m4s')
    }

    async function playable(): Promise<VersionKey> {
      const key = await uploadVideo(machine, admin, { bytes: clip })
      await probeVideo(machine.services, key)
      await convert(key)
      expect(await read(key)).toMatchObject({ state: 'ready' })
      return key
    }

    /** A video that can be played, one that waits for its conversion, and an upload of which the first half has arrived. */
    async function begun() {
      const seen = await playable()
      const waiting = await uploadVideo(machine, admin, { bytes: clip })
      await probeVideo(machine.services, waiting)
      const bytes = randomBytes(12_000_000)
      const { key, uploadUrl } = await announce(bytes.length)
      const half = bytes.length / 2
      expect((await send(uploadUrl, 0, bytes.subarray(0, half))).statusCode).toBe(204)
      const sendRest = () => send(uploadUrl, half, bytes.subarray(half))
      return { seen, waiting, key, uploadUrl, bytes, sendRest }
    }

    test('while it is away, nobody is told anything else, and everything goes on afterwards', async () => {
      const { seen, waiting, key, uploadUrl, bytes, sendRest } = await begun()
      expect(await countBatch(machine.services)).toBe(true)

      faulty.behave('away')
      const refused = await machine.app.inject({ url: await segmentOf(seen) })
      expect([refused.statusCode, refused.json().code]).toEqual([503, 'unavailable'])
      const broken = await sendRest()
      expect(broken.statusCode).toBe(503)
      expect(await arrivedAt(uploadUrl)).toBe(6_000_000)
      await convert(waiting)
      expect(await read(waiting)).toMatchObject({ state: 'failed', failure: 'storage_away' })
      await expect(look(machine.services)).rejects.toThrow('does not answer')
      await expect(countBatch(machine.services)).rejects.toThrow('does not answer')
      expect(await first.query('select held_at from sending_guard')).toEqual([{ held_at: null }])

      faulty.behave('well')
      expect((await machine.app.inject({ url: await segmentOf(seen) })).statusCode).toBe(200)
      expect((await sendRest()).statusCode).toBe(204)
      expect((await bytesOf(await machine.services.storage.read(sourceKey(key)))).equals(bytes)).toBe(true)
      await resumeStalled(machine.services, true)
      expect(await read(waiting)).toMatchObject({ state: 'processing', failure: null })
      await convert(waiting)
      expect(await read(waiting)).toMatchObject({ state: 'ready' })
      expect(await look(machine.services)).toBe('free')
    })

    test.each(['slow', 'failing'] as const)('one that is %s loses nothing', async (behaviour) => {
      faulty.behave(behaviour)
      const key = await playable()
      const bytes = randomBytes(14_000_000)
      const { key: large, uploadUrl } = await announce(bytes.length)
      expect((await send(uploadUrl, 0, bytes)).statusCode).toBe(204)
      expect((await bytesOf(await machine.services.storage.read(sourceKey(large)))).equals(bytes)).toBe(true)
      expect((await machine.app.inject({ url: await segmentOf(key) })).statusCode).toBe(200)
      expect(await countBatch(machine.services)).toBe(true)
    })

    test('one that takes its time over a part is no silence of the sender', async () => {
      const bytes = randomBytes(12_000_000)
      const { uploadUrl } = await announce(bytes.length)
      expect((await send(uploadUrl, 0, bytes.subarray(0, 1_000_000))).statusCode).toBe(204)
      faulty.behave('sluggish')
      const rest = () => send(uploadUrl, 1_000_000, bytes.subarray(1_000_000, 7_000_000))
      const sending = rest()
      // Longer than a sender may be silent.
      await pause(6_500)
      expect((await rest()).statusCode).toBe(423)
      expect((await sending).statusCode).toBe(204)
      expect(await arrivedAt(uploadUrl)).toBe(7_000_000)
    })

    test('one that is full says so, keeps what it has, and takes the rest when there is room', async () => {
      const { seen, waiting, uploadUrl, sendRest } = await begun()

      faulty.behave('full')
      const refused = await sendRest()
      expect([refused.statusCode, refused.json().code]).toEqual([507, 'storage_full'])
      expect(await arrivedAt(uploadUrl)).toBe(6_000_000)
      await convert(waiting)
      expect(await read(waiting)).toMatchObject({ state: 'failed', failure: 'disk_full' })
      expect((await machine.app.inject({ url: await segmentOf(seen) })).statusCode).toBe(200)

      faulty.behave('well')
      expect((await sendRest()).statusCode).toBe(204)
    })
  },
)
