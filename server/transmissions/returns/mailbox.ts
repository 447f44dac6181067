import { hash } from 'node:crypto'
import { withMailbox, type MailboxClient } from '../../identity/mail/imap.ts'
import { deliveryIn } from '../../identity/mail/return-path.ts'
import { returnsMailbox, noteMessage, noteVisit, type NotedMessage } from '../../identity/mail/returns.ts'
import { discardOthers, setAside, tryDue } from '../../platform/aside.ts'
import { failuresIn } from '../../platform/failures.ts'
import { outageOf } from '../../platform/db/outage.ts'
import { Refusal, refuse } from '../../platform/errors.ts'
import type { Services } from '../../platform/http/services.ts'
import { recordAgain } from './apart.ts'
import { recordEvents } from './record.ts'
import { readMessage } from './returned.ts'

type NamedMailbox = NonNullable<Awaited<ReturnType<typeof returnsMailbox>>>

/** Only the beginning of a larger message is read, because what became of a mail stands before the mail itself. */
const mostBytes = 1_000_000
/** This stays below the time after which the queue thinks that the handler is dead. */
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
  await recordAgain(services)
  const mailbox = await db.as('system', (tx) => returnsMailbox(tx, keys))
  if (!mailbox) return
  const { fault } = await withMailbox(mailbox, (client) => readNew({ services, mailbox, client }, until))
  if (fault) log.warn({ fault, host: mailbox.host }, 'the mailbox for returns cannot be read')
  await db.as('system', (tx) => noteVisit(tx, mailbox, fault ?? null))
}

type Reading = { services: Services; mailbox: NamedMailbox; client: MailboxClient }

/**
 * Reads the messages in their order, each once. After each message it writes down how far it has read, and marks as read only what it
 * understood.
 */
async function readNew(reading: Reading, until: AbortSignal): Promise<void> {
  const { mailbox, client } = reading
  const { uidValidity } = await client.mailboxOpen(mailbox.folder)
  const validity = String(uidValidity)
  for (const uid of await newIn(reading, validity)) {
    if (until.aborted) return
    const became = await takeOrSetAside(reading, { validity, uid })
    if (became === 'too_early') return
    if (became === 'taken') await markSeen(reading, uid)
    await noteRead(reading, { validity, uid, isTaken: became === 'taken' })
  }
  await takeAgain(reading, validity)
}

/**
 * Takes a message. One that cannot be taken waits for another try, and those behind it are read; a failure of the mailbox itself ends the
 * reading.
 */
async function takeOrSetAside(reading: Reading, { validity, uid }: Place): Promise<Became> {
  const { db, log } = reading.services
  const message = await fetchMessage(reading, uid)
  try {
    return await take(reading, message)
  } catch (error) {
    if (outageOf(error)) throw error
    log.error({ err: error, uid }, failure)
    await setAside(db.single, { loop: 'returns', item: `${validity} ${uid}`, input: String(uid) }, error)
    return 'left_alone'
  }
}

type Place = { validity: string; uid: number }
const failure = 'a mail that came back could not be taken; it is tried again'

/** Tries again what was set aside, also a moment ago. In a folder that was made anew the old numbers name nothing. */
async function takeAgain(reading: Reading, validity: string): Promise<void> {
  const { db, log } = reading.services
  await discardOthers(db.single, 'returns', `${validity} `)
  await tryDue(db, { loop: 'returns' }, async ({ input }) => {
    const became = await take(reading, await fetchMessage(reading, Number(input)))
    if (became === 'too_early') throw refuse('unavailable')
    if (became === 'taken') await markSeen(reading, Number(input))
  }).catch((error: unknown) => {
    for (const one of failuresIn(error)) log.error({ err: one }, failure)
  })
}

const markSeen = ({ client }: Reading, uid: number) =>
  client.messageFlagsAdd(String(uid), [String.raw`\Seen`], { uid: true })

/**
 * Finds the new messages. It begins at the first message of a folder that is new to us, or was made anew, but takes nothing from before the
 * mailbox was named.
 */
async function newIn({ mailbox, client }: Reading, validity: string): Promise<number[]> {
  const from = mailbox.uidValidity === validity ? mailbox.lastUid + 1 : 1
  const since = new Date(Date.parse(mailbox.updatedAt) - 86_400_000)
  const range = { uid: `${from}:*` }
  const found = await client.search(from === 1 ? { ...range, since } : range, { uid: true })
  // The last message is among them even where it was read already.
  return (found || []).filter((uid) => uid >= from).toSorted((a, b) => a - b)
}

type Became = 'taken' | 'left_alone' | 'too_early'

const fetchMessage = ({ client }: Reading, uid: number) =>
  client.fetchOne(
    String(uid),
    { uid: true, internalDate: true, source: { maxLength: mostBytes } },
    { uid: true },
  )
type Fetched = Awaited<ReturnType<typeof fetchMessage>>

async function take({ services, mailbox }: Reading, message: Fetched): Promise<Became> {
  const raw = message ? message.source : undefined
  const deliveryId = raw && deliveryIn(services.keys, mailbox.address, raw.toString('latin1'))
  if (!message || !raw || deliveryId === undefined) return 'left_alone'
  const { messageId = hash('sha256', raw), returned } = await readMessage(raw).catch((error: unknown) => {
    services.log.warn({ err: error, delivery: deliveryId }, 'a mail that came back could not be read')
    return { messageId: undefined, returned: undefined }
  })
  if (!returned) return 'left_alone'
  const arrived = new Date(message.internalDate ?? Date.now()).getTime()
  const at = new Date(Math.min(Math.max(arrived || Date.now(), 0), Date.now())).toISOString()
  const event = { ...returned, id: `${deliveryId} ${messageId}`, deliveryId, at }
  try {
    await recordEvents(services.db, 'mailbox', { events: [event] })
  } catch (error) {
    if (error instanceof Refusal && error.fault.code === 'unavailable') return 'too_early'
    throw error
  }
  return 'taken'
}

async function noteRead({ services, mailbox }: Reading, noted: NotedMessage): Promise<void> {
  await services.db.as('system', (tx) => noteMessage(tx, mailbox, noted))
}
