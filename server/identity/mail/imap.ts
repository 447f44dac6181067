import { ImapFlow } from 'imapflow'
import type { MailReturnFault, MailReturnsInput } from '#contract/identity/mail-returns.ts'

export type Mailbox = Pick<MailReturnsInput, 'host' | 'port' | 'encryption' | 'user' | 'folder'> & {
  password: string
}
export type MailboxClient = ImapFlow
export type Reached<T> = { found: T; fault: null } | { found: null; fault: MailReturnFault }

const patience = { connectionTimeout: 8_000, greetingTimeout: 5_000, socketTimeout: 30_000 }
/** What a server may have this process hold at once. */
const bounds = { maxLineLength: 100_000, maxLiteralSize: 4_000_000, maxResponseSize: 8_000_000 }

/** Logs in to a mailbox for some work, and out again; in a word why that did not go. */
export async function withMailbox<T>(
  { host, port, encryption, user, password }: Mailbox,
  work: (client: ImapFlow) => Promise<T>,
): Promise<Reached<T>> {
  const client = new ImapFlow({
    host,
    port,
    secure: encryption === 'tls',
    doSTARTTLS: encryption === 'starttls',
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    ...patience,
    ...bounds,
  })
  // The call that was under way fails as well, and tells of it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const found = await work(client)
    await client.logout().catch(() => undefined)
    return { found, fault: null }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    return { found: null, fault }
  } finally {
    client.close()
  }
}

const byCode: Record<string, MailReturnFault> = {
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  ECONNREFUSED: 'no_connection',
  EHOSTUNREACH: 'no_connection',
  ENETUNREACH: 'no_connection',
  CONNECT_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  ETIMEOUT: 'timeout',
  GREETING_TIMEOUT: 'no_mailbox_server',
  UPGRADE_TIMEOUT: 'no_encryption',
  STARTTLS_INJECTION: 'no_encryption',
  EPROTO: 'no_encryption',
  ECONNRESET: 'broken_off',
  EPIPE: 'broken_off',
  NoConnection: 'broken_off',
  EConnectionClosed: 'broken_off',
  ClosedAfterConnectText: 'no_mailbox_server',
  ClosedAfterConnectTLS: 'no_encryption',
  MissingServerExtension: 'no_encryption',
}
/** What speaks, and not as a mailbox does. */
const garbled =
  /^(?:Parser|MAX_IMAP|Line|Literal|Response|TooMany|Invalid|Unexpected|MissingTag|DownloadOverflow)/

type Failure = Error & {
  code?: unknown
  authenticationFailed?: boolean
  tlsFailed?: boolean
  mailboxMissing?: boolean
  responseStatus?: string
}

/** Undefined: it is no fault of the mailbox. */
function faultOf(error: unknown): MailReturnFault | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, authenticationFailed, tlsFailed, mailboxMissing, responseStatus, message }: Failure = error
  const name = typeof code === 'string' ? code : ''
  if (authenticationFailed) return 'login_refused'
  if (mailboxMissing || responseStatus === 'NO') return 'no_folder'
  if (/certificate|altnames|self.signed/i.test(message) || name.includes('CERT')) return 'certificate'
  if (tlsFailed || name.startsWith('ERR_SSL')) return 'no_encryption'
  if (garbled.test(name)) return 'no_mailbox_server'
  return byCode[name] ?? (responseStatus === 'BAD' ? 'broken_off' : undefined)
}
