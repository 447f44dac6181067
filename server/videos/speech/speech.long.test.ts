import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCaption, readCaptions } from '#contract/videos/captions.ts'
import { cancelRecognition, readSpeech, recogniseSpeech } from '#contract/videos/speech.ts'
import { ask } from '../../media/ask.ts'
import { giveTo, placesOf } from '../../media/boundary.ts'
import { processSource } from '../../media/process.ts'
import { mediaPrefix } from '../../platform/storage/keys.ts'
import { makeClip } from '../../testing/media/clips.ts'
import { whisperModel } from '../../testing/media/whisper-model.ts'
import { sendSignal } from '../../testing/processes/signal.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { until } from '../../testing/until.ts'
import { addVideo } from '../../testing/viewing/viewing.ts'
import { startMediaProcess, type MediaProcess } from '../media-process.ts'

const patient = 600_000
const says = [0, ' Wash', ' your', ' hands.', 2, 2.5, ' Then', ' dry', ' them.', 5.5]
/** It has learnt nothing, so it tries all that it can for each half minute of sound. */
const slow = whisperModel({ state: 384, layers: 4 })

type World = { server: TestServer; media: MediaProcess; admin: Person; addFilm: () => Promise<string> }

let folder: string
let film: { folder: string; durationMs: number }
beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'sendreel-speech-')))
  const source = path.join(folder, 'source.mp4')
  await makeClip({ file: source, seconds: 20, width: 160, height: 90, style: 'pulse', fps: 2 })
  const made = await processSource({ source, outDir: path.join(folder, 'film') })
  film = { folder: path.join(folder, 'film'), durationMs: made.durationMs }
}, patient)
afterAll(() => rm(folder, { recursive: true, force: true }))

async function withModel(model: Buffer, work: (world: World) => Promise<void>): Promise<void> {
  const sha256 = createHash('sha256').update(model).digest('hex')
  const file = path.join(folder, `ggml-${sha256.slice(-6)}.bin`)
  await writeFile(file, model)
  const server = await startTestServer({ WHISPER_MODEL: file, WHISPER_MODEL_SHA256: sha256 })
  const media = startMediaProcess(server.services)
  const organizationId = await server.organization()
  const admin = await server.person('admin', organizationId)
  const addFilm = async () => {
    const ids = await addVideo(server, { organizationId, durationMs: film.durationMs })
    const store = await server.services.storage.main()
    for (const name of await readdir(path.join(film.folder, 'audio')))
      await store.put(
        `${mediaPrefix({ organizationId, ...ids })}audio/${name}`,
        await readFile(path.join(film.folder, 'audio', name)),
      )
    return ids.videoId
  }
  try {
    await work({ server, media, admin, addFilm })
  } finally {
    await media.stop()
    await server.close()
  }
}

const begin = (admin: Person, videoId: string, language: string) =>
  admin.call(recogniseSpeech, { params: { videoId, language }, body: { replace: false } })
const stateOf = async (admin: Person, videoId: string) =>
  (await admin.call(readSpeech, { params: { videoId } })).body.last
const inState = (admin: Person, videoId: string, ...states: string[]) =>
  until(async () => {
    const last = await stateOf(admin, videoId)
    return last && states.includes(last.state) && last
  }, 500)

test('what is said becomes captions in the language that is found out', { timeout: patient }, () =>
  withModel(whisperModel({ says, speaks: 'de' }), async ({ admin, addFilm }) => {
    const videoId = await addFilm()
    await begin(admin, videoId, 'auto')
    expect(await inState(admin, videoId, 'done', 'failed')).toMatchObject({
      state: 'done',
      made: { language: 'de', cues: 2 },
    })
    const { items } = (await admin.call(readCaptions, { params: { videoId } })).body
    expect(items).toMatchObject([
      { language: 'de', kind: 'captions', cues: 2, recognisedWith: expect.stringMatching(/^ggml-/) },
    ])
    const params = { videoId, language: 'de' }
    const { body } = await admin.call(readCaption, { params, query: { format: 'srt' } })
    expect(body).toEqual(expect.stringContaining('00:00:02,000 --> 00:00:05,500\nThen dry them.'))
  }),
)

test('a model that is damaged says so, and what stands behind it goes on', { timeout: patient }, () =>
  withModel(whisperModel({ says }).subarray(0, 1_000_000), async ({ admin, addFilm }) => {
    const [one, other] = [await addFilm(), await addFilm()]
    await begin(admin, one, 'de')
    await begin(admin, other, 'de')
    for (const videoId of [one, other])
      expect(await inState(admin, videoId, 'done', 'failed')).toMatchObject({ failure: 'model_unfit' })
  }),
)

test(
  'work that is stopped ends within seconds, and work that is killed is taken again',
  { timeout: patient },
  () =>
    withModel(slow, async ({ admin, addFilm, media, server }) => {
      const [one, other] = [await addFilm(), await addFilm()]
      await begin(admin, one, 'de')
      await inState(admin, one, 'working')
      await begin(admin, other, 'de')
      await admin.call(cancelRecognition, { params: { videoId: one } })
      // One is listened to at a time, so that the next one begins as soon as the first has ended.
      const stoppedAt = Date.now()
      await inState(admin, other, 'working')
      expect(Date.now() - stoppedAt).toBeLessThan(30_000)
      expect(await stateOf(admin, one)).toMatchObject({ state: 'cancelled' })

      const killed = await until(async () => media.pid())
      sendSignal(killed, 'SIGKILL')
      await until(async () => media.pid() !== killed && media.pid())
      const { db } = server.services
      const tries = async () => {
        const { rows } = await db.system.query<{ tries: number }>(
          `select retry_count as tries from pgboss.job where name = 'captions.recognise' and state = 'active'
          and data->>'recognitionId' = $1`,
          [(await stateOf(admin, other))?.id],
        )
        return rows[0]?.tries
      }
      expect(await until(tries, 120)).toBe(1)
      await admin.call(cancelRecognition, { params: { videoId: other } })
      expect(await stateOf(admin, other)).toMatchObject({ state: 'cancelled' })
    }),
)

test('a child that takes more than it may is ended', { timeout: patient }, async () => {
  const places = ['empty', 'in', 'out'].map((name) => path.join(folder, 'limited', name))
  const [empty = '', input = '', output = ''] = places
  for (const place of places) await mkdir(place, { recursive: true })
  await writeFile(path.join(input, 'model.bin'), slow)
  const parts = ['init.mp4', '00000.m4s', '00001.m4s'].map((name) =>
    readFile(path.join(film.folder, 'audio', name)),
  )
  await writeFile(path.join(input, 'sound.mp4'), Buffer.concat(await Promise.all(parts)))
  await giveTo(input, output, path.join(input, 'model.bin'), path.join(input, 'sound.mp4'))
  const inside = await placesOf({ input, output })
  const library = path.resolve(import.meta.dirname, `../../media/speech/${process.platform}-${process.arch}`)
  const limited = ask({
    task: { kind: 'listen', ...inside, language: 'de', threads: 2, durationMs: 12_000 },
    places: { empty, input, output },
    environment: { LD_LIBRARY_PATH: library },
    limits: { cpuSeconds: 3, memoryBytes: 2 ** 31, fileBytes: 2 ** 20, wallMs: 500_000 },
  })
  await expect(limited).rejects.toMatchObject({ code: 'too_costly' })
})
