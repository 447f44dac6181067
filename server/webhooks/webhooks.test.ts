import { createHmac } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createAssignment } from '#contract/assignments/assignments.ts'
import { listDeliveries, resolveDelivery } from '#contract/transmissions/deliveries.ts'
import {
  changeTransmission,
  createTransmission,
  previewAudience,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import {
  readWebhook,
  removeWebhook,
  replaceWebhookSecret,
  testWebhook,
  updateWebhook,
} from '#contract/transmissions/webhooks.ts'
import { keysOf } from '../platform/keys.ts'
import { addPeople } from '../testing/audience.ts'
import { openNameServer } from '../testing/mail/name-server.ts'
import { startSendingServer } from '../testing/sending.ts'
import { openSink } from '../testing/mail/sink.ts'
import { planAssignments } from '../assignments/plan.ts'
import { settleSecret } from '../secret/settle.ts'
import { unique } from '../testing/unique.ts'
import { until } from '../testing/until.ts'
import { targetOf } from './settings.ts'
import { kind, openReceiver, type Behaviour, type Posted } from '../testing/mail/webhooks.ts'

const host = 'hook.acme.test'

const names = await openNameServer()
const receiver = await openReceiver([host, 'public.acme.test'])
const sink = await openSink()
const sending = await startSendingServer({
  SMTP_URL: sink.url,
  DNS_SERVER: names.address,
  WEBHOOK_HOSTS: `${host}:${receiver.port}`,
  WEBHOOK_CA_FILE: receiver.ca,
})
const params = { orgId: sending.org }
afterAll(async () => {
  await sending.close()
  await receiver.close()
  await sink.close()
  await names.close()
})

const query = async (text: string, values: unknown[] = []) =>
  (await sending.server.query(text, values)) as Record<string, string | null>[]

beforeEach(async () => {
  await query(
    `update transmissions set state = 'cancelled' where state in ('sending', 'paused', 'preparing', 'scheduled')`,
  )
  await query(`update deliveries set state = 'cancelled' where state in ('queued', 'deferred')`)
  await query('delete from webhooks')
  await query('delete from attempts')
  receiver.posted.length = 0
  receiver.behave = kind
  names.addressesOf = (name) => (name === host ? ['127.0.0.1'] : [])
})

const choose = (url: string) => sending.admin.call(updateWebhook, { params, body: { url } })
const here = () => `https://${host}:${receiver.port}/in?room=7`
const attempt = async () => (await sending.admin.call(testWebhook, { params, body: {} })).body
const read = async (id: string) =>
  (await sending.admin.call(readTransmission, { params: { transmissionId: id } })).body
const reached = (id: string, state: string) => until(async () => (await read(id)).state === state, 30)
/** What waits for a while to be tried again is due now. */
const hurry = async () => {
  await query(`update webhooks set rests_until = null where rests_until > now()`)
  await query(`update deliveries set due_at = now() where state = 'deferred' and due_at > now()`)
}

async function send(count: number): Promise<string> {
  const { server, org, admin, videoId } = sending
  const userIds = await addPeople(server, org, { count, prefix: unique() })
  const made = await admin.call(createTransmission, {
    body: { body: 'Hello {{firstName}}', videoId, accountId: org, audience: { channel: 'webhook', userIds } },
  })
  expect(made.status).toBe(201)
  expect(made.body.channel).toBe('webhook')
  return made.body.id
}

const signature = (secret: string, { headers, body }: Posted) =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update([headers['webhook-id'], headers['webhook-timestamp'], body].join('.'))
    .digest('base64')}`

test('a message is posted once to each person, signed, with a link that is theirs; the secret is told once', async () => {
  expect((await sending.admin.call(readWebhook, { params })).body.webhook).toBeNull()
  const secret = (await choose(here())).body.secret ?? ''
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect((await choose(`${here()}&x=1`)).body.secret).toBeNull()
  const told = await sending.admin.call(readWebhook, { params })
  expect(JSON.stringify(told.body)).not.toContain(secret)
  const id = await send(30)
  const [first] = await query('select user_id from deliveries where transmission_id = $1', [id])
  await query(`update users set phone = '+49 151 2345' where id = $1`, [first?.['user_id']])
  await reached(id, 'completed')
  expect((await read(id)).counts).toMatchObject({ accepted: 30, unknown: 0 })
  const ids = receiver.posted.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(ids).size).toBe(30)
  expect(ids).toHaveLength(30)
  expect(new Set(receiver.posted.map(({ data }) => data.link)).size).toBe(30)
  for (const posted of receiver.posted) {
    const { headers, data } = posted
    expect(headers).toMatchObject({ 'webhook-id': data.deliveryId, host: `${host}:${receiver.port}` })
    expect(headers['webhook-signature']).toBe(signature(secret, posted))
    expect(Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp']))).toBeLessThan(60)
    expect(data.text).toContain(data.link)
    expect(data.text).toContain('Hello')
    expect(data.signIn).toBeNull()
    expect(data).toMatchObject({
      organization: { id: sending.org },
      person: { email: expect.stringContaining('@') },
    })
  }
  expect(sink.received).toHaveLength(0)
  const link = new URL(receiver.posted[0]?.data.link ?? '')
  expect((await sending.server.send('GET', link.pathname + link.search)).status).toBeLessThan(400)
})

test('where only signed-in people may watch, each message says so in a few words of its reader’s language', async () => {
  await choose(here())
  const ask = (rule: string) =>
    query(
      `update organizations set policies = policies || jsonb_build_object('whoMayWatch', $2::text) where id = $1`,
      [sending.org, rule],
    )
  await ask('signed_in')
  const german = unique()
  await query(`insert into users (organization_id, name, email, language) values ($1, 'Ada', $2, 'de')`, [
    sending.org,
    `${german}@example.test`,
  ])
  const [one] = await query('select id from users where email = $1', [`${german}@example.test`])
  const others = await addPeople(sending.server, sending.org, { count: 1, prefix: unique() })
  const made = await sending.admin.call(createTransmission, {
    body: {
      body: 'Hello',
      videoId: sending.videoId,
      accountId: sending.org,
      audience: { channel: 'webhook', userIds: [...others, one?.['id'] ?? ''] },
    },
  })
  await reached(made.body.id, 'completed')
  await ask('link')
  const told = receiver.posted.map(({ data }) => [data.person.name === 'Ada', data.signIn])
  expect(new Map(told as [boolean, string][])).toEqual(
    new Map([
      [true, 'Sie werden gebeten, sich anzumelden.'],
      [false, 'You will be asked to sign in.'],
    ]),
  )
  for (const { data } of receiver.posted) {
    // One SMS has 160 signs of the GSM alphabet; beyond it each of them has 70.
    expect(data.signIn).toMatch(/^[A-Za-z ,.]{1,40}$/)
    expect(data.text).toMatch(/asked to sign in to |melden Sie sich bei .* an\./)
  }
})

test('for a day after it was replaced, messages are signed with both secrets', async () => {
  const old = (await choose(here())).body.secret ?? ''
  const anew = (await sending.admin.call(replaceWebhookSecret, { params, body: {} })).body
  expect(anew.webhook?.previousUntil).not.toBeNull()
  expect(await attempt()).toMatchObject({ result: 'accepted', status: 200, answer: 'taken' })
  const [posted] = receiver.posted
  if (!posted) throw new Error('nothing came')
  expect(posted.headers['webhook-signature']).toBe(
    `${signature(anew.secret ?? '', posted)} ${signature(old, posted)}`,
  )
  await query(`update webhooks set previous_until = now() - interval '1 minute'`)
  await attempt()
  const [, later] = receiver.posted
  expect(later?.headers['webhook-signature']).toBe(later && signature(anew.secret ?? '', later))
})

test('the secret holds after that of the installation was changed, and is no secret of another organization', async () => {
  const secret = (await choose(here())).body.secret ?? ''
  const { db } = sending.server.services
  const [former, present] = ['the one before, of thirty-two signs', 'the present one, of thirty-two signs']
  const sealed = keysOf(former ?? '').seal('webhook', secret, sending.org)
  await query('update webhooks set secret_sealed = $1', [sealed])
  await settleSecret(db, keysOf(present ?? '', former))
  const target = await db.as('system', (tx) => targetOf(tx, keysOf(present ?? ''), sending.org))
  expect(target?.secrets).toEqual([secret])
  await query('update webhooks set secret_sealed = $1', [
    keysOf(present ?? '').seal('webhook', secret, sending.server.services.env.host),
  ])
  expect(await attempt()).toEqual({ result: 'secret_lost', status: null, answer: null })
  expect(receiver.posted).toEqual([])
})

test('who has no mail is reached where a phone is known, and named as left out otherwise', async () => {
  await choose(here())
  const { server, org, admin } = sending
  const [phoned = '', bare = ''] = await addPeople(server, org, { count: 2, prefix: unique() })
  await query(
    `update users set email = 'nothing-' || left(id::text, 13) || right(id::text, 4), phone = case when id = $1 then '+49 (151) 99-8' end where id in ($1, $2)`,
    [phoned, bare],
  )
  const audience = { channel: 'webhook' as const, userIds: [phoned, bare] }
  const count = await admin.call(previewAudience, { body: { accountId: org, audience } })
  expect(count.body).toMatchObject({ recipients: 1, skipped: { no_address: 1 } })
  const mailed = await admin.call(previewAudience, {
    body: { accountId: org, audience: { userIds: [phoned, bare] } },
  })
  expect(mailed.body).toMatchObject({ recipients: 0, skipped: { no_address: 2 } })
  const made = await admin.call(createTransmission, {
    body: { body: 'Hello', videoId: sending.videoId, accountId: org, audience },
  })
  await reached(made.body.id, 'completed')
  expect(receiver.posted.map(({ data }) => data.person.phone)).toEqual(['+49 (151) 99-8'])
})

test('without an address nothing is sent that way, and what is under way pauses and goes on', async () => {
  const { org, admin, videoId, server } = sending
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: unique() })
  const body = {
    body: 'x',
    videoId,
    accountId: org,
    audience: { channel: 'webhook' as const, userIds: [userId] },
  }
  expect((await admin.call(createTransmission, { body })).problem?.reason?.code).toBe('webhook_missing')
  await choose(here())
  receiver.behave = (_posted, answer) => void answer.writeHead(503).end()
  const id = await send(3)
  await until(async () => (await read(id)).counts.deferred > 0, 20)
  await admin.call(removeWebhook, { params })
  await hurry()
  await reached(id, 'paused')
  const paused = await read(id)
  expect(paused.reason).toBe('webhook_missing')
  await choose(here())
  receiver.behave = kind
  await admin.call(changeTransmission, {
    params: { transmissionId: id },
    body: { action: 'resume', version: paused.version },
  })
  await hurry()
  await reached(id, 'completed')
  expect((await read(id)).counts.accepted).toBe(3)
})

test.each<[string, () => string, number]>([
  ['so many seconds', () => '120', 120],
  ['an instant', () => new Date(Date.now() + 200_000).toUTCString(), 200],
  ['longer than five minutes', () => '86400', 300],
  ['nothing that can be read', () => 'soon', 1],
])('an address that asks to be left alone for %s is', async (_name, retryAfter, most) => {
  await choose(here())
  receiver.behave = (_posted, answer) => void answer.writeHead(429, { 'retry-after': retryAfter() }).end()
  await send(1)
  const restSeconds = `select extract(epoch from rests_until - failing_since)::float8 as seconds from webhooks where rests_until is not null`
  await until(async () => (await query(restSeconds)).length > 0, 20)
  const [{ seconds } = {}] = await query(restSeconds)
  // An instant is told in whole seconds, and some have passed.
  expect(seconds).toBeGreaterThan(most - 8)
  expect(seconds).toBeLessThanOrEqual(most)
  expect(receiver.posted).toHaveLength(1)
})

/** For the first one of each person, then as it should be. */
const once = (behave: Behaviour): Behaviour => {
  const seen = new Set<string>()
  return (posted, answer, socket) => {
    if (seen.has(posted.data.deliveryId)) return kind(posted, answer, socket)
    seen.add(posted.data.deliveryId)
    return behave(posted, answer, socket)
  }
}

test.each<[string, Behaviour]>([
  ['500', (_posted, answer) => void answer.writeHead(500).end('on fire')],
  ['429', (_posted, answer) => void answer.writeHead(429, { 'retry-after': '1' }).end()],
  [
    'a redirect',
    (_posted, answer) => void answer.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  ],
])('after %s it is tried again, and nobody is lost', async (_name, behave) => {
  await choose(here())
  receiver.behave = once(behave)
  const id = await send(6)
  await until(async () => {
    await hurry()
    return (await read(id)).state === 'completed'
  }, 40)
  expect((await read(id)).counts).toMatchObject({ accepted: 6, unknown: 0, rejected: 0 })
  const byPerson = Map.groupBy(receiver.posted, ({ data }) => data.deliveryId)
  expect([...byPerson.values()].map((all) => all.length)).toEqual([2, 2, 2, 2, 2, 2])
})

test.each<[string, Behaviour]>([
  ['breaks the line after the message', (_posted, _answer, socket) => void socket.destroy()],
  [
    'answers with something else than HTTP',
    (_posted, _answer, socket) => void socket.end('220 mail ready\r\n'),
  ],
])('who %s gets it no second time by itself, and a person decides', async (_name, behave) => {
  await choose(here())
  receiver.behave = behave
  const id = await send(3)
  await until(async () => {
    await hurry()
    return (await read(id)).state === 'completed'
  }, 40)
  expect((await read(id)).counts).toMatchObject({ accepted: 0, unknown: 3 })
  expect(new Set(receiver.posted.map(({ data }) => data.deliveryId)).size).toBe(3)
  expect(receiver.posted).toHaveLength(3)
  receiver.behave = kind
  const list = await sending.admin.call(listDeliveries, { params: { transmissionId: id } })
  const deliveryId = list.body.items[0]?.id ?? ''
  await sending.admin.call(resolveDelivery, {
    params: { transmissionId: id, deliveryId },
    body: { decision: 'send_again' },
  })
  await until(async () => {
    await hurry()
    return (await read(id)).counts.accepted === 1
  }, 20)
  // By the same key, so that a receiver who has it already sees that.
  expect(receiver.posted.filter(({ headers }) => headers['idempotency-key'] === deliveryId)).toHaveLength(2)
})

test('who does not answer within ten seconds holds up no mails, and what they got is uncertain', async () => {
  await choose(here())
  receiver.behave = () => undefined
  const id = await send(2)
  await until(async () => receiver.posted.length === 2, 10)
  const { server, admin, videoId, org } = sending
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: unique() })
  const mail = await admin.call(createTransmission, {
    body: { body: 'By mail', videoId, userId, accountId: org },
  })
  const began = Date.now()
  await reached(mail.body.id, 'completed')
  expect(Date.now() - began).toBeLessThan(6_000)
  await reached(id, 'completed')
  expect((await read(id)).counts).toMatchObject({ unknown: 2 })
  const { webhook } = (await admin.call(readWebhook, { params })).body
  expect(webhook).toMatchObject({ fault: 'timeout', failingSince: expect.any(String) })
})

test('what is refused is not tried again, and says why', async () => {
  await choose(here())
  receiver.behave = (_posted, answer) => void answer.writeHead(400).end('no \u0000such\nnumber')
  const id = await send(2)
  await reached(id, 'completed')
  const list = await sending.admin.call(listDeliveries, { params: { transmissionId: id } })
  expect(list.body.items.map(({ state, reason }) => [state, reason])).toEqual([
    ['rejected', 'HTTP 400 no such number'],
    ['rejected', 'HTTP 400 no such number'],
  ])
  expect(receiver.posted).toHaveLength(2)
})

test('of an answer without end no more than a little is read', async () => {
  await choose(here())
  let left = 0
  receiver.behave = (_posted, answer) => {
    answer.writeHead(200)
    const more = () => {
      while (!answer.destroyed && answer.write('x'.repeat(65_536))) left += 65_536
      if (!answer.destroyed) answer.once('drain', more)
    }
    more()
  }
  expect(await attempt()).toEqual({ result: 'accepted', status: 200, answer: 'x'.repeat(300) })
  expect(left).toBeLessThan(20_000_000)
})

test('while nobody is there nothing is lost and no try is counted; it leaves once they are', async () => {
  await choose(here())
  await receiver.stop()
  const id = await send(5)
  await until(
    async () => (await sending.admin.call(readWebhook, { params })).body.webhook?.fault === 'no_connection',
    20,
  )
  await until(async () => (await read(id)).counts.queued === 5, 20)
  expect(await query('select 1 from deliveries where transmission_id = $1 and attempt > 0', [id])).toEqual([])
  await receiver.start()
  await hurry()
  await reached(id, 'completed')
  expect(receiver.posted).toHaveLength(5)
  expect((await sending.admin.call(readWebhook, { params })).body.webhook?.fault).toBeNull()
})

test('an assignment sends its messages that way, too', async () => {
  await choose(here())
  const { server, org, admin, videoId } = sending
  const userIds = await addPeople(server, org, { count: 2, prefix: unique() })
  const made = await admin.call(createAssignment, {
    params,
    body: {
      name: 'Fire drill',
      videoId,
      audience: { channel: 'webhook', userIds },
      requirement: 'watched',
      due: { kind: 'none' },
      validity: null,
      countsSince: null,
      reminders: { daysBefore: [], onTheDay: false, daysAfter: [3], weekly: false, most: 3 },
      subject: 'Please watch this',
      message: 'It concerns everybody.',
      start: true,
    },
  })
  expect([made.status, made.problem]).toEqual([201, undefined])
  await until(async () => {
    await query('update assignments set planned_at = null')
    await planAssignments(server.services)
    return receiver.posted.length === 2
  }, 20)
  expect(receiver.posted.map(({ data }) => data.person.id).toSorted()).toEqual(userIds.toSorted())
})
