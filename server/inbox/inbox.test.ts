import { expect, test } from 'vitest'
import { viewAs } from '#contract/identity/view-as.ts'
import { listInbox, openMessage, readInboxState, readOwed } from '#contract/inbox.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { until } from '../testing/until.ts'
import { aSendingServer } from '../testing/worlds.ts'

const sending = await aSendingServer()
const reader = await sending.server.person('groupadmin', sending.org)

async function send(more: object = {}): Promise<string> {
  const { admin, org, videoId } = sending
  const made = await admin.call(createTransmission, {
    body: { body: 'Hello', videoId, userId: reader.id, accountId: org, ...more },
  })
  expect(made.status).toBe(201)
  const params = { transmissionId: made.body.id }
  await until(async () => (await admin.call(readTransmission, { params })).body.state === 'completed', 30)
  return made.body.id
}

test('requires sign-in', async () => {
  expect((await sending.server.call(listInbox)).status).toBe(401)
  expect((await sending.server.call(readOwed)).status).toBe(401)
})

test('who was sent nothing has nothing', async () => {
  expect((await reader.call(readInboxState)).body).toEqual({ unread: 0, hasAny: false })
  expect((await reader.call(listInbox)).body).toMatchObject({ items: [], total: 0 })
  expect((await reader.call(readOwed)).body).toEqual({ items: [] })
  const superadmin = await sending.server.person('superadmin')
  expect((await superadmin.call(listInbox)).body.items).toEqual([])
  expect((await superadmin.call(readOwed)).body.items).toEqual([])
})

test('messages stand there with their own words, are read once opened, and lead to the page of their link', async () => {
  await send({ subject: 'For {{name}}: {{video}}' })
  const dueAt = new Date(Date.now() + 5 * 86_400_000).toISOString()
  await send({ subject: 'With a day', dueAt })
  const { body } = await reader.call(listInbox)
  expect(body.items.map(({ subject, isRead }) => [subject, isRead])).toEqual([
    ['With a day', false],
    [expect.stringMatching(/^For (?!\{).+: Fire drill$/), false],
  ])
  const [newest, first] = body.items
  expect((await reader.call(readOwed)).body.items).toEqual([
    expect.objectContaining({ title: 'Fire drill', name: null, isLate: false, messageId: newest?.id }),
  ])
  expect((await reader.call(readInboxState)).body).toEqual({ unread: 2, hasAny: true })
  const opened = await reader.call(openMessage, { params: { deliveryId: first?.id ?? '' }, body: {} })
  expect(opened.status).toBe(200)
  expect((await sending.server.send('GET', opened.body.path)).status).toBe(200)
  expect((await reader.call(readInboxState)).body.unread).toBe(1)
  const unread = await reader.call(listInbox, { query: { show: 'unread' } })
  expect(unread.body.items.map(({ id }) => id)).toEqual([newest?.id])
  const firstPage = await reader.call(listInbox, { query: { limit: 1 } })
  expect(firstPage.body).toMatchObject({ total: 2, items: [{ id: newest?.id }] })
})

test('nobody opens a message of another, nor does whoever views as somebody', async () => {
  const { admin, server, org } = sending
  const [message] = (await reader.call(listInbox)).body.items
  const params = { deliveryId: message?.id ?? '' }
  expect((await admin.call(openMessage, { params, body: {} })).status).toBe(404)
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(openMessage, { params, body: {} })).status).toBe(404)
  expect((await stranger.call(listInbox)).body.items).toEqual([])
  const superadmin = await server.person('superadmin')
  const viewing = await superadmin.call(viewAs, { body: { userId: reader.id, reason: 'Asked for help' } })
  expect(viewing.status).toBeLessThan(300)
  expect((await superadmin.call(listInbox)).status).toBe(403)
  expect((await superadmin.call(readOwed)).status).toBe(403)
  expect((await superadmin.call(openMessage, { params, body: {} })).status).toBe(403)
  expect(org).toBe(reader.organizationId)
})
