import { expect, test } from 'vitest'
import { setDueDay } from '#contract/duty/due-day.ts'
import { previewMail } from '#contract/identity/mail-preview.ts'
import { readTransmission } from '#contract/transmissions/transmissions.ts'
import { sendToOne } from '../../testing/sending.ts'
import { aSendingServer } from '../../testing/worlds.ts'

const sending = await aSendingServer()
const { server, org, admin, videoId } = sending
const { query: read } = server
await read(`update organizations set time_zone = 'Europe/Berlin' where id = $1 returning id`, [org])

/** The last moment of a day in Berlin, in winter. */
const first = '2099-01-31T22:59:59.999Z'
const later = '2099-02-15T11:30:00.000Z'

const sent = (dueAt: string | null) => sendToOne(sending, { dueAt })
const personalPage = async ({ link }: { link: string }) => (await server.app.inject(link)).payload

test('the mail, its preview and the personal page say by when, in the time zone of the organization', async () => {
  const one = await sent(first)
  const words = 'Please watch it by January 31, 2099.'
  expect(one).toMatchObject({
    text: expect.stringContaining(`\n\n${words}\n\n`),
    html: expect.stringContaining(words),
  })
  expect(await personalPage(one)).toContain('<span class="due">by January 31, 2099</span>')
  const body = { accountId: org, videoId, body: 'Hello' }
  expect((await admin.call(previewMail, { body: { ...body, dueAt: later } })).body.text).toContain(
    'Please watch it by February 15, 2099, 12:30 PM, Central European Time (Berlin).',
  )
  expect((await admin.call(previewMail, { body })).body.text).not.toContain('Please watch it by')
})

test('a chosen day is one day of the organization everywhere, wherever its sender sits', async () => {
  await read(`update organizations set time_zone = 'America/New_York' where id = $1 returning id`, [org])
  const one = await sent('2099-12-01')
  const { body } = await admin.call(readTransmission, { params: { transmissionId: one.transmissionId } })
  expect(body).toMatchObject({ dueAt: '2099-12-02T04:59:59.999Z', timeZone: 'America/New_York' })
  expect(one.text).toContain('Please watch it by December 1, 2099.')
  expect(await personalPage(one)).toContain('<span class="due">by December 1, 2099</span>')
  const request = { body: { accountId: org, videoId, body: 'Hello', dueAt: '2099-12-01' } }
  expect((await admin.call(previewMail, request)).body.text).toContain('by December 1, 2099.')
  const moved = await admin.call(setDueDay, {
    params: { transmissionId: one.transmissionId },
    body: { dueAt: '2099-07-04' },
  })
  expect(moved.body.dueAt).toBe('2099-07-05T03:59:59.999Z')
  await read(`update organizations set time_zone = 'Europe/Berlin' where id = $1 returning id`, [org])
})

test('the preview is the mail, but for the link', async () => {
  await read(`update video_versions set poster = 'poster.jpg' where video_id = $1 returning id`, [videoId])
  const one = await sent('2099-12-01')
  const { body: made } = await admin.call(readTransmission, {
    params: { transmissionId: one.transmissionId },
  })
  const request = { accountId: org, videoId, body: 'Hello', subject: made.subject, dueAt: '2099-12-01' }
  const { body: shown } = await admin.call(previewMail, { body: request })
  const plain = (text = '') => text.replaceAll(/\?d=[\w…-]+/g, '?d=').replaceAll(/\/m\/[^/]+\//g, '/m/token/')
  expect(plain(shown.html)).toBe(plain(one.html))
  expect(plain(shown.text)).toBe(plain(one.text))
  const [, poster = ''] = /<img src="http:\/\/localhost:3000(\/m\/[^"]+poster\.jpg)"/.exec(one.html) ?? []
  expect(poster).not.toBe('')
})

test('who has no such day is told none', async () => {
  const one = await sent(null)
  expect(one.text).not.toContain('Please watch it by')
  expect(await personalPage(one)).not.toContain('class="due"')
})

test('the day can be moved after sending, and taken away; the personal page follows and the log says so', async () => {
  const one = await sent(first)
  const params = { transmissionId: one.transmissionId }
  const moved = await admin.call(setDueDay, { params, body: { dueAt: later } })
  expect(moved.body.dueAt).toBe(later)
  expect(await personalPage(one)).toContain('<span class="due">by February 15, 2099, 12:30')
  await admin.call(setDueDay, { params, body: { dueAt: null } })
  expect((await admin.call(readTransmission, { params })).body.dueAt).toBeNull()
  const log = await read(
    `select before, after from audit where action = 'transmission.due_changed' and entity_id = $1 order by id`,
    [one.transmissionId],
  )
  expect(log).toMatchObject([
    { before: { dueAt: first }, after: { dueAt: later } },
    { before: { dueAt: later }, after: { dueAt: null } },
  ])
})

test('a day that is over warns of nothing any more', async () => {
  const one = await sent(first)
  await read(`update transmissions set due_at = '2020-01-31T22:59:59.999Z' where id = $1 returning id`, [
    one.transmissionId,
  ])
  expect(await personalPage(one)).toContain('<span class="soft">by January 31, 2020</span>')
})

test('the day lies ahead, and nobody overwrites what they have not seen', async () => {
  const one = await sent(first)
  const params = { transmissionId: one.transmissionId }
  const past = await admin.call(setDueDay, { params, body: { dueAt: '2020-01-01T00:00:00.000Z' } })
  expect(past.problem?.fields).toEqual({ dueAt: ['not_ahead'] })
  const seen = await admin.call(readTransmission, { params })
  const headers = { 'if-match': String(seen.headers['etag']) }
  expect((await admin.call(setDueDay, { params, body: { dueAt: later }, headers })).status).toBe(200)
  expect((await admin.call(setDueDay, { params, body: { dueAt: first }, headers })).status).toBe(412)
})

test('only for who may send: neither a groupadmin nor another organization', async () => {
  const request = { params: { transmissionId: (await sent(first)).transmissionId }, body: { dueAt: null } }
  const groupadmin = await server.person('groupadmin', org)
  const stranger = await server.person('admin', await server.organization())
  expect((await groupadmin.call(setDueDay, request)).status).toBe(403)
  expect((await stranger.call(setDueDay, request)).status).toBe(404)
})

test('what was not sent is changed as a whole, and what was cancelled has no day', async () => {
  const one = await sent(first)
  for (const state of ['draft', 'cancelled']) {
    await read('update transmissions set state = $2 where id = $1 returning id', [one.transmissionId, state])
    const refused = await admin.call(setDueDay, {
      params: { transmissionId: one.transmissionId },
      body: { dueAt: later },
    })
    expect(refused.problem?.code).toBe('conflict')
  }
})
