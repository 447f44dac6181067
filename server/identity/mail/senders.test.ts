import { afterAll, beforeEach, expect, test } from 'vitest'
import { previewMail, testTransmission } from '#contract/identity/mail-preview.ts'
import { updateMailSigning } from '#contract/identity/mail-signing.ts'
import {
  checkSender,
  readSender,
  removeSender,
  sendSenderCode,
  updateSender,
  verifySender,
} from '#contract/identity/senders.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { checkSendersAnew } from './senders.ts'
import { startMailWorker } from '../../platform/jobs/mail.ts'
import { addPeople } from '../../testing/audience.ts'
import { verifyDkim } from '../../testing/mail/dkim.ts'
import { openNameServer } from '../../testing/mail/name-server.ts'
import { startSendingServer } from '../../testing/sending.ts'
import { openSink } from '../../testing/mail/sink.ts'
import { unique } from '../../testing/unique.ts'
import { until } from '../../testing/until.ts'

const sink = await openSink()
const names = await openNameServer()
const sending = await startSendingServer({
  SMTP_URL: sink.url,
  MAIL_FROM: 'Reel <reel@host.example.org>',
  DNS_SERVER: names.address,
})
const worker = await startMailWorker(sending.server.services)
const params = { orgId: sending.org }
afterAll(async () => {
  await worker.stop()
  await sending.close()
  await sink.close()
  await names.close()
})
beforeEach(async () => {
  await sending.server.services.db.system.query('delete from mail_senders')
  await sending.server.services.db.system.query('delete from attempts')
})

const choose = (address: string) => sending.admin.call(updateSender, { params, body: { address } })
const verify = (code: string) => sending.admin.call(verifySender, { params, body: { code } })
const arrived = (address: string) => sink.received.filter(({ to }) => to === address)

/** The last code that was mailed there, after so many mails. */
async function codeAt(address: string, mails = 1): Promise<string> {
  await until(async () => arrived(address).length >= mails, 10)
  return /^ {4}(\d{6})$/m.exec(arrived(address).at(-1)?.raw.replaceAll('\r', '') ?? '')?.[1] ?? ''
}

async function send(): Promise<{ status: number; reason: string | undefined; to: string; id: string }> {
  const { server, org, admin, videoId } = sending
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: unique() })
  const found = await server.services.db.system.query<{ email: string }>(
    'select email from users where id = $1',
    [userId],
  )
  const { status, body, problem } = await admin.call(createTransmission, {
    body: { body: 'Hello', videoId, userId, accountId: org },
  })
  return { status, reason: problem?.reason?.code, to: found.rows[0]?.email ?? '', id: body.id }
}

const wrongOf = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('nothing is sent from an address before somebody has proved that they read there', async () => {
  const address = `training-${unique()}@acme.example.com`
  expect((await choose(address)).body.sender).toMatchObject({ address, isVerified: false })
  expect(await send()).toMatchObject({ status: 409, reason: 'sender_unverified' })
  const { org: accountId, videoId, admin } = sending
  const written = { body: { body: 'x', videoId, accountId } }
  expect((await admin.call(previewMail, written)).body).toMatchObject({
    unverified: address,
    from: 'Reel <reel@host.example.org>',
  })
  const code = await codeAt(address)
  expect((await verify(wrongOf(code))).problem?.code).toBe('invalid_code')
  expect((await verify(code)).body.sender).toMatchObject({ isVerified: true, codeUntil: null })
  expect((await verify(code)).problem?.code).toBe('flow_expired')
  const { status, to } = await send()
  expect(status).toBe(201)
  await until(async () => arrived(to).length > 0, 20)
  expect(arrived(to)[0]?.raw).toMatch(new RegExp(`^From: ${address}`, 'm'))
  expect((await admin.call(previewMail, written)).body).toMatchObject({ unverified: null, from: address })
  expect((await admin.call(testTransmission, written)).status).toBe(200)
  await until(async () => arrived(admin.email).length > 0, 10)
  expect(arrived(admin.email).at(-1)?.raw).toMatch(new RegExp(`^From: ${address}`, 'm'))
})

test('five wrong codes are all, and a new code ends the one before', async () => {
  const address = `five-${unique()}@acme.example.com`
  await choose(address)
  const first = await codeAt(address)
  for (let n = 0; n < 5; n += 1) expect((await verify(wrongOf(first))).problem?.code).toBe('invalid_code')
  expect((await verify(first)).problem?.code).toBe('flow_expired')
  await sending.admin.call(sendSenderCode, { params, body: {} })
  const second = await codeAt(address, 2)
  // The code of one address is none for another.
  const other = `other-${unique()}@acme.example.com`
  await choose(other)
  expect((await verify(second)).problem?.code).toBe('invalid_code')
  expect((await verify(await codeAt(other))).body.sender).toMatchObject({ address: other, isVerified: true })
})

test('codes are mailed ten times an hour at most, so that nobody is flooded from here', async () => {
  await choose(`flood-${unique()}@acme.example.com`)
  const again = () => sending.admin.call(sendSenderCode, { params, body: {} })
  for (let n = 0; n < 9; n += 1) expect((await again()).status).toBe(200)
  expect((await again()).problem?.code).toBe('too_many_requests')
})

test('what is under way when the address changes waits, and what was scheduled is held', async () => {
  const { db } = sending.server.services
  const { id } = await send()
  const read = async (transmissionId: string) =>
    (await sending.admin.call(readTransmission, { params: { transmissionId } })).body
  await until(async () => (await read(id)).state === 'completed', 20)
  await choose(`late-${unique()}@acme.example.com`)
  const copy = (state: string) =>
    db.system.query<{ id: string }>(
      `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, scheduled_at, released_at)
        select organization_id, $2, subject, body, video_id, version_id, sender_id, sender_name, audience, now(), now() from transmissions
        where id = $1 returning id`,
      [id, state],
    )
  for (const [from, to] of [
    ['preparing', 'paused'],
    ['scheduled', 'held'],
  ] as const) {
    const made = (await copy(from)).rows[0]?.id ?? ''
    await until(async () => (await read(made)).state === to, 20)
    expect((await read(made)).reason).toBe('sender_unverified')
  }
})

test('the DNS of its domain is asked, told with the records to add, and decides for whom mails are signed', async () => {
  const superadmin = await sending.server.person('superadmin')
  const domain = `d${unique()
    .replaceAll(/[^a-z0-9]/gi, '')
    .toLowerCase()}.example.com`
  const address = `video@${domain}`
  await choose(address)
  await verify(await codeAt(address))
  const check = async () => (await sending.admin.call(checkSender, { params, body: {} })).body.sender
  names.zone = {}
  expect(await check()).toMatchObject({
    spf: { state: 'missing', record: { name: domain, value: 'v=spf1 mx ~all' } },
    dkim: { state: null, record: null },
    dmarc: { state: 'missing', record: { name: `_dmarc.${domain}` } },
  })
  await superadmin.call(updateMailSigning, {
    body: { domain: 'host.example.org', selector: 'reel', isOn: true },
  })
  const bare = await check()
  expect(bare?.dkim).toMatchObject({ state: 'missing', record: { name: `reel._domainkey.${domain}` } })
  const value = bare?.dkim.record?.value ?? ''
  // Signed all the same, in the name of the installation, which has the key.
  names.zone = { 'reel._domainkey.host.example.org': [value] }
  const keyOf = (name: string) => names.zone[name]?.[0]
  const first = await send()
  await until(async () => arrived(first.to).length > 0, 20)
  expect(verifyDkim(arrived(first.to)[0]?.raw ?? '', keyOf)).toMatchObject({
    isGenuine: true,
    domain: 'host.example.org',
  })
  names.zone = {
    [domain]: ['v=spf1 mx ~all'],
    '_dmarc.example.com': ['v=DMARC1; p=reject'],
    [`reel._domainkey.${domain}`]: [value],
  }
  expect(await check()).toMatchObject({
    spf: { state: 'there' },
    dkim: { state: 'there' },
    dmarc: { state: 'there' },
    checkedAt: expect.any(String),
  })
  const second = await send()
  await until(async () => arrived(second.to).length > 0, 20)
  expect(verifyDkim(arrived(second.to)[0]?.raw ?? '', keyOf)).toMatchObject({ isGenuine: true, domain })
  // A record that is taken away is noticed within a day, whoever looks.
  await sending.server.services.db.system.query(
    `update mail_senders set checked_at = now() - interval '25 hours'`,
  )
  names.zone = { [domain]: ['v=spf1 mx ~all'] }
  await checkSendersAnew(sending.server.services)
  expect((await sending.admin.call(readSender, { params })).body.sender?.dkim.state).toBe('missing')
  names.zone = { [domain]: ['v=spf1 +all'], [`reel._domainkey.${domain}`]: ['v=DKIM1; p=AAAA'] }
  expect(await check()).toMatchObject({ spf: { state: 'open' }, dkim: { state: 'other' } })
})

test('without an own address it is the installation’s again, and nobody else reaches this one', async () => {
  await choose(`gone-${unique()}@acme.example.com`)
  const elsewhere = await sending.server.person('admin', await sending.server.organization())
  const groupadmin = await sending.server.person('groupadmin', sending.org)
  expect((await elsewhere.call(readSender, { params })).status).toBe(404)
  expect((await groupadmin.call(readSender, { params })).status).toBe(403)
  expect((await choose('no address')).status).toBe(422)
  expect((await sending.admin.call(removeSender, { params })).body).toMatchObject({
    sender: null,
    usual: 'Reel <reel@host.example.org>',
  })
  expect((await send()).status).toBe(201)
})
