import { expect, test } from 'vitest'
import { revokeLink } from '#contract/transmissions/links.ts'
import { updateOrganizationSettings } from '#contract/directory/organizations.ts'
import { previewMail } from '#contract/identity/mail-preview.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { sendToOne } from '../../testing/sending.ts'
import type { Person } from '../../testing/server.ts'
import { aSendingServer } from '../../testing/worlds.ts'

const sending = await aSendingServer()
const { server, org, admin, videoId } = sending

const { query } = server

type Sent = Awaited<ReturnType<typeof sendToOne>>
const sent = (more?: object) => sendToOne(sending, more)

const open = async (link: string) => {
  const answer = await server.app.inject(link)
  return { status: answer.statusCode, page: answer.payload }
}
const revoke = (by: Person, { transmissionId, deliveryId }: Sent, reason = 'It was <b>passed on</b>.') =>
  by.call(revokeLink, { params: { transmissionId, deliveryId }, body: { reason } })

test('one person, one message, one link is taken back; whoever opens it reads why', async () => {
  const one = await sent()
  const other = await sent()
  expect((await open(one.link)).status).toBe(200)
  const answer = await revoke(admin, one)
  expect(answer.body).toMatchObject({ linkRevokedReason: 'It was <b>passed on</b>.' })
  const { status, page } = await open(one.link)
  expect(status).toBe(410)
  expect(page).toContain('It was &lt;b&gt;passed on&lt;/b&gt;.')
  expect(page).not.toContain('<video')
  expect((await open(other.link)).status).toBe(200)
  const [written, ...more] = await query<{ after: unknown }>(
    `select after from audit where action = 'delivery.link_revoked' and entity_id = $1`,
    [one.deliveryId],
  )
  expect([written?.after, more]).toMatchObject([{ reason: 'It was <b>passed on</b>.' }, []])
  expect((await revoke(admin, one, 'Another reason')).body.linkRevokedReason).toContain('passed on')
  const listed = await admin.call(listDeliveries, { params: { transmissionId: one.transmissionId } })
  expect(listed.body.items[0]?.linkRevokedAt).not.toBeNull()
})

test('only by who may send for the organization, and with a reason', async () => {
  const one = await sent()
  const stranger = await server.person('admin', await server.organization())
  expect((await revoke(stranger, one)).status).toBe(404)
  expect((await revoke(await server.person('groupadmin', org), one)).status).toBe(403)
  expect((await revoke(admin, one, ' ')).problem?.fields).toEqual({ reason: ['required'] })
  expect((await open(one.link)).status).toBe(200)
})

test('links of who is disabled or removed stop at once, and work again with them', async () => {
  const { link, userId } = await sent()
  for (const [statement, back] of [
    [`update users set state = 'disabled' where id = $1`, `update users set state = 'active' where id = $1`],
    [`update users set deleted_at = now() where id = $1`, `update users set deleted_at = null where id = $1`],
  ] as const) {
    await query(statement, [userId])
    expect((await open(link)).status).toBe(410)
    await query(back, [userId])
    expect((await open(link)).status).toBe(200)
  }
})

test('links end when the message or the organization says so, and the mail tells it', async () => {
  const dated = await sent({ linksEndAt: '2099-12-24' })
  expect(dated.text).toContain('This link is yours alone, and works until December 24, 2099.')
  expect((await open(dated.link)).status).toBe(200)
  await query('update transmissions set links_end_at = now() where id = $1', [dated.transmissionId])
  const ended = await open(dated.link)
  expect([ended.status, ended.page.includes('The time for which it worked is over')]).toEqual([410, true])
  const endless = await sent()
  expect(endless.text).toContain('This link is yours alone. Please do not pass it on.')
  const params = { orgId: org }
  const set = (linkDays: number | null) =>
    admin.call(updateOrganizationSettings, { params, body: { name: 'Acme', policies: { linkDays } } })
  expect((await set(30)).status).toBe(200)
  const { transmissionId } = await sent()
  const { linksEndAt } = (await admin.call(readTransmission, { params: { transmissionId } })).body
  expect(Math.round((Date.parse(linksEndAt ?? '') - Date.now()) / 86_400_000)).toBe(30)
  const { body: shown } = await admin.call(previewMail, { body: { accountId: org, videoId, body: 'Hello' } })
  expect(shown.text).toContain('and works until')
  expect((await open(endless.link)).status).toBe(200)
  await set(null)
  const past = await admin.call(createTransmission, {
    body: { body: 'Hello', videoId, userId: dated.userId, accountId: org, linksEndAt: '2020-01-01' },
  })
  expect(past.problem?.fields).toEqual({ linksEndAt: ['not_ahead'] })
})
