import { beforeEach, expect, test } from 'vitest'
import { barAddress, listBarredAddresses, liftBar } from '#contract/transmissions/barred-addresses.ts'
import { previewMail } from '#contract/identity/mail-preview.ts'
import { createTransmission, previewAudience } from '#contract/transmissions/transmissions.ts'
import { addPeople } from '../../testing/audience.ts'
import { minutePasses, sentAll } from '../../testing/planning.ts'
import { unique } from '../../testing/unique.ts'
import { aSendingServer, aSink, anAssignment } from '../../testing/worlds.ts'

const sink = await aSink()
const sending = await aSendingServer({ SMTP_URL: sink.url, MAIL_FROM: 'training@acme.test' })

let userId: string
let address: string

beforeEach(async () => {
  ;[userId = ''] = await addPeople(sending.server, sending.org, { count: 1, prefix: unique() })
  const rows = await sending.server.query<{ email: string }>('select email from users where id = $1', [
    userId,
  ])
  address = rows[0]?.email ?? ''
})

const mails = () => sink.received.filter(({ to }) => to === address)
/** Of the last one, with its lines put together again. */
const last = () => (mails().at(-1)?.raw ?? '').replaceAll('=\r\n', '')
function header(name: string): string | undefined {
  const [head = ''] = last().split('\r\n\r\n')
  return new RegExp(`^${name}: *(.*)$`, 'im').exec(head.replaceAll(/\r\n[ \t]+/g, ' '))?.[1]?.trim()
}

/** To them alone; how many mails they have then. */
async function send(more: object = {}): Promise<number> {
  const { admin, org, videoId, server } = sending
  const made = await admin.call(createTransmission, {
    body: { body: 'Hello', videoId, userId, accountId: org, ...more },
  })
  expect(made.status, JSON.stringify(made.problem)).toBe(201)
  await sentAll(server)
  return mails().length
}

const inAWeek = () => new Date(Date.now() + 7 * 86_400_000).toISOString()
const link = () => new URL((header('List-Unsubscribe') ?? '').slice(1, -1))
const ask = (method: 'GET' | 'POST', url: URL, more: object = {}) =>
  sending.server.app.inject({ method, url: `${url.pathname}${url.search}`, ...more })
const barred = async () =>
  (
    await sending.admin.call(listBarredAddresses, { params: { orgId: sending.org }, query: { q: address } })
  ).body.items.map(({ reason, by }) => [reason, by])

/** A mail program's one click. */
const oneClick = (url: URL) =>
  ask('POST', url, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'List-Unsubscribe=One-Click',
  })

test('a message that nobody owes is unsubscribed from in one click, and no other comes', async () => {
  await send()
  expect(header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
  const url = link()
  expect(last()).toContain('Unsubscribe from messages like this')
  // Whatever fetches links to look at them changes nothing.
  expect((await ask('GET', url)).statusCode).toBe(200)
  expect(await barred()).toEqual([])
  expect((await oneClick(url)).statusCode).toBe(200)
  expect((await oneClick(url)).statusCode).toBe(200)
  expect(await barred()).toEqual([['unsubscribed', null]])
  const { admin, org, videoId } = sending
  const none = await admin.call(createTransmission, {
    body: { body: 'Hello', videoId, userId, accountId: org },
  })
  expect([none.status, none.problem?.code]).toEqual([422, 'no_recipients'])
  const count = async (isDuty: boolean) =>
    (
      await admin.call(previewAudience, {
        body: { accountId: org, audience: { userIds: [userId] }, isDuty },
      })
    ).body
  expect(await count(false)).toMatchObject({ recipients: 0, skipped: { suppressed: 1 } })
  expect(await count(true)).toMatchObject({ recipients: 1 })
})

test('programs that post another kind of form are understood, and what is too long is not read', async () => {
  await send()
  const url = link()
  const boundary = 'b0undary'
  const form = `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  expect((await ask('POST', url, { headers, payload: 'x'.repeat(10_000) })).statusCode).toBe(413)
  expect(await barred()).toEqual([])
  expect((await ask('POST', url, { headers, payload: form })).statusCode).toBe(200)
  expect(await barred()).toEqual([['unsubscribed', null]])
})

test('what is owed comes all the same, and offers no such thing', async () => {
  await send()
  await oneClick(link())
  expect(await send({ dueAt: inAWeek() })).toBe(2)
  expect(header('List-Unsubscribe')).toBeUndefined()
  expect(last()).not.toContain('Unsubscribe')
  const { admin, org: orgId, videoId, server } = sending
  await anAssignment(admin, {
    videoId,
    audience: { userIds: [userId] },
    due: { kind: 'none' },
    reminders: { daysBefore: [], onTheDay: false, daysAfter: [], weekly: false, most: 0 },
  })
  await minutePasses(server)
  expect(mails()).toHaveLength(3)
  expect(header('List-Unsubscribe')).toBeUndefined()
  // Barred by a person it gets nothing at all.
  const bar = { address, reason: 'Asked for no mail at all' }
  expect((await admin.call(barAddress, { params: { orgId }, body: bar })).status).toBe(201)
  const refused = await admin.call(createTransmission, {
    body: { body: 'Hello', videoId, userId, accountId: orgId, dueAt: inAWeek() },
  })
  expect(refused.problem?.code).toBe('no_recipients')
})

test('whoever unsubscribes while their mail waits does not get it', async () => {
  await send()
  const url = link()
  const { server } = sending
  await server.query(`update send_lanes set state = 'closed'`)
  const { admin, org, videoId } = sending
  await admin.call(createTransmission, { body: { body: 'Hello', videoId, userId, accountId: org } })
  await oneClick(url)
  await server.query(`update send_lanes set state = 'open'`)
  await sentAll(server)
  expect(mails()).toHaveLength(1)
})

test('they can have them again, also once an administrator has lifted it, and each time anew', async () => {
  await send()
  const url = link()
  const undo = new URL(url)
  undo.pathname += '/undo'
  await oneClick(url)
  const page = await ask('POST', undo)
  expect([page.statusCode, page.body.includes('You get the messages of')]).toEqual([200, true])
  expect(await barred()).toEqual([])
  expect(await send()).toBe(2)
  await oneClick(url)
  expect(await barred()).toEqual([['unsubscribed', null]])
  await sending.admin.call(liftBar, { params: { orgId: sending.org }, body: { address } })
  await oneClick(url)
  expect(await barred()).toEqual([['unsubscribed', null]])
})

test('a link that has ended unsubscribes too; without a link nobody does', async () => {
  await send()
  const url = link()
  await sending.server.query(
    `update deliveries set link_revoked_at = now(), link_revoked_reason = 'Lost' where user_id = $1`,
    [userId],
  )
  for (const d of ['', 'x'.repeat(43), '../../etc', `${url.searchParams.get('d')}x`]) {
    const wrong = new URL(url)
    wrong.searchParams.set('d', d)
    expect((await oneClick(wrong)).statusCode).toBe(403)
  }
  expect(await barred()).toEqual([])
  expect((await oneClick(url)).statusCode).toBe(200)
  expect(await barred()).toEqual([['unsubscribed', null]])
})

test('the preview says it where the mail does', async () => {
  const { admin, org, videoId } = sending
  const text = async (more: object = {}) =>
    (await admin.call(previewMail, { body: { accountId: org, videoId, body: 'Hello', ...more } })).body.text
  expect(await text()).toContain('/w/unsubscribe?d=')
  expect(await text({ dueAt: inAWeek() })).not.toContain('unsubscribe')
  expect(await text({ isDuty: true })).not.toContain('unsubscribe')
})
