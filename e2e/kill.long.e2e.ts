import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test as base } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { makeClip } from '#server/testing/media/clips.ts'
import { sendSignal } from '#server/testing/processes/signal.ts'
import { firstSuperadmin, type Client } from './client.ts'
import { openMailbox, waitFor, type Mailbox } from './mailbox.ts'
import { startProduct, type Product } from './product.ts'
import { announce, videoWithoutFiles } from './upload.ts'

const recipients = 60
type Killed = {
  product: Product
  client: Client
  organizationId: string
  mailbox: Mailbox
  killAndRestart: () => Promise<void>
}

/** Each on an installation of its own, which is killed in it. */
const test = base.extend<{ killed: Killed }, { clip: string }>({
  clip: [
    async ({}, use) => {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-clip-'))
      const file = path.join(folder, 'clip.mp4')
      await makeClip({ file, seconds: 45, width: 1280, height: 720, fps: 25, style: 'orbits' })
      await use(file)
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  killed: async ({}, use) => {
    const mailbox = await openMailbox(80)
    const product = await startProduct({ SMTP_URL: mailbox.url })
    const client = await firstSuperadmin(product)
    const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Acme' } })
    const everyMedia = new Set<number>()
    const killAndRestart = async () => {
      everyMedia.add(mediaPid(product) ?? 0)
      await product.kill()
      await product.restart()
    }
    await use({ product, client, organizationId, mailbox, killAndRestart })
    await product.stop()
    // However often the server was killed, and at whatever moment: no media process outlives it.
    await waitFor(
      () => (mediaProcesses().some(({ pid }) => everyMedia.has(pid)) ? undefined : true),
      'the media processes to end',
    )
    await mailbox.close()
  },
})

function mediaProcesses(): { pid: number; parent: number }[] {
  const list = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' }).split('\n')
  return list
    .filter((line) => line.includes('server/media-main.ts'))
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }))
}

/** The process of its own that converts videos. */
function mediaPid(product: Product): number | undefined {
  return mediaProcesses().find(({ parent }) => parent === product.pid)?.pid
}

test('an upload goes on where it was after the server was killed in the middle, between parts, and at the last byte', async ({
  clip,
  killed: { product, client, organizationId, killAndRestart },
}) => {
  const upload = await announce({ url: product.url, client, organizationId }, clip)
  // What the killed process was taking holds the upload for five seconds.
  const goesOn = (end: number) => expect.poll(() => upload.send(end), { timeout: 20_000 }).toBe(true)

  const first = upload.send(Math.floor(upload.size * 0.4))
  await sleep(200)
  await product.kill()
  expect(await first).toBe(false)
  await product.restart()
  expect(await upload.offset()).toBeLessThanOrEqual(upload.size)

  await goesOn(Math.floor(upload.size * 0.7))
  const stored = await upload.offset()
  await killAndRestart()
  expect(await upload.offset()).toBe(stored)

  const last = upload.send(upload.size)
  await last
  await killAndRestart()
  if ((await upload.offset()) < upload.size) await goesOn(upload.size)
  await waitFor(async () => {
    const video = await client.call(readVideo, { params: { videoId: upload.videoId } })
    return video.state === 'uploading' ? undefined : video
  }, 'processing to begin')
})

test('a video becomes ready although the media process and the server are killed while it is processed', async ({
  clip,
  killed: { product, client, organizationId, killAndRestart },
}) => {
  const upload = await announce({ url: product.url, client, organizationId }, clip)
  await upload.send(upload.size)
  const video = () => client.call(readVideo, { params: { videoId: upload.videoId } })
  for (const least of [0.01, 0.25]) {
    await waitFor(async () => ((await video()).progress >= least ? true : undefined), `progress of ${least}`)
    const pid = mediaPid(product)
    expect((await video()).state).toBe('processing')
    sendSignal(pid, 'SIGKILL')
    await waitFor(
      () => (mediaPid(product) !== undefined && mediaPid(product) !== pid ? true : undefined),
      'a new media process',
    )
  }
  await waitFor(async () => ((await video()).progress >= 0.1 ? true : undefined), 'progress once more')
  expect((await video()).state).toBe('processing')
  await killAndRestart()
  await expect.poll(async () => (await video()).state, { timeout: 90_000 }).toBe('ready')
  const ready = await video()
  expect(ready.durationMs).toBeGreaterThan(44_900)
  const manifest = await fetch(new URL(ready.playback?.hls ?? '', product.url))
  expect(await manifest.text()).toContain('#EXT-X-STREAM-INF')
})

test('a transmission reaches everybody once although the server is killed five times while it sends', async ({
  killed: { product, client, organizationId, mailbox, killAndRestart },
}) => {
  const state = async (transmissionId: string) =>
    (await client.call(readTransmission, { params: { transmissionId } })).state
  const videoId = await videoWithoutFiles(product, { organizationId })
  for (let n = 0; n < recipients; n += 1) {
    await client.call(createUser, {
      params: { orgId: organizationId },
      body: { name: `Person ${n}`, email: `p${n}@example.test` },
    })
  }
  const { id } = await client.call(createTransmission, {
    body: {
      body: 'Please watch this today.',
      videoId,
      accountId: organizationId,
      audience: { everyone: true, userIds: [], groupIds: [] },
    },
  })
  await killAndRestart()
  for (const share of [0.1, 0.4, 0.6, 0.8]) {
    await Promise.race([
      waitFor(() => (mailbox.mails.length >= recipients * share ? true : undefined), `${share} of the mails`),
      waitFor(async () => ((await state(id)) === 'completed' ? true : undefined), 'the end of sending'),
    ])
    await killAndRestart()
  }
  await expect.poll(() => state(id), { timeout: 120_000 }).toBe('completed')

  const ids = mailbox.mails.map((mail) => mail.messageId)
  expect(new Set(ids).size).toBe(ids.length)
  const ledger = await client.call(listDeliveries, { params: { transmissionId: id }, query: { limit: 100 } })
  expect(ledger.items).toHaveLength(recipients)
  const sent = new Set(mailbox.mails.map((mail) => mail.to))
  for (const delivery of ledger.items) {
    // What was handed over when the server died is shown as unknown, never sent again by itself.
    expect(['accepted', 'unknown']).toContain(delivery.state)
    if (delivery.state === 'accepted') expect(sent).toContain(delivery.user.email)
  }
  const unsent = ledger.items.filter((delivery) => !sent.has(delivery.user.email))
  expect(unsent.every((delivery) => delivery.state === 'unknown')).toBe(true)
})
