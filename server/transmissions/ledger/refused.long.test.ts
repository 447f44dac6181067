import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { listBarredAddresses } from '#contract/transmissions/barred-addresses.ts'
import {
  changeTransmission,
  createTransmission,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { addPeople } from '../../testing/audience.ts'
import type { Step } from '../../testing/mail/sink.ts'
import { unique } from '../../testing/unique.ts'
import { until } from '../../testing/until.ts'
import { aSendingServer, aSink } from '../../testing/worlds.ts'

const sink = await aSink()
const sending = await aSendingServer({ SMTP_URL: sink.url, MAIL_FROM: 'bounces@sender.example' })

afterEach(() => {
  sink.options.reply = () => undefined
})

const samples = z
  .object({ MAIL: z.string(), variants: z.array(z.string()) })
  .parse(
    JSON.parse(readFileSync(new URL('../returns/samples/smtp-sender-refused.json', import.meta.url), 'utf8')),
  )

/** `refuse` says to whom, of the first to the last address, and at which step what is answered. */
async function sendTo(
  count: number,
  refuse?: (at: Step, place: number) => string | undefined,
): Promise<string> {
  const { admin, server, org, videoId } = sending
  const prefix = unique()
  const userIds = await addPeople(server, org, { count, prefix })
  const place = (to: string) => Number(/-(\d+)@/.exec(to)?.[1])
  if (refuse) sink.options.reply = (at, to) => refuse(at, place(to))
  const body = { body: 'x', videoId, accountId: org, audience: { userIds } }
  return (await admin.call(createTransmission, { body })).body.id
}
const read = async (transmissionId: string) =>
  (await sending.admin.call(readTransmission, { params: { transmissionId } })).body
const resume = async (transmissionId: string) =>
  sending.admin.call(changeTransmission, {
    params: { transmissionId },
    body: { action: 'resume', version: (await read(transmissionId)).version },
  })
const barred = async () =>
  (await sending.admin.call(listBarredAddresses, { params: { orgId: sending.org } })).body.total
const isPaused = (id: string) =>
  until(async () => {
    const { state, counts } = await read(id)
    return state === 'paused' && counts.sending === 0
  }, 20)
const isDone = (id: string) => until(async () => (await read(id)).state === 'completed', 20)

/** What is answered where; the words of a sample say at which command it came, if not to MAIL. */
const rows: [step: Step, answer: string][] = [
  ['mail', samples.MAIL],
  ...samples.variants.map((one): [Step, string] => [
    /final dot/.test(one) ? 'body' : 'mail',
    one.replace(' (answer to the final dot)', ''),
  ]),
  // Many mail servers say only to RCPT what they think of the sender.
  ['rcpt', samples.MAIL],
  ['rcpt', '550 5.7.1 <bounces@sender.example>: Sender address rejected: not owned by user'],
  ['mail', '550 5.1.1 No such user'],
  ['body', '550 5.7.26 This mail is unauthenticated (SPF and DKIM did not pass)'],
  ['body', '554 Message rejected: Email address is not verified.'],
]

test.each(rows)(
  'a sender that is refused pauses the transmission and bars nobody: to %s, %s',
  async (step, answer) => {
    sink.options.reply = (at) => (at === step ? answer : undefined)
    const id = await sendTo(48)
    await isPaused(id)
    const paused = await read(id)
    expect(paused).toMatchObject({
      reason: 'sender_refused',
      counts: { queued: 48, rejected: 0, bounced: 0 },
    })
    expect(paused.refusal).toContain(answer.slice(4))
    expect(await barred()).toBe(0)
    sink.options.reply = () => undefined
    expect((await resume(id)).status).toBe(200)
    await isDone(id)
    expect((await read(id)).counts).toMatchObject({ accepted: 48, rejected: 0, unknown: 0 })
  },
)

test.each([
  ['body' as const, '554 5.7.1 This message looks like spam'],
  ['rcpt' as const, '550 5.7.1 Blocked by policy'],
  ['mail' as const, '552 5.3.4 Message too big for the system'],
])(
  'a message that nobody takes pauses the transmission, and all of it goes on: to %s, %s',
  async (step, answer) => {
    sink.options.reply = (at) => (at === step ? answer : undefined)
    for (const count of [1, 24]) {
      const id = await sendTo(count)
      await isPaused(id)
      const paused = await read(id)
      expect(paused).toMatchObject({ reason: 'many_rejected', counts: { queued: count, rejected: 0 } })
      expect(paused.refusal).toContain(answer.slice(4))
      expect(await barred()).toBe(0)
      sink.options.reply = () => undefined
      await resume(id)
      await isDone(id)
      expect((await read(id)).counts.accepted).toBe(count)
      sink.options.reply = (at) => (at === step ? answer : undefined)
    }
  },
)

test('one recipient of many who refuses the message stops nobody, and is told as refused', async () => {
  const id = await sendTo(30, (at, place) =>
    at === 'rcpt' && place === 1 ? '550 5.7.1 Not wanted by policy here' : undefined,
  )
  await until(async () => {
    // It is tried once more a minute later.
    await sending.server.query(
      `update deliveries set due_at = now() where transmission_id = $1 and state = 'queued' and attempt > 0`,
      [id],
    )
    return (await read(id)).state === 'completed'
  }, 20)
  expect((await read(id)).counts).toMatchObject({ accepted: 29, rejected: 1 })
  expect(await barred()).toBe(0)
})

test.each([
  ['rcpt' as const, '550 5.1.1 <x@y.example>: User unknown'],
  ['rcpt' as const, '550 User unknown'],
  ['rcpt' as const, '556 5.1.10 recipient domain does not accept mail'],
  ['body' as const, '550 5.1.1 The account that you tried to reach does not exist'],
])('nobody is there: barred, and the others go on: to %s, %s', async (step, answer) => {
  const id = await sendTo(5, (at, place) => (at === step && place === 3 ? answer : undefined))
  await isDone(id)
  expect((await read(id)).counts).toMatchObject({ accepted: 4, rejected: 1 })
  const list = { params: { orgId: sending.org } }
  expect((await sending.admin.call(listBarredAddresses, list)).body.items).toMatchObject([
    { address: expect.stringContaining('-3@'), reason: 'no_such_mailbox', kind: 'address' },
  ])
  await sending.server.query('delete from suppressions')
})

test.each([
  '552 5.2.2 Mailbox full',
  '550 5.2.1 Mailbox disabled',
  '550 5.4.1 Relay access denied to no known host',
  '550 Something that nobody understands',
])('a refusal that says nothing of the address bars nobody: %s', async (answer) => {
  const id = await sendTo(1, (at) => (at === 'rcpt' ? answer : undefined))
  await until(async () => ['completed', 'paused'].includes((await read(id)).state), 20)
  expect(await barred()).toBe(0)
})
