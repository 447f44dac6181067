import type { Erase } from '../erasing.ts'
import type { FastifyBaseLogger } from 'fastify'
import * as z from 'zod/mini'
import { eachApart, isFree } from '../aside.ts'
import { type Database, requireRow, row, rows, type Tx } from '../db/client.ts'
import { outageOf } from '../db/outage.ts'
import { sql } from '../db/sql.ts'
import type { Env } from '../env.ts'
import { toTheEnd } from '../failures.ts'
import type { Keys } from '../keys.ts'
import { isObstacle, type MailOutcome } from './failures.ts'
import { hasMailServer } from './mail-server.ts'
import type { Jobs } from './queue.ts'
import { Attachment, keepDialed, type MailServer } from './smtp.ts'
import { Id } from '../db/rows.ts'

export type Mail = {
  organizationId: string | null
  address: string
  subject: string
  text: string
  html?: string | null
  headers?: Record<string, string>
  /** It leaves under this name; left out, under that of the installation. */
  senderName?: string | null
  /** It leaves from this address; left out, from that of the installation. */
  senderAddress?: string | null
  attachments?: readonly Attachment[]
}
type Sender = { env: Env; jobs: Jobs }
type MailServices = Sender & { db: Database; keys: Keys; log: FastifyBaseLogger }

/**
 * Queues a mail as part of `tx`, so that it exists exactly when the transaction commits. Without a mail server it rests in the outbox for
 * good. Returns its id, by which its way can be followed.
 */
export async function queueMail(sender: Sender, tx: Tx, mail: Mail): Promise<string> {
  const [id] = await queueMails(sender, tx, [mail])
  if (id === undefined) throw new Error('The mail was not stored.')
  return id
}

/** Does the same for many mails at once. The ids come in their order. */
export async function queueMails(
  { env, jobs }: Sender,
  tx: Tx,
  outgoing: readonly Mail[],
): Promise<string[]> {
  if (outgoing.length === 0) return []
  const state = (await hasMailServer(tx, env)) ? 'queued' : 'resting'
  const given = outgoing.map(
    ({
      organizationId,
      address,
      subject,
      text,
      html = null,
      headers,
      senderName = null,
      senderAddress = null,
    }) =>
      sql`(${organizationId}, ${address}, ${subject}, ${text}, ${html}, ${headers ? JSON.stringify(headers) : null}::jsonb, ${senderName}, ${senderAddress}, ${state})`,
  )
  const queued = await rows(
    tx,
    Id,
    sql`insert into mails (organization_id, address, subject, text, html, headers, sender_name, sender_address, state) values ${sql.join(given, sql`, `)} returning id`,
  )
  const files = queued.flatMap(({ id }, n) => {
    const { organizationId = null, attachments = [] } = outgoing[n] ?? {}
    return attachments.map(
      ({ name, type, content }, position) =>
        sql`(${id}, ${position}, ${organizationId}, ${name}, ${type}, ${content})`,
    )
  })
  if (files.length > 0)
    await tx.execute(
      sql`insert into mail_attachments (mail_id, position, organization_id, name, type, content) values ${sql.join(files, sql`, `)}`,
    )
  if (state === 'queued') await jobs.send(tx, 'mail.send', {})
  return queued.map(({ id }) => id)
}

const Leaving = z.object({
  address: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.nullable(z.string()),
  headers: z.nullable(z.record(z.string(), z.string())),
  senderName: z.nullable(z.string()),
  senderAddress: z.nullable(z.string()),
  signedFor: z.nullable(z.string()),
  files: z.number(),
})

const leaving = (id: string) =>
  sql`select address, subject, text, html, headers, sender_name as "senderName", sender_address as "senderAddress",
    (select split_part(s.address, '@', 2) from mail_senders s where s.organization_id = m.organization_id
      and s.address = m.sender_address and s.dkim = 'there') as "signedFor", (select count(*)::int from mail_attachments where mail_id = m.id) as files
    from mails m where id = ${id}`

const DueMail = z.object({ id: z.string(), organizationId: z.nullable(z.string()) })
type DueMail = z.infer<typeof DueMail>

const nameOf = ({ id, organizationId }: DueMail) => ({ item: `mail ${id}`, organizationId })

const dueIn = (state: 'queued' | 'sending') =>
  sql`select id, organization_id as "organizationId" from mails where state = ${sql.raw(`'${state}'`)} and due_at <= now()
    and ${isFree('sending', sql`'mail ' || id`)} order by due_at limit 100`

const Claimed = z.object({ attempt: z.number() })

/** Marks a due mail as leaving. It is committed before any connection is used, so that a crash never sends one twice. */
const claim = (id: string) =>
  sql`update mails set state = 'sending', attempt = attempt + 1, due_at = now() + interval '10 minutes'
    where id = ${id} and state = 'queued' and due_at <= now() returning attempt`

type Settled = { id: string; state: string; error: string | null; wait: number }

/**
 * Settles a mail. The text of one that has been tried for the last time is not kept, because codes and links that let somebody in stand in
 * it.
 */
const settle = ({ id, state, error, wait }: Settled) =>
  sql`with settled as (update mails set last_error = ${error}, due_at = now() + make_interval(mins => ${wait}),
    sent_at = case when next.state = 'sent' then now() end,
    state = next.state,
    text = case when next.state = 'queued' then text else '' end,
    html = case when next.state = 'queued' then html end
  from (select case when ${state} = 'queued' and created_at < now() - interval '24 hours' then 'failed' else ${state} end as state
    from mails where id = ${id}) next
  where id = ${id} and mails.state = 'sending' returning id, mails.state)
  delete from mail_attachments where mail_id in (select id from settled where state <> 'queued')`

/**
 * Gives up mails that were leaving when the process died. Nobody knows whether they arrived, and sending one twice is worse than not
 * sending it.
 */
async function giveUpInterrupted(db: Database): Promise<void> {
  const interrupted = await rows(db.single, DueMail, dueIn('sending'))
  await eachApart({ db, loop: 'sending', nameOf }, interrupted, ({ id }) =>
    db.single.execute(settle({ id, state: 'failed', error: 'interrupted while leaving', wait: 0 })),
  )
}

const waitMinutes = [1, 2, 5, 15, 30, 60] as const
/** A mail that was not taken for another reason than these waits for another try. */
const stateAfter: Partial<Record<MailOutcome['kind'], string>> = {
  accepted: 'sent',
  rejected: 'failed',
  refused: 'failed',
  unknown: 'failed',
}
const workers = 4
/** This stays below the time after which the queue thinks that the handler is dead. */
const runMs = 240_000

/** Mails that were queued for a mail server which is not there any more rest in the outbox. */
const restAll = sql`update mails set state = 'resting' where state = 'queued'`

/** Sends what is queued, woken by `queueMail` and once a minute for what waits for another try. */
export async function startMailWorker(services: MailServices): Promise<{ stop(): Promise<void> }> {
  const { db, jobs } = services
  const dialed = keepDialed(services)
  const stopping = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  await jobs.work('mail.send', async (_data, signal) => {
    const until = AbortSignal.any([signal, stopping.signal, AbortSignal.timeout(runMs)])
    const mailServer = await dialed.now()
    running = toTheEnd([
      () => giveUpInterrupted(db),
      () => (mailServer ? drain({ services, mailServer, until }) : db.single.execute(restAll)),
    ])
    await running
  })
  await jobs.schedule('mail.send', '* * * * *', {})
  return {
    async stop() {
      stopping.abort()
      await Promise.allSettled([running])
      dialed.close()
    },
  }
}

type MailWorker = { services: MailServices; mailServer: MailServer; until: AbortSignal }

/** Sends what is due. A mail whose row cannot be written is set aside, and those behind it leave. */
async function drain({ services, mailServer, until }: MailWorker): Promise<void> {
  const { db } = services
  const obstacle = new AbortController()
  const worker = { services, mailServer, until: AbortSignal.any([until, obstacle.signal]) }
  while (!worker.until.aborted) {
    const due = await rows(db.single, DueMail, dueIn('queued'))
    if (due.length === 0) return
    const lanes = Array.from({ length: workers }, (_, lane) =>
      eachApart(
        { db, loop: 'sending', nameOf },
        due.filter((_one, at) => at % workers === lane),
        async (one) => {
          // An obstacle stops everybody, because the rest of the queue need not find it out one by one.
          if (await isHindered(worker, one)) obstacle.abort()
        },
      ),
    )
    await Promise.allSettled(lanes)
    await Promise.all(lanes)
  }
}

/** Sends one. Returns true when what hindered it hinders every other. */
async function isHindered({ services, mailServer, until }: MailWorker, { id }: DueMail): Promise<boolean> {
  const { db, log } = services
  if (until.aborted) return false
  const claimed = await row(db.single, Claimed, claim(id))
  if (!claimed) return false
  const outcome = await unlessOdd(log, id, async () => {
    const found = await requireRow(db.single, Leaving, leaving(id))
    const { address, files, senderName, senderAddress, signedFor, ...mail } = found
    const from = { senderName, replyTo: null, address: senderAddress, signedFor }
    const attachments = files > 0 ? await filesOf(db, id) : []
    return mailServer.send({ ...mail, id, to: { name: '', address }, attachments, from }, async () => true)
  })
  const wait = waitMinutes[Math.min(claimed.attempt, waitMinutes.length) - 1] ?? 60
  const error = 'reply' in outcome && outcome.kind !== 'accepted' ? outcome.reply : null
  await db.single.execute(settle({ id, state: stateAfter[outcome.kind] ?? 'queued', error, wait }))
  if (error !== null) log.warn({ mail: id, outcome: outcome.kind, error }, 'mail not sent')
  return isObstacle(outcome)
}

/** Refuses a mail that cannot be put together, so that those behind it leave. */
async function unlessOdd(
  log: MailServices['log'],
  id: string,
  work: () => Promise<MailOutcome>,
): Promise<MailOutcome> {
  try {
    return await work()
  } catch (error) {
    if (outageOf(error)) throw error
    log.error({ err: error, mail: id }, 'a mail could not be put together')
    return { kind: 'rejected', code: null, reply: 'It could not be put together.', address: false }
  }
}

function filesOf(db: Database, mailId: string): Promise<Attachment[]> {
  return rows(
    db.single,
    Attachment,
    sql`select name, type, content from mail_attachments where mail_id = ${mailId} order by position`,
  )
}

/** Drops a mail that nobody shall get after all, before its transaction ends. */
export const dropMail = (tx: Tx, id: string | null) =>
  tx.execute(sql`delete from mails where id = ${id}::uuid`)

/** Sends what waits because of a wrong setting now, because it need not wait for its hour. */
export async function sendWaitingNow(tx: Tx, { jobs }: Pick<MailServices, 'jobs'>): Promise<void> {
  await tx.execute(sql`update mails set due_at = now() where state = 'queued' and due_at > now()`)
  await jobs.send(tx, 'mail.send', {})
}

type Resting = { id: string; address: string; subject: string; text: string; html: string }

/** Keeps the mails of an installation without a mail server, by the ids of their deliveries, once for each, whatever happens. */
export const keepResting = (tx: Tx, organizationId: string, mails: readonly Resting[]) =>
  tx.execute(
    sql`insert into mails (organization_id, delivery_id, address, subject, text, html, state, sent_at)
      select ${organizationId}, g.id, g.address, g.subject, g.text, g.html, 'resting', now()
      from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb) as g(id uuid, address text, subject text, text text, html text)
      on conflict (delivery_id) do nothing`,
  )

export const eraseMails: Erase = ({ theirMails }) => [
  sql`delete from mail_attachments f using ${theirMails} where f.mail_id = theirs.id`,
  sql`update mails m set address = theirs.address, subject = '', text = '', html = null, headers = null, last_error = null
    from ${theirMails} where m.id = theirs.id`,
]
