import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type Mail = {
  to: string
  from: string
  messageId: string
  subject: string
  text: string
  html: string
}

/** A real mail server that keeps what it accepts. */
export type Mailbox = {
  url: string
  mails: Mail[]
  to(address: string): Promise<Mail>
  close(): Promise<void>
}

/** `delayMs` makes every acceptance slow, as real servers are. */
export async function openMailbox(delayMs = 0): Promise<Mailbox> {
  const mails: Mail[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString()
        for (const recipient of session.envelope.rcptTo) mails.push({ to: recipient.address, ...parse(raw) })
        setTimeout(done, delayMs)
      })
    },
  })
  // A sender that is killed breaks its line; that is its business.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    to: (address) => waitFor(() => mails.find((mail) => mail.to === address), `a mail to ${address}`),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Asks until there is an answer; at most 30 seconds. */
export async function waitFor<T>(
  ask: () => T | undefined | Promise<T | undefined>,
  what: string,
): Promise<T> {
  const end = Date.now() + 30_000
  while (Date.now() < end) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  }
  throw new Error(`waited in vain for ${what}`)
}

function parse(raw: string): Omit<Mail, 'to'> {
  const [head = ''] = raw.split('\r\n\r\n')
  const header = (name: string) =>
    new RegExp(`^${name}: (.*)$`, 'im').exec(head.replaceAll(/\r\n\s+/g, ' '))?.[1]?.trim() ?? ''
  return {
    from: header('from'),
    messageId: header('message-id'),
    subject: header('subject'),
    text: partOf(raw, 'text/plain'),
    html: partOf(raw, 'text/html'),
  }
}

/** One part, or the whole message where there is one part only. */
function partOf(raw: string, type: 'text/plain' | 'text/html'): string {
  const parts = raw.split(/\r\n--[^\r\n]+\r\n/)
  const part = parts.find((candidate) => new RegExp(`^content-type: ${type}`, 'im').test(candidate)) ?? raw
  const split = part.indexOf('\r\n\r\n')
  const body = part.slice(split + 4)
  const encoding = /^content-transfer-encoding: (\S+)/im.exec(part.slice(0, split))?.[1]?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
