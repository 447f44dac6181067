import { afterAll, beforeAll, expect, test } from 'vitest'
import { setDueDay } from '#contract/due-day.ts'
import { previewMail } from '#contract/mail-preview.ts'
import { createTransmission, readTransmission } from '#contract/transmissions.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { startSending, type Sending } from './send.ts'

let server: TestServer
let sending: Sending
let org: string
let admin: Person
let videoId: string

beforeAll(async () => {
  server = await startTestServer()
  org = await server.organization()
  await read(`update organizations set time_zone = 'Europe/Berlin' where id = $1 returning id`, [org])
  admin = await server.person('admin', org)
  videoId = await addVideo(server, org)
  sending = await startSending(server.services)
})
afterAll(async () => {
  await sending.stop()
  await server.close()
})

async function read<T>(statement: string, values: unknown[]): Promise<T[]> {
  return (await server.services.db.system.query(statement, values)).rows as T[]
}

/** The last moment of a day in Berlin, in winter. */
const first = '2099-01-31T22:59:59.999Z'
const later = '2099-02-15T11:30:00.000Z'

async function sent(dueAt: string | null): Promise<string> {
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: `due-${Math.random()}` })
  const made = await admin.call(createTransmission, {
    body: { body: 'Hello', videoId, userId, accountId: org, dueAt },
  })
  const params = { transmissionId: made.body.id }
  await expect
    .poll(async () => (await admin.call(readTransmission, { params })).body.state, { timeout: 30_000 })
    .toBe('completed')
  return made.body.id
}

const mailOf = async (id: string) =>
  (
    await read<{ text: string; html: string }>(
      `select m.text, m.html from mails m join deliveries d on d.id = m.delivery_id where d.transmission_id = $1`,
      [id],
    )
  )[0]

/** The page behind the link of the mail. */
async function personalPage(id: string): Promise<string> {
  const [, link = ''] = /(\/w\/video\/\S+)/.exec((await mailOf(id))?.text ?? '') ?? []
  return (await server.app.inject(link)).payload
}

test('the mail, its preview and the personal page say by when, in the time zone of the organization', async () => {
  const id = await sent(first)
  const words = 'Please watch it by January 31, 2099.'
  expect(await mailOf(id)).toMatchObject({
    text: expect.stringContaining(`\n\n${words}\n\n`),
    html: expect.stringContaining(words),
  })
  expect(await personalPage(id)).toContain(words)
  const body = { accountId: org, videoId, body: 'Hello' }
  expect((await admin.call(previewMail, { body: { ...body, dueAt: later } })).body.text).toContain(
    'Please watch it by February 15, 2099, 12:30 PM, Central European Time (Berlin).',
  )
  expect((await admin.call(previewMail, { body })).body.text).not.toContain('Please watch it by')
})

test('a chosen day is one day of the organization everywhere, wherever its sender sits', async () => {
  await read(`update organizations set time_zone = 'America/New_York' where id = $1 returning id`, [org])
  const id = await sent('2099-12-01')
  const { body } = await admin.call(readTransmission, { params: { transmissionId: id } })
  expect(body).toMatchObject({ dueAt: '2099-12-02T04:59:59.999Z', timeZone: 'America/New_York' })
  expect((await mailOf(id))?.text).toContain('Please watch it by December 1, 2099.')
  expect(await personalPage(id)).toContain('Please watch it by December 1, 2099.')
  const request = { body: { accountId: org, videoId, body: 'Hello', dueAt: '2099-12-01' } }
  expect((await admin.call(previewMail, request)).body.text).toContain('by December 1, 2099.')
  const moved = await admin.call(setDueDay, { params: { transmissionId: id }, body: { dueAt: '2099-07-04' } })
  expect(moved.body.dueAt).toBe('2099-07-05T03:59:59.999Z')
  await read(`update organizations set time_zone = 'Europe/Berlin' where id = $1 returning id`, [org])
})

test('the preview is the mail, but for the link', async () => {
  await read(`update video_versions set poster = 'poster.jpg' where video_id = $1 returning id`, [videoId])
  const id = await sent('2099-12-01')
  const { body: made } = await admin.call(readTransmission, { params: { transmissionId: id } })
  const request = { accountId: org, videoId, body: 'Hello', subject: made.subject, dueAt: '2099-12-01' }
  const { body: shown } = await admin.call(previewMail, { body: request })
  const mail = await mailOf(id)
  const plain = (text = '') => text.replaceAll(/\?d=[\w…-]+/g, '?d=').replaceAll(/\/m\/[^/]+\//g, '/m/token/')
  expect(plain(shown.html)).toBe(plain(mail?.html))
  expect(plain(shown.text)).toBe(plain(mail?.text))
  const [, poster = ''] =
    /<img src="http:\/\/localhost:3000(\/m\/[^"]+poster\.jpg)"/.exec(mail?.html ?? '') ?? []
  expect(poster).not.toBe('')
})

test('who has no such day is told none', async () => {
  const id = await sent(null)
  expect((await mailOf(id))?.text).not.toContain('Please watch it by')
  expect(await personalPage(id)).not.toContain('Please watch it by')
})

test('the day can be moved after sending, and taken away; the personal page follows and the log says so', async () => {
  const id = await sent(first)
  const params = { transmissionId: id }
  const moved = await admin.call(setDueDay, { params, body: { dueAt: later } })
  expect(moved.body.dueAt).toBe(later)
  expect(await personalPage(id)).toContain('Please watch it by February 15, 2099, 12:30')
  await admin.call(setDueDay, { params, body: { dueAt: null } })
  expect((await admin.call(readTransmission, { params })).body.dueAt).toBeNull()
  const log = await read(
    `select before, after from audit where action = 'transmission.due_changed' and entity_id = $1 order by id`,
    [id],
  )
  expect(log).toMatchObject([
    { before: { dueAt: first }, after: { dueAt: later } },
    { before: { dueAt: later }, after: { dueAt: null } },
  ])
})

test('the day lies ahead, and nobody overwrites what they have not seen', async () => {
  const id = await sent(first)
  const params = { transmissionId: id }
  const past = await admin.call(setDueDay, { params, body: { dueAt: '2020-01-01T00:00:00.000Z' } })
  expect(past.problem?.fields).toEqual({ dueAt: ['not_ahead'] })
  const seen = await admin.call(readTransmission, { params })
  const headers = { 'if-match': String(seen.headers['etag']) }
  expect((await admin.call(setDueDay, { params, body: { dueAt: later }, headers })).status).toBe(200)
  expect((await admin.call(setDueDay, { params, body: { dueAt: first }, headers })).status).toBe(412)
})

test('only for who may send: neither a groupadmin nor another organization', async () => {
  const request = { params: { transmissionId: await sent(first) }, body: { dueAt: null } }
  const groupadmin = await server.person('groupadmin', org)
  const stranger = await server.person('admin', await server.organization())
  expect((await groupadmin.call(setDueDay, request)).status).toBe(403)
  expect((await stranger.call(setDueDay, request)).status).toBe(404)
})

test('what was not sent is changed as a whole, and what was cancelled has no day', async () => {
  const id = await sent(first)
  for (const state of ['draft', 'cancelled']) {
    await read('update transmissions set state = $2 where id = $1 returning id', [id, state])
    const refused = await admin.call(setDueDay, { params: { transmissionId: id }, body: { dueAt: later } })
    expect(refused.problem?.code).toBe('conflict')
  }
})
