import { hash } from 'node:crypto'
import { withMailbox, type MailboxClient } from '../../identity/mail/imap.ts'
import { deliveryIn } from '../../identity/mail/return-path.ts'
import { returnsMailbox } from '../../identity/mail/returns.ts'
import { sql } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Services } from '../../platform/http/services.ts'
import { recordEvents } from './record.ts'
import { readMessage } from './returned.ts'

type NamedMailbox = NonNullable<Awaited<ReturnType<typeof returnsMailbox>>>

/** Of a larger message the beginning: what became of a mail stands before the mail itself. */
const mostBytes = 1_000_000
/** Below the time after which the queue thinks that the handler is dead. */
const runMs = 240_000

/** Reads the mailbox to which mails come back, once a minute and after it was set. */
export async function startReturns(services: Services): Promise<{ stop(): Promise<void> }> {
  const { jobs } = services
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()
  await jobs.work('mail.returns', async (_data, signal) => {
    const until = AbortSignal.any([signal, stopping.signal, AbortSignal.timeout(runMs)])
    running = readReturns(services, until)
    await running
  })
  await jobs.schedule('mail.returns', '* * * * *', {})
  return {
    async stop() {
      stopping.abort()
      await Promise.allSettled([running])
    },
  }
}

async function readReturns(services: Services, until: AbortSignal): Promise<void> {
  const { db, keys, log } = services
  const mailbox = await db.as('system', (tx) => returnsMailbox(tx, keys))
  if (!mailbox) return
  const { fault } = await withMailbox(mailbox, (client) => readNew({ services, mailbox, client }, until))
  if (fault) log.warn({ fault, host: mailbox.host }, 'the mailbox for returns cannot be read')
  await db.as('system', (tx) =>
    tx.execute(sql`update mail_returns set fault = ${fault},
        failing_since = case when ${fault}::text is not null then coalesce(failing_since, now()) end,
        read_at = case when ${fault}::text is null then now() else read_at end
      where updated_at = ${mailbox.updatedAt}`),
  )
}

type Reading = { services: Services; mailbox: NamedMailbox; client: MailboxClient }

/** In their order, each once: how far it was read is written down after each message, and only what was understood is marked as read. */
async function readNew(reading: Reading, until: AbortSignal): Promise<void> {
  const { mailbox, client } = reading
  const { uidValidity } = await client.mailboxOpen(mailbox.folder)
  const validity = String(uidValidity)
  for (const uid of await newIn(reading, validity)) {
    if (until.aborted) return
    const became = await take(reading, uid)
    if (became === 'too_early') return
    if (became === 'taken') await client.messageFlagsAdd(String(uid), [String.raw`\Seen`], { uid: true })
    await noteRead(reading, { validity, uid, isTaken: became === 'taken' })
  }
}

/** From the folder's beginning when it is new to us, or was made anew; but nothing from before the mailbox was named. */
async function newIn({ mailbox, client }: Reading, validity: string): Promise<number[]> {
  const from = mailbox.uidValidity === validity ? mailbox.lastUid + 1 : 1
  const since = new Date(Date.parse(mailbox.updatedAt) - 86_400_000)
  const range = { uid: `${from}:*` }
  const found = await client.search(from === 1 ? { ...range, since } : range, { uid: true })
  // The last message is among them even where it was read already.
  return (found || []).filter((uid) => uid >= from).toSorted((a, b) => a - b)
}

type Became = 'taken' | 'left_alone' | 'too_early'

async function take({ services, mailbox, client }: Reading, uid: number): Promise<Became> {
  const message = await client.fetchOne(
    String(uid),
    { uid: true, internalDate: true, source: { maxLength: mostBytes } },
    { uid: true },
  )
  const raw = message ? message.source : undefined
  const deliveryId = raw && deliveryIn(services.keys, mailbox.address, raw.toString('latin1'))
  if (!message || !raw || deliveryId === undefined) return 'left_alone'
  const { messageId = hash('sha256', raw), returned } = await readMessage(raw).catch(() => ({
    messageId: undefined,
    returned: undefined,
  }))
  if (!returned) return 'left_alone'
  const arrived = new Date(message.internalDate ?? Date.now()).getTime()
  const at = new Date(Math.min(arrived || Date.now(), Date.now())).toISOString()
  const event = { ...returned, id: `${deliveryId} ${messageId}`, deliveryId, at }
  try {
    await recordEvents(services.db, 'mailbox', { events: [event] })
  } catch (error) {
    if (error instanceof Refusal && error.fault.code === 'unavailable') return 'too_early'
    throw error
  }
  return 'taken'
}

type Noted = { validity: string; uid: number; isTaken: boolean }

/** Unless another mailbox was named meanwhile. */
async function noteRead({ services, mailbox }: Reading, { validity, uid, isTaken }: Noted): Promise<void> {
  await services.db.as('system', (tx) =>
    tx.execute(sql`update mail_returns set uid_validity = ${validity}, last_uid = ${uid},
        taken = taken + ${isTaken ? 1 : 0}, left_alone = left_alone + ${isTaken ? 0 : 1}
      where updated_at = ${mailbox.updatedAt} and (uid_validity is distinct from ${validity} or last_uid < ${uid})`),
  )
}
