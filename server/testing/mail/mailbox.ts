import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { readMailReturns, updateMailReturns, type MailReturnsInput } from '#contract/identity/mail-returns.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { startReturns } from '../../transmissions/returns/mailbox.ts'
import { addPeople } from '../audience.ts'
import { imapLogin, type ImapServer } from './imap.ts'
import { startSendingServer } from '../sending.ts'
import { openSink } from './sink.ts'
import { unique } from '../unique.ts'
import { until } from '../until.ts'

/** A mail that was accepted, and the address to which it comes back. */
export type Sent = { id: string; email: string; returnPath: string; transmissionId: string }

/** An installation that sends through a mail server, and reads the mailbox to which its mails come back. */
export async function startMailbox(from = 'Reel <reel@acme.org>') {
  const sink = await openSink()
  const sending = await startSendingServer({ SMTP_URL: sink.url, MAIL_FROM: from })
  const { server, org, admin, videoId } = sending
  const superadmin = await server.person('superadmin')
  const reading = await startReturns(server.services)
  const mailbox = async () => (await superadmin.call(readMailReturns)).body.mailbox

  const name = ({ port }: ImapServer, change: Partial<MailReturnsInput> = {}) => {
    const usual = { address: 'bounce@acme.org', host: '127.0.0.1', port, encryption: 'none' as const }
    return superadmin.call(updateMailReturns, { body: { ...usual, ...imapLogin, ...change } })
  }

  const wake = () => server.services.jobs.wake('mail.returns', {})

  /** Until so many messages were read, those that were left alone among them, and the reading has ended, which forgets an earlier fault. */
  async function read(count: number, seconds = 20) {
    await wake()
    await until(async () => {
      const found = await mailbox()
      return (found?.taken ?? 0) + (found?.leftAlone ?? 0) >= count && found?.fault === null
    }, seconds)
    return mailbox()
  }

  const deliveriesOf = async (transmissionId: string) =>
    (await admin.call(listDeliveries, { params: { transmissionId }, query: { limit: 100 } })).body.items

  async function sent(count: number): Promise<Sent[]> {
    const userIds = await addPeople(server, org, { count, prefix: unique() })
    const body = { accountId: org, videoId, body: 'x', audience: { userIds } }
    const transmissionId = (await admin.call(createTransmission, { body })).body.id
    const params = { transmissionId }
    await until(async () => (await admin.call(readTransmission, { params })).body.state === 'completed', 20)
    return (await deliveriesOf(transmissionId)).map(({ id, user: { email } }) => ({
      id,
      email,
      transmissionId,
      returnPath: sink.received.find(({ to }) => to === email)?.from ?? '',
    }))
  }

  async function stateOf({ id, transmissionId }: Sent) {
    const found = (await deliveriesOf(transmissionId)).find((one) => one.id === id)
    return [found?.state, found?.reason ?? ''] as const
  }

  async function close(): Promise<void> {
    await reading.stop()
    await sending.close()
    await sink.close()
  }
  return { ...sending, sink, superadmin, mailbox, name, wake, read, sent, stateOf, close }
}

const crlf = (text: string) => text.replaceAll('\n', '\r\n')

/** The fields of a mail that came back, by name. */
export const fieldsOfReport = {
  from: 'Mail Delivery System <MAILER-DAEMON@mx.example.net>',
  subject: 'Undelivered Mail Returned to Sender',
  date: 'Thu, 26 Nov 2026 10:00:00 +0000',
  messageId: '<ID@mx.example.net>',
  received: 'from mx.example.net by reel.example; Thu, 26 Nov 2026 10:00:00 +0000',
  outerType: 'multipart/report; report-type=delivery-status; boundary="=_b"',
  words: 'I am sorry to have to tell you.',
  wordsType: 'text/plain; charset=utf-8',
  wordsEncoding: '8bit',
  reportType: 'message/delivery-status',
  reportEncoding: '8bit',
  mta: 'dns; mx.example.net',
  arrival: 'Thu, 26 Nov 2026 10:00:00 +0000',
  recipient: 'rfc822; somebody@example.net',
  action: 'failed',
  status: '5.1.1',
  diagnostic: 'smtp; 550 5.1.1 No such\n user here',
  original: 'A video for you',
}

/** As mail servers report (RFC 3464), with the mail that it is about below. */
export function report(to: string, change: Partial<typeof fieldsOfReport> = {}): string {
  const f = { ...fieldsOfReport, messageId: `<${unique()}@mx.example.net>`, ...change }
  return crlf(`Return-Path: <>
Received: ${f.received}
Delivered-To: bounce@acme.org
From: ${f.from}
To: ${to}
Subject: ${f.subject}
Date: ${f.date}
Message-ID: ${f.messageId}
MIME-Version: 1.0
Content-Type: ${f.outerType}

--=_b
Content-Type: ${f.wordsType}
Content-Transfer-Encoding: ${f.wordsEncoding}

${f.words}

--=_b
Content-Type: ${f.reportType}
Content-Transfer-Encoding: ${f.reportEncoding}

Reporting-MTA: ${f.mta}
Arrival-Date: ${f.arrival}

Final-Recipient: ${f.recipient}
Action: ${f.action}
Status: ${f.status}
Diagnostic-Code: ${f.diagnostic}

--=_b
Content-Type: message/rfc822

From: reel@acme.org
Subject: ${f.original}

x
--=_b--
`)
}
