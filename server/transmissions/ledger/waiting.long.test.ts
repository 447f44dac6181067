import type { ChildProcess } from 'node:child_process'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listNotifications } from '#contract/notifications/notifications.ts'
import {
  changeTransmission,
  createTransmission,
  readTransmission,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { deleteVideo } from '#contract/videos/videos.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import type { Person } from '../../testing/server.ts'
import { workersOf } from '../../testing/processes/workers.ts'
import { storeFailure } from '../../videos/process-queries.ts'
import { unique } from '../../testing/unique.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

let org: string
let admin: Person
let videoId: string
let sent: Transmission
const workers = workersOf(() => server)
let running: ChildProcess[] = []
// Programs are started and killed here, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })
const server = await aServer()
beforeEach(async () => {
  ;({ orgId: org, admin } = await anOrganization(server))
  videoId = await addVideo(server, org)
  await sql(`update video_versions set ready_at = null, uploaded_at = now() where video_id = $1`)
  await sql(
    `update videos set state = 'processing', current_version_id = null, created_by = '${admin.id}' where id = $1`,
  )
  const userIds = await addPeople(server, org, { count: 30, prefix: unique() })
  const body = { body: 'Please watch.', videoId, accountId: org, audience: { userIds } }
  sent = (await admin.call(createTransmission, { body })).body
})
afterEach(async () => {
  for (const child of running) await workers.kill(child)
  running = []
})

const sql = (text: string) => server.services.db.system.query(text, [videoId])
const read = async () => (await admin.call(readTransmission, { params: { transmissionId: sent.id } })).body
const kinds = async () => (await admin.call(listNotifications)).body.items.map(({ kind }) => kind)
const startWorker = async () => {
  const child = await workers.start()
  running.push(child)
  return child
}
const release = async () =>
  admin.call(changeTransmission, {
    params: { transmissionId: sent.id },
    body: { action: 'release', version: (await read()).version },
  })

async function becomeReady(): Promise<void> {
  await sql(`update video_versions set ready_at = now() where video_id = $1`)
  await sql(`update videos set state = 'ready', failure = null, deleted_at = null,
    current_version_id = (select id from video_versions where video_id = $1) where id = $1`)
}

async function failToBeReady(): Promise<void> {
  const found = await server.query<{ id: string }>('select id from video_versions where video_id = $1', [
    videoId,
  ])
  const key = { organizationId: org, videoId, versionId: found[0]?.id ?? '' }
  await server.services.db.as({ organizationId: org }, (tx) => storeFailure(tx, key, 'processing_failed'))
}

async function until(state: Transmission['state']): Promise<Transmission> {
  for (let tries = 0; tries < 600; tries += 1) {
    const now = await read()
    if (now.state === state) return now
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`is ${(await read()).state}, not ${state}`)
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const mailsEach = async () =>
  (
    await server.query<{ n: number }>(
      `select count(*)::int as n from mails m join deliveries d on d.id = m.delivery_id where d.transmission_id = $1 group by d.user_id`,
      [sent.id],
    )
  ).map(({ n }) => n)

test('waits for a video that is being prepared, through a kill, and is sent once by itself', async () => {
  expect(sent).toMatchObject({ state: 'scheduled', reason: 'video_not_ready', audienceTotal: 0 })
  const first = await startWorker()
  await pause(1_500)
  expect(await read()).toMatchObject({ state: 'scheduled', reason: 'video_not_ready' })
  await workers.kill(first)
  running = []
  await becomeReady()
  await Promise.all([startWorker(), startWorker()])
  expect(await until('completed')).toMatchObject({ reason: null, counts: { accepted: 30 } })
  expect(await mailsEach()).toEqual(Array.from({ length: 30 }, () => 1))
})

test('is held when its video fails, its author is told, and it is released when the video is ready', async () => {
  await startWorker()
  await failToBeReady()
  expect(await until('held')).toMatchObject({ reason: 'video_failed' })
  expect(await kinds()).toContain('transmission.held')
  expect((await release()).problem?.code).toBe('not_ready')
  expect(await mailsEach()).toEqual([])
  await sql(`update videos set state = 'processing' where id = $1`)
  expect((await release()).body).toMatchObject({ state: 'scheduled', reason: 'video_not_ready' })
  await becomeReady()
  expect(await until('completed')).toMatchObject({ counts: { accepted: 30 } })
})

test('is held when its video is removed', async () => {
  await startWorker()
  await admin.call(deleteVideo, { params: { videoId } })
  expect(await until('held')).toMatchObject({ reason: 'video_removed' })
  expect(await kinds()).toContain('transmission.held')
  expect(await mailsEach()).toEqual([])
})

test('may be cancelled while it waits', async () => {
  const cancelled = await admin.call(changeTransmission, {
    params: { transmissionId: sent.id },
    body: { action: 'cancel', version: sent.version },
  })
  expect(cancelled.body.state).toBe('cancelled')
  await becomeReady()
  await startWorker()
  await pause(1_500)
  expect(await mailsEach()).toEqual([])
})
