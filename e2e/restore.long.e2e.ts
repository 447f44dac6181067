import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { readSending, releaseSending, type Sending } from '#contract/transmissions/sending.ts'
import {
  createTransmission,
  readTransmission,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { clientOf, firstSuperadmin, type Client } from './client.ts'
import { openDatabase } from './database.ts'
import { openMailbox, waitFor, type Mailbox } from './mailbox.ts'
import { openFolder, startProduct, type Product } from './product.ts'

const recipients = 400
let product: Product
let mailbox: Mailbox
let client: Client
let organizationId: string
let videoId: string
const folders: string[] = []

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  mailbox = await openMailbox(40)
  product = await start(await folder())
  client = await firstSuperadmin(product)
  organizationId = (await client.call(createOrganization, { body: { name: 'Acme' } })).id
  videoId = await fill()
})

test.afterAll(async () => {
  await product.stop()
  await mailbox.close()
  for (const one of folders) await rm(one, { recursive: true, force: true })
})

async function folder(): Promise<string> {
  const made = await openFolder()
  folders.push(made)
  return made
}

const start = (dataDir: string) => startProduct({ DATA_DIR: dataDir, SMTP_URL: mailbox.url })
const copy = promisify(execFile)

/** People, and a video that can be sent. */
async function fill(): Promise<string> {
  const database = await openDatabase(product)
  await database.query(
    `insert into users (organization_id, name, email) select $1, 'Person ' || n, 'p' || n || '@example.test' from generate_series(1, $2::int) n`,
    [organizationId, recipients],
  )
  const video = await database.query(
    `with video as (insert into videos (organization_id, title, state) values ($1, 'Fire drill', 'ready') returning id, organization_id)
      insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        select organization_id, id, 1, 'clip.mp4', 1, 60000, now() from video returning id, video_id`,
    [organizationId],
  )
  const [{ id, video_id: made }] = video.rows as [{ id: string; video_id: string }]
  await database.query('update videos set current_version_id = $1 where id = $2', [id, made])
  await database.close()
  return made
}

async function send(): Promise<string> {
  mailbox.mails.length = 0
  const made = await client.call(createTransmission, {
    body: {
      body: 'Please watch this today.',
      videoId,
      accountId: organizationId,
      audience: { everyone: true, userIds: [], groupIds: [] },
    },
  })
  return made.id
}

const arrived = (least: number) =>
  waitFor(() => (mailbox.mails.length >= least ? true : undefined), `${least} mails`)
const read = (id: string, of = client): Promise<Transmission> =>
  of.call(readTransmission, { params: { transmissionId: id } })
const completed = (id: string) =>
  waitFor(async () => ((await read(id)).state === 'completed' ? true : undefined), 'the end of sending')
const held = (of = client): Promise<NonNullable<Sending['hold']>> =>
  waitFor(async () => (await of.call(readSending)).hold ?? undefined, 'sending to be held')

/** As many mails as recipients, and none of them for the second time. */
function expectOnce(mails = recipients): void {
  expect(new Set(mailbox.mails.map(({ to }) => to)).size).toBe(mailbox.mails.length)
  expect(mailbox.mails).toHaveLength(mails)
}

/** Nothing more arrives while it is held. */
async function expectStill(): Promise<void> {
  const before = mailbox.mails.length
  await sleep(2_500)
  expect(mailbox.mails).toHaveLength(before)
}

test('a server that is killed and started again asks nothing', async () => {
  const id = await send()
  await arrived(80)
  await product.kill()
  await product.restart()
  await completed(id)
  expect((await client.call(readSending)).hold).toBeNull()
  const { counts } = await read(id)
  expect(counts.accepted + counts.unknown).toBe(recipients)
  expect(new Set(mailbox.mails.map(({ to }) => to)).size).toBe(mailbox.mails.length)
})

test('a backup that is put back, or started elsewhere, sends nothing a second time', async () => {
  const id = await send()
  await arrived(100)
  await product.stop()
  const backup = await folder()
  await copy('cp', ['-a', `${product.dataDir}/.`, backup])
  await product.restart()
  await completed(id)
  expectOnce()

  // The database of the backup, in the folder that went on.
  await product.stop()
  const restored = await folder()
  await copy('cp', ['-a', `${product.dataDir}/.`, restored])
  await rm(path.join(product.dataDir, 'postgres'), { recursive: true })
  await copy('cp', ['-a', path.join(backup, 'postgres'), product.dataDir])
  await product.restart()
  expect((await held()).signs).toEqual(['apart'])
  await expectStill()

  // All of it back in its place.
  await product.stop()
  await copy('find', [product.dataDir, '-mindepth', '1', '-delete'])
  await copy('cp', ['-a', `${backup}/.`, product.dataDir])
  await product.restart()
  const hold = await held()
  expect(hold).toMatchObject({ signs: ['copied'], transmissions: 1 })
  expect(hold.deliveries).toBeGreaterThan(0)
  await expectStill()

  // Elsewhere, beside the first one.
  const elsewhere = await folder()
  await copy('cp', ['-a', `${backup}/.`, elsewhere])
  const clone = await start(elsewhere)
  const there = clientOf(clone.url, client.token)
  expect((await held(there)).signs).toEqual(['copied'])
  await expectStill()
  await clone.stop()

  await client.call(releaseSending, { body: { answer: 'restored' } })
  await completed(id)
  const { counts } = await read(id)
  expect(counts.unknown).toBe(hold.deliveries)
  expect(counts.accepted + counts.unknown).toBe(recipients)
  expectOnce()
})

test('a disk that was set back is noticed by the clock, and a server that was only off goes on', async () => {
  const id = await send()
  await arrived(60)
  await product.stop()
  const left = mailbox.mails.length
  await product.restart()
  await arrived(left + 20)
  await product.stop()
  const database = await openDatabase(product)
  await database.query(`update sending_guard set spoke_at = spoke_at - interval '31 minutes'`)
  await database.close()
  await product.restart()
  expect((await held()).signs).toEqual(['silent'])
  await expectStill()
  await client.call(releaseSending, { body: { answer: 'only_off' } })
  await completed(id)
  expectOnce()
})
