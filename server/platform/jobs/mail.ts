import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import nodemailer from 'nodemailer'
import type { FastifyBaseLogger } from 'fastify'
import * as z from 'zod/mini'
import { type Database, row, rows, type Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import type { Env } from '../env.ts'
import type { Keys } from '../keys.ts'
import { currentMailServer, hasMailServer, type MailSetting } from './mail-server.ts'
import type { Jobs } from './queue.ts'
import { Id } from '../db/rows.ts'

export const Attachment = z.object({ name: z.string(), type: z.string(), content: z.instanceof(Buffer) })
export type Attachment = z.infer<typeof Attachment>

export type Mail = {
  organizationId: string | null
  address: string
  subject: string
  text: string
  html?: string | null
  headers?: Record<string, string>
  attachments?: readonly Attachment[]
}
type Sender = { env: Env; jobs: Jobs }
type MailServices = Sender & { db: Database; keys: Keys; log: FastifyBaseLogger }

/**
 * Part of `tx`: the mail exists exactly when the transaction commits. Without a mail server it rests in the outbox for good.
 * Returns its id, by which its way can be followed.
 */
export async function queueMail(sender: Sender, tx: Tx, mail: Mail): Promise<string> {
  const [id] = await queueMails(sender, tx, [mail])
  if (id === undefined) throw new Error('The mail was not stored.')
  return id
}

/** The same for many mails at once; the ids come in their order. */
export async function queueMails(
  { env, jobs }: Sender,
  tx: Tx,
  outgoing: readonly Mail[],
): Promise<string[]> {
  if (outgoing.length === 0) return []
  const state = (await hasMailServer(tx, env)) ? 'queued' : 'resting'
  const given = outgoing.map(
    ({ organizationId, address, subject, text, html = null, headers }) =>
      sql`(${organizationId}, ${address}, ${subject}, ${text}, ${html}, ${headers ? JSON.stringify(headers) : null}::jsonb, ${state})`,
  )
  const queued = await rows(
    tx,
    Id,
    sql`insert into mails (organization_id, address, subject, text, html, headers, state) values ${sql.join(given, sql`, `)} returning id`,
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

/**
 * How a hand-over ended. `later`: certainly not accepted, worth another try. `refused`: never will be. `unknown`: the
 * connection broke after the message had begun to leave, so only the receiver knows.
 */
type HandOver = {
  outcome: 'accepted' | 'later' | 'refused' | 'unknown'
  /** SMTP code of the reply, if there was one. */
  code: number | null
  response: string
}

type Outgoing = {
  to: string
  subject: string
  text: string
  html?: string | undefined
  /** Local part of the Message-ID; the same for every try of one mail. */
  id?: string | undefined
  headers?: Record<string, string>
  attachments?: readonly Attachment[]
  /** Awaited after the server asked for the message and before its first byte leaves; when it throws, nothing is sent. */
  beforeBody?: () => Promise<void>
}

type MailTransport = { send(mail: Outgoing): Promise<HandOver>; close(): void }

/** Pooled connections to a mail server. */
export function createTransport(server: MailSetting, connections = 4): MailTransport {
  const beginnings = new Map<string, () => Promise<void>>()
  const pooled = nodemailer.createTransport({
    ...server.options,
    pool: true,
    maxConnections: connections,
    maxMessages: 1_000,
    dnsTimeout: 10_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  pooled.use('stream', (mail, done) => {
    const begin = beginnings.get(String(mail.data.messageId))
    // Readable.from is lazy: its first read comes when the server has said that it takes the message.
    mail.message.processFunc((input) => Readable.from(bodyAfter(begin, input), { objectMode: false }))
    done()
  })
  const host = /@([^\s>]+)/.exec(server.from)?.[1] ?? 'localhost'
  return {
    async send({ id, headers, attachments = [], beforeBody, ...mail }) {
      const messageId = `<${id ?? randomUUID()}@${host}>`
      let begun = false
      beginnings.set(messageId, async () => {
        await beforeBody?.()
        begun = true
      })
      try {
        const automatic = { 'Auto-Submitted': 'auto-generated', ...headers }
        const files = attachments.map(({ name, type, content }) => ({
          filename: name,
          contentType: type,
          content,
        }))
        const sent = await pooled.sendMail({
          ...mail,
          attachments: files,
          from: server.from,
          messageId,
          headers: automatic,
        })
        return { outcome: 'accepted', code: 250, response: sent.response }
      } catch (error) {
        return explain(error, begun)
      } finally {
        beginnings.delete(messageId)
      }
    },
    close: () => pooled.close(),
  }
}

async function* bodyAfter(begin: (() => Promise<void>) | undefined, input: AsyncIterable<unknown>) {
  await begin?.()
  yield* input
}

function explain(error: unknown, begun: boolean): HandOver {
  const response = error instanceof Error ? error.message : String(error)
  const kind = error instanceof Error && 'code' in error ? error.code : undefined
  const code =
    error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
      ? error.responseCode
      : null
  // A password that the server refuses is a mistake of the configuration, not of the mail.
  if (kind === 'EAUTH') return { outcome: 'later', code: null, response }
  if (code !== null) return { outcome: code < 500 ? 'later' : 'refused', code, response }
  if (kind === 'EENVELOPE') return { outcome: 'refused', code, response }
  return { outcome: begun ? 'unknown' : 'later', code, response }
}

const Claimed = z.object({
  id: z.string(),
  address: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.nullable(z.string()),
  headers: z.nullable(z.record(z.string(), z.string())),
  attempt: z.number(),
  files: z.number(),
})
type Claimed = z.infer<typeof Claimed>

/** Marks the next due mail as leaving, committed before any connection is used: a crash never sends one twice. */
const claim = sql`update mails set state = 'sending', attempt = attempt + 1, due_at = now() + interval '10 minutes'
  where id = (select id from mails where state = 'queued' and due_at <= now() order by due_at limit 1 for update skip locked)
  returning id, address, subject, text, html, headers, attempt, (select count(*)::int from mail_attachments where mail_id = mails.id) as files`

type Settled = { id: string; state: string; error: string | null; wait: number }

/** What has been tried for the last time is not kept: codes and links that let somebody in stand in it. */
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

/** The process died while these left: whether they arrived nobody knows, and twice is worse than once too few. */
const giveUpInterrupted = sql`with settled as (update mails set state = 'failed', last_error = 'interrupted while leaving', text = '', html = null
    where state = 'sending' and due_at < now() returning id)
  delete from mail_attachments where mail_id in (select id from settled)`

const waitMinutes = [1, 2, 5, 15, 30, 60] as const
const stateAfter = { accepted: 'sent', later: 'queued', refused: 'failed', unknown: 'failed' } as const
const workers = 4
/** Below the time after which the queue thinks that the handler is dead. */
const runMs = 240_000

/** What was queued for a mail server that is not there any more. */
const restAll = sql`update mails set state = 'resting' where state = 'queued'`

/** Sends what is queued, woken by `queueMail` and once a minute for what waits for another try. */
export async function startMailWorker(services: MailServices): Promise<{ stop(): Promise<void> }> {
  const { db, jobs } = services
  const connected = keepTransport(services)
  const stopping = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  await jobs.work('mail.send', async (_data, signal) => {
    const until = AbortSignal.any([signal, stopping.signal, AbortSignal.timeout(runMs)])
    await db.single.execute(giveUpInterrupted)
    const transport = await connected.now()
    running = transport
      ? Promise.all(Array.from({ length: workers }, () => drain({ services, transport, until })))
      : db.single.execute(restAll)
    await running
  })
  await jobs.schedule('mail.send', '* * * * *', {})
  return {
    async stop() {
      stopping.abort()
      await Promise.allSettled([running])
      connected.close()
    },
  }
}

/** Connections to the mail server as it is set at the moment; others as soon as it was changed. */
function keepTransport({ db, env, keys }: MailServices) {
  let kept: { mark: string; transport: MailTransport } | undefined
  const close = () => {
    kept?.transport.close()
    kept = undefined
  }
  return {
    async now(): Promise<MailTransport | undefined> {
      const server = await db.as('system', (tx) => currentMailServer(tx, { env, keys }))
      if (server?.mark === kept?.mark) return kept?.transport
      close()
      kept = server && { mark: server.mark, transport: createTransport(server, workers) }
      return kept?.transport
    },
    close,
  }
}

type MailWorker = { services: MailServices; transport: MailTransport; until: AbortSignal }

async function drain({ services, transport, until }: MailWorker): Promise<void> {
  while (!until.aborted) {
    const mail = await row(services.db.single, Claimed, claim)
    if (!mail) return
    const end = await transport.send({
      id: mail.id,
      to: mail.address,
      subject: mail.subject,
      text: mail.text,
      html: mail.html ?? undefined,
      headers: mail.headers ?? {},
      attachments: mail.files > 0 ? await attachmentsOf(services.db, mail.id) : [],
    })
    const wait = waitMinutes[Math.min(mail.attempt, waitMinutes.length) - 1] ?? 60
    const error = end.outcome === 'accepted' ? null : end.response.slice(0, 500)
    await services.db.single.execute(settle({ id: mail.id, state: stateAfter[end.outcome], error, wait }))
    if (error !== null) services.log.warn({ mail: mail.id, outcome: end.outcome, error }, 'mail not sent')
    // No answer at all: the server is away, and the rest of the queue need not find that out one by one.
    if (end.outcome === 'later' && end.code === null) return
  }
}

async function attachmentsOf(db: Database, mailId: string): Promise<Attachment[]> {
  return rows(
    db.single,
    Attachment,
    sql`select name, type, content from mail_attachments where mail_id = ${mailId} order by position`,
  )
}
