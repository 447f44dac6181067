import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import * as z from 'zod/mini'
import type { Services } from '../http/services.ts'
import { sends } from '../metrics/registry.ts'
import { spanned } from '../tracing/trace.ts'
import { classify, isObstacle, type MailOutcome } from './failures.ts'
import { currentMailServer, type MailSetting } from './mail-server.ts'
import { signed } from './signing.ts'
import { cut, storable } from '#contract/platform/text/text.ts'

/** An organization writes with these. What is null is as the installation has it. */
export const From = z.object({
  senderName: z.nullable(z.string()),
  replyTo: z.nullable(z.string()),
  address: z.nullable(z.string()),
  /** A mail is signed for this domain, whose owner has our key in its DNS. */
  signedFor: z.nullable(z.string()),
})
export type From = z.infer<typeof From>

/** This is a file that goes with a mail. */
export const Attachment = z.object({ name: z.string(), type: z.string(), content: z.instanceof(Buffer) })
export type Attachment = z.infer<typeof Attachment>

type Outgoing = {
  /** This is the local part of the Message-ID, the same for every try of one mail. */
  id: string
  to: { name: string; address: string }
  subject: string
  text: string
  html: string | null
  headers?: Record<string, string> | null
  attachments?: readonly Attachment[]
  /** Left out, it is as the installation writes. */
  from?: From
  /** The mail comes back to this address; left out, to the sender of the installation. */
  returnPath?: string | undefined
}

/** A mail server has a few connections, kept open between mails. */
export type MailServer = {
  connections: number
  /**
   * Sends a mail. It asks `mayLeave` (which must have committed) when all of the mail is at the server but the dot that ends it. If that
   * fails, the mail does not leave; the one who gave `mayLeave` says why.
   */
  send(mail: Outgoing, mayLeave: () => Promise<boolean>): Promise<MailOutcome>
  close(): void
}

type OpenLine = { connection: SMTPConnection; used: boolean; alive: boolean }
type Failure = Parameters<typeof classify>[0]

const timeouts = {
  connectionTimeout: 15_000,
  greetingTimeout: 15_000,
  socketTimeout: 60_000,
  dnsTimeout: 10_000,
}

/** Keeps the mail server as it is set at the moment, and dials it anew as soon as it was changed; undefined where there is none. */
export function keepDialed({ db, env, keys }: Pick<Services, 'db' | 'env' | 'keys'>) {
  let dialed: { mark: string; server: MailServer } | undefined
  const close = () => {
    dialed?.server.close()
    dialed = undefined
  }
  return {
    async now(): Promise<MailServer | undefined> {
      const setting = await db.as('system', (tx) => currentMailServer(tx, { env, keys }))
      if (setting?.mark === dialed?.mark) return dialed?.server
      close()
      dialed = setting && { mark: setting.mark, server: dial(setting) }
      return dialed?.server
    },
    close,
  }
}

/** At most this number of mails stands at its final dot at once, and is uncertain when the process dies then. */
export const mailConnections = 8

export function dial({ options: setting, from, signing }: MailSetting): MailServer {
  const options = { ...timeouts, ...setting, socketCloseTimeout: 0 }
  const sender = addressOf(from)
  const idle: OpenLine[] = []

  async function open(): Promise<OpenLine> {
    const connection = new SMTPConnection(options)
    const line = { connection, used: false, alive: true }
    connection.on('end', () => {
      line.alive = false
    })
    await new Promise<void>((resolve, reject) => {
      connection.on('error', reject)
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    const { auth } = options
    if (auth) {
      await new Promise<void>((resolve, reject) => {
        connection.login(auth, (error) => (error ? reject(error) : resolve()))
      }).catch((error: unknown) => {
        connection.close()
        throw error
      })
    }
    return line
  }

  async function lineFor(fresh: boolean): Promise<OpenLine> {
    let line = fresh ? undefined : idle.pop()
    while (line && !line.alive) line = idle.pop()
    return line ?? open()
  }

  async function send(mail: Outgoing, mayLeave: () => Promise<boolean>): Promise<MailOutcome> {
    const plain = await render(mail, from)
    const bytes = signing ? await signed(plain, { ...signing, ...domainOf(mail) }) : plain
    const returnPath = mail.returnPath ?? sender
    for (let fresh = false; ; fresh = true) {
      let line: OpenLine
      try {
        line = await lineFor(fresh)
      } catch (error) {
        return classify(failureOf(error), 'connecting')
      }
      const used = line.used
      const outcome = await transfer(line, { from: returnPath, to: mail.to.address, bytes, mayLeave })
      if (line.alive) idle.push(line)
      // A server may close a connection that waited too long; that says nothing about this mail.
      if (!used || !isObstacle(outcome)) return outcome
    }
  }

  return {
    connections: mailConnections,
    async send(mail, mayLeave) {
      const outcome = await spanned('send mail', { kind: 'client' }, () => send(mail, mayLeave))
      sends.inc({ result: outcome.kind })
      return outcome
    },
    close() {
      for (const line of idle.splice(0)) line.connection.quit()
    },
  }
}

type Transfer = { from: string; to: string; bytes: Buffer; mayLeave: () => Promise<boolean> }

async function transfer(line: OpenLine, { from, to, bytes, mayLeave }: Transfer): Promise<MailOutcome> {
  const progress: { stage: 'before' | 'handed' | 'withheld' } = { stage: 'before' }
  const message = withheldEnd(bytes, async () => {
    await flushed(line.connection)
    const allowed = await mayLeave().catch(() => false)
    await heard()
    if (!allowed) progress.stage = 'withheld'
    else if (line.alive) progress.stage = 'handed'
    return allowed
  })
  line.used = true
  const failure = await new Promise<Failure | string>((resolve) => {
    line.connection.send({ from, to: [to], size: bytes.length }, message, (error, info) => {
      resolve(error ?? info.response)
    })
  })
  if (typeof failure === 'string') return { kind: 'accepted', reply: cut(storable(failure), 500) }
  const { stage } = progress
  const outcome: MailOutcome = stage === 'withheld' ? { kind: 'withheld' } : classify(failure, stage)
  await clear(line, failure)
  return outcome
}

/** Starts the conversation anew after a refusal. Without an answer nobody knows where it stands. */
async function clear({ connection }: OpenLine, failure: Failure): Promise<void> {
  if (failure.responseCode === undefined || failure.responseCode === 421) return connection.close()
  await new Promise<void>((resolve) => {
    const done = () => {
      connection.off('end', done)
      resolve()
    }
    connection.on('end', done)
    connection.reset((error) => {
      if (error) connection.close()
      done()
    })
  })
}

/**
 * Makes a stream that ends only after `mayEnd`. Its end is the dot that makes the mail the server's. It is read after DATA was answered
 * with 354.
 */
function withheldEnd(bytes: Buffer, mayEnd: () => Promise<boolean>): Readable {
  let isGiven = false
  return new Readable({
    read() {
      if (!isGiven) {
        isGiven = true
        this.push(bytes)
        return
      }
      mayEnd().then(
        (allowed) => {
          if (!allowed) return this.destroy(new Error('The mail may not leave.'))
          return this.push(null)
        },
        (error: Error) => this.destroy(error),
      )
    },
  })
}

/** Waits until the system has taken what was written. A mail of which a part still waits in this process has not reached the server. */
async function flushed({ _socket: socket }: SMTPConnection): Promise<void> {
  await setImmediate()
  if (socket && socket.writableLength > 0)
    await new Promise<void>((resolve) => void socket.write('', () => resolve()))
}

/** Waits until what had arrived from the network is read, so that no dot leaves on a line that has broken meanwhile. */
async function heard(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

async function render(outgoing: Outgoing, sender: string): Promise<Buffer> {
  const { id, headers, attachments = [], from, returnPath: _path, ...mail } = outgoing
  const address = from?.address ?? addressOf(sender)
  const domain = address.split('@').at(-1) ?? 'localhost'
  const composer = new MailComposer({
    ...mail,
    html: mail.html ?? undefined,
    from: fromHeader(sender, { address, senderName: from?.senderName ?? null }),
    replyTo: from?.replyTo ?? undefined,
    messageId: `<${id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
    attachments: attachments.map(({ name, type, content }) => ({
      filename: name,
      contentType: type,
      content,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

const domainOf = ({ from }: Outgoing) => (from?.signedFor ? { domain: from.signedFor } : {})

type Writer = Pick<From, 'senderName' | 'address'>

function fromHeader(from: string, { senderName, address }: Writer) {
  if (senderName) return { name: senderName, address: address ?? addressOf(from) }
  return address === null || address === addressOf(from) ? from : address
}

/** Writes the sender as a mail program shows it. */
export function fromText(from: string, { senderName, address }: Writer): string {
  if (senderName) return `${senderName} <${address ?? addressOf(from)}>`
  return address ?? from
}

function addressOf(from: string): string {
  return /<([^>]+)>/.exec(from)?.[1] ?? from.trim()
}

function failureOf(error: unknown): Failure {
  return error instanceof Error ? error : new Error(String(error))
}
