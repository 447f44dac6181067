import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSetAside, trySetAsideAgain } from '#contract/aside.ts'
import { listDeliveries } from '#contract/deliveries.ts'
import { readMailReturns, updateMailReturns } from '#contract/mail-returns.ts'
import { createTransmission, readTransmission } from '#contract/transmissions.ts'
import { addPeople } from '../../testing/audience.ts'
import { imapLogin, openImap, type ImapServer } from '../../testing/imap.ts'
import { startSendingServer, type SendingServer } from '../../testing/sending.ts'
import { administer } from '../../testing/setup.ts'
import { openSink, type Sink } from '../../testing/sink.ts'
import { unique } from '../../testing/unique.ts'
import { until } from '../../testing/until.ts'
import { startReturns } from './mailbox.ts'

let sink: Sink
let sending: SendingServer
let imap: ImapServer
let reading: { stop(): Promise<void> }
beforeAll(async () => {
  sink = await openSink()
  imap = await openImap()
  sending = await startSendingServer({ SMTP_URL: sink.url, MAIL_FROM: 'Reel <reel@acme.org>' })
  reading = await startReturns(sending.server.services)
})
afterAll(async () => {
  await reading.stop()
  await sending.close()
  await imap.close()
  await sink.close()
})

/** Reports that fit cannot be written. */
const poison = (when: string) =>
  administer(
    sending.server.ownerUrl,
    `create or replace function poison() returns trigger language plpgsql as $$ begin raise 'poison'; end $$;
      create or replace trigger poison before insert on delivery_events for each row when (${when}) execute function poison()`,
  )

const report = (to: string, said = '550 5.1.1 No such user') =>
  `From: MAILER-DAEMON@mx.example.net
To: ${to}
Message-ID: <${unique()}@mx.example.net>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="=_b"

--=_b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; somebody@example.net
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; ${said}

--=_b--
`.replaceAll('\n', '\r\n')

test('a mail that cannot be taken is set aside, those behind it are read, and it is taken once it can be', async () => {
  const { server, org, admin, videoId } = sending
  const superadmin = await server.person('superadmin')
  const address = {
    address: 'bounce@acme.org',
    host: '127.0.0.1',
    port: imap.port,
    encryption: 'none',
  } as const
  await superadmin.call(updateMailReturns, { body: { ...address, ...imapLogin } })
  const userIds = await addPeople(server, org, { count: 3, prefix: unique() })
  const body = { accountId: org, videoId, body: 'x', audience: { userIds } }
  const params = { transmissionId: (await admin.call(createTransmission, { body })).body.id }
  await until(async () => (await admin.call(readTransmission, { params })).body.state === 'completed', 20)
  const deliveries = async () => (await admin.call(listDeliveries, { params })).body.items
  const mails = (await deliveries()).map(({ id, user: { email } }) => ({
    id,
    from: sink.received.find(({ to }) => to === email)?.from ?? '',
  }))
  const [odd, half, fine] = mails as [(typeof mails)[0], (typeof mails)[0], (typeof mails)[0]]
  const stateOf = async ({ id }: { id: string }) => (await deliveries()).find((one) => one.id === id)?.state
  await poison(`new.delivery_id = '${odd.id}'`)
  imap.put(report(odd.from))
  // An emoji stands where what a mail server says is cut.
  imap.put(report(half.from, '550 5.1.1 '.padEnd(493, 'y') + '🎬'.repeat(9)))
  imap.put(report(fine.from))
  await server.services.jobs.wake('mail.returns', {})
  await until(async () => (await stateOf(fine)) === 'bounced', 20)
  expect((await superadmin.call(readMailReturns)).body.mailbox?.fault).toBe(null)
  const aside = async () => (await superadmin.call(readSetAside)).body.items
  const found = await until(async () => (await aside()).find(({ reason }) => reason === 'poison'), 30)
  expect([found.loop, imap.messages[0]?.flags.size]).toEqual(['returns', 0])
  await poison('false')
  await superadmin.call(trySetAsideAgain, { params: { asideId: found.id } })
  await until(async () => imap.messages[0]?.flags.has('\\Seen'), 20)
  expect(await stateOf(odd)).toBe('bounced')
})
