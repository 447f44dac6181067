import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test as base } from '@playwright/test'
import { createInvitation } from '#contract/directory/invitations.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { readSending, releaseSending, type Sending } from '#contract/transmissions/sending.ts'
import {
  createTransmission,
  readTransmission,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { unique } from '#server/testing/unique.ts'
import { clientOf, firstSuperadmin, type Client } from './client.ts'
import { openDatabase } from './database.ts'
import { openMailbox, waitFor, type Mailbox } from './mailbox.ts'
import { openFolder, startProduct, type Product } from './product.ts'
import { videoWithoutFiles } from './upload.ts'

const recipients = 400
type Installation = {
  product: Product
  client: Client
  organizationId: string
  /** Of a transmission to everybody, which has begun to leave. */
  transmissionId: string
}
type Own = { mailbox: Mailbox; folder: () => Promise<string>; installation: Installation }

/** Each on an installation of its own, in a folder that outlives it. */
const test = base.extend<Own>({
  mailbox: async ({}, use) => {
    const mailbox = await openMailbox(40)
    await use(mailbox)
    await mailbox.close()
  },
  folder: async ({}, use) => {
    const folders: string[] = []
    await use(async () => {
      const made = await openFolder()
      folders.push(made)
      return made
    })
    for (const one of folders) await rm(one, { recursive: true, force: true })
  },
  installation: async ({ mailbox, folder }, use) => {
    const product = await start(await folder(), mailbox)
    const client = await firstSuperadmin(product)
    const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Acme' } })
    const database = await openDatabase(product)
    await database.query(
      `insert into users (organization_id, name, email) select $1, 'Person ' || n, 'p' || n || '@example.test' from generate_series(1, $2::int) n`,
      [organizationId, recipients],
    )
    await database.close()
    const videoId = await videoWithoutFiles(product, { organizationId })
    const audience = { everyone: true, userIds: [], groupIds: [] }
    const message = { body: 'Please watch this today.', videoId, accountId: organizationId, audience }
    const { id: transmissionId } = await client.call(createTransmission, { body: message })
    await use({ product, client, organizationId, transmissionId })
    await product.stop()
  },
})

const start = (dataDir: string, mailbox: Mailbox) =>
  startProduct({ DATA_DIR: dataDir, SMTP_URL: mailbox.url })
const copy = promisify(execFile)

/** The mails of the transmission: those to its recipients. */
const sentBy = (mailbox: Mailbox) => mailbox.mails.filter(({ to }) => /^p\d+@/.test(to))
const arrived = (mailbox: Mailbox, least: number) =>
  waitFor(() => (sentBy(mailbox).length >= least ? true : undefined), `${least} mails`)
const read = ({ client, transmissionId }: Installation): Promise<Transmission> =>
  client.call(readTransmission, { params: { transmissionId } })
const completed = (installation: Installation) =>
  waitFor(
    async () => ((await read(installation)).state === 'completed' ? true : undefined),
    'the end of sending',
  )
const held = (client: Client): Promise<NonNullable<Sending['hold']>> =>
  waitFor(async () => (await client.call(readSending)).hold ?? undefined, 'sending to be held')

/** Nobody has got it twice; answers how many have got it. */
function expectOnce(mailbox: Mailbox): number {
  const sent = sentBy(mailbox)
  expect(new Set(sent.map(({ to }) => to)).size).toBe(sent.length)
  return sent.length
}

/** While it is held, an invitation leaves, and nothing of the transmission. */
async function expectHeld(mailbox: Mailbox, client: Client, organizationId: string): Promise<void> {
  const before = sentBy(mailbox).length
  const email = `${unique()}@example.test`
  await client.call(createInvitation, { body: { organizationId, email, role: 'admin' } })
  await mailbox.to(email)
  expect(sentBy(mailbox)).toHaveLength(before)
}

test('a server that is killed and started again asks nothing', async ({ mailbox, installation }) => {
  const { product, client } = installation
  await arrived(mailbox, 80)
  await product.kill()
  await product.restart()
  await completed(installation)
  expect((await client.call(readSending)).hold).toBeNull()
  const { counts } = await read(installation)
  expect(counts.accepted + counts.unknown).toBe(recipients)
  expectOnce(mailbox)
})

test('a backup that is put back, or started elsewhere, sends nothing a second time', async ({
  mailbox,
  folder,
  installation,
}) => {
  const { product, client, organizationId } = installation
  await arrived(mailbox, 100)
  await product.stop()
  const backup = await folder()
  await copy('cp', ['-a', `${product.dataDir}/.`, backup])
  await product.restart()
  await completed(installation)
  expect(expectOnce(mailbox)).toBe(recipients)

  // The database of the backup, in the folder that went on.
  await product.stop()
  await rm(path.join(product.dataDir, 'postgres'), { recursive: true })
  await copy('cp', ['-a', path.join(backup, 'postgres'), product.dataDir])
  await product.restart()
  expect((await held(client)).signs).toEqual(['apart'])
  await expectHeld(mailbox, client, organizationId)

  // All of it back in its place.
  await product.stop()
  await copy('find', [product.dataDir, '-mindepth', '1', '-delete'])
  await copy('cp', ['-a', `${backup}/.`, product.dataDir])
  await product.restart()
  const hold = await held(client)
  expect(hold).toMatchObject({ signs: ['copied'], transmissions: 1 })
  expect(hold.deliveries).toBeGreaterThan(0)
  await expectHeld(mailbox, client, organizationId)

  // Elsewhere, beside the first one.
  const elsewhere = await folder()
  await copy('cp', ['-a', `${backup}/.`, elsewhere])
  const clone = await start(elsewhere, mailbox)
  const there = clientOf(clone.url, client.token)
  expect((await held(there)).signs).toEqual(['copied'])
  await expectHeld(mailbox, there, organizationId)
  await clone.stop()

  await client.call(releaseSending, { body: { answer: 'restored' } })
  await completed(installation)
  const { counts } = await read(installation)
  expect(counts.unknown).toBe(hold.deliveries)
  expect(counts.accepted + counts.unknown).toBe(recipients)
  expect(expectOnce(mailbox)).toBe(recipients)
})

test('a disk that was set back is noticed by the clock, and a server that was only off goes on', async ({
  mailbox,
  installation,
}) => {
  const { product, client, organizationId } = installation
  await arrived(mailbox, 60)
  await product.stop()
  const left = sentBy(mailbox).length
  await product.restart()
  await arrived(mailbox, left + 20)
  await product.stop()
  const database = await openDatabase(product)
  await database.query(`update sending_guard set spoke_at = spoke_at - interval '31 minutes'`)
  await database.close()
  await product.restart()
  expect((await held(client)).signs).toEqual(['silent'])
  await expectHeld(mailbox, client, organizationId)
  await client.call(releaseSending, { body: { answer: 'only_off' } })
  await completed(installation)
  expect(expectOnce(mailbox)).toBe(recipients)
})
