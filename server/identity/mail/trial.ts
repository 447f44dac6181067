import nodemailer from 'nodemailer'
import type { Reply } from '#contract/endpoint.ts'
import type { Language } from '#contract/platform/text/languages.ts'
import type { MailTestResult, sendTestMail } from '#contract/identity/mail-server.ts'
import { audit, ofInstallation } from '../../platform/http/audit.ts'
import type { Requester } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { takeTry, testMailLimits } from '../limit.ts'
import { languageOfPerson } from '../mail-language.ts'
import { compose, greeting } from '../mails.ts'
import { signatureBy } from '../../platform/jobs/signing.ts'
import { returnPathOf } from './return-path.ts'
import { returnsAddress } from './returns.ts'
import { currentMailServer, type MailSetting } from '../../platform/jobs/mail-server.ts'
import { sayIn } from '../../platform/messages.ts'
import { cut, storable } from '#contract/platform/text/text.ts'

type TrialAnswer = Reply<typeof sendTestMail>
type Outcome = Pick<TrialAnswer, 'result' | 'answer'>

/** A mail to whoever asks for it, by the server as it is set, past the queue: its answer is told at once. */
export async function tryMailServer(services: Services, by: Requester): Promise<TrialAnswer> {
  const { db, keys } = services
  const { caller } = by
  const { setting, language, returns } = await db.as('system', async (tx) => {
    await takeTry(tx, testMailLimits(keys, caller.userId))
    return {
      setting: await currentMailServer(tx, services),
      language: await languageOfPerson(tx, caller.userId),
      returns: await returnsAddress(tx),
    }
  })
  const to = caller.email
  const outcome = setting
    ? await send(services, setting, { to, language, returns })
    : ({ result: 'no_server', answer: null } as const)
  await db.as('system', (tx) =>
    audit(tx, by, { ...ofInstallation, action: 'mail_server.tested', after: { to, result: outcome.result } }),
  )
  return { ...outcome, to }
}

const patience = {
  dnsTimeout: 5_000,
  connectionTimeout: 8_000,
  greetingTimeout: 5_000,
  socketTimeout: 15_000,
}

function transportOf({ options, signing }: MailSetting) {
  return nodemailer.createTransport({
    ...options,
    ...patience,
    ...(signing && { dkim: signatureBy(signing) }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Connects, encrypts and logs in as for a mail, and sends none. */
export async function tryLogin(setting: MailSetting): Promise<Outcome> {
  const transport = transportOf(setting)
  try {
    await transport.verify()
    return { result: 'accepted', answer: null }
  } catch (error) {
    return outcomeOf(error instanceof Error ? error : new Error(String(error)))
  } finally {
    transport.close()
  }
}

type Reader = {
  to: string
  language: Language
  /** Where mails of transmissions come back to, which the mail server has to let be a return path. */
  returns: string | undefined
}

/** Of no delivery. */
const nobody = '00000000-0000-0000-0000-000000000000'

async function send(
  { env, keys }: Services,
  setting: MailSetting,
  { to, language, returns }: Reader,
): Promise<Outcome> {
  const { options, from } = setting
  const transport = transportOf(setting)
  const say = sayIn(language, 'account')
  const product = env.productName
  const mail = compose(env, {
    language,
    subject: say('trial', { product }),
    lines: [greeting(say, null), say('trialLeft', { product, host: String(options.host) })],
    end: say('trialEnd'),
  })
  try {
    const sent = await transport.sendMail({
      ...mail,
      to,
      from,
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...(returns !== undefined && { envelope: { from: returnPathOf(keys, returns, nobody), to } }),
    })
    return { result: 'accepted', answer: cut(storable(sent.response), 300) }
  } catch (error) {
    return outcomeOf(error instanceof Error ? error : new Error(String(error)))
  } finally {
    transport.close()
  }
}

type Failure = Error & {
  code?: string
  /** Of the system, before the mailer gave it its own. */
  originalCode?: string
  command?: string
  response?: string
  responseCode?: number
}

/** Only what a mail server says in the words of its protocol is shown, never what something else sends on that port. */
function outcomeOf(failure: Failure): Outcome {
  const answer =
    failure.responseCode !== undefined && failure.response ? cut(storable(failure.response), 300) : null
  return { result: resultOf(failure), answer }
}

const byCode: Record<string, MailTestResult> = {
  EDNS: 'unknown_host',
  EAUTH: 'login_refused',
  ENOAUTH: 'login_refused',
  EPROTOCOL: 'no_mail_server',
  EMESSAGE: 'mail_refused',
}
const bySystemCode: Record<string, MailTestResult> = {
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'broken_off',
  EPIPE: 'broken_off',
}
const byCommand: Record<string, MailTestResult> = {
  'MAIL FROM': 'sender_refused',
  'RCPT TO': 'recipient_refused',
  DATA: 'mail_refused',
}

function resultOf({ code = '', originalCode = '', command = '', message }: Failure): MailTestResult {
  if (/certificate|altnames|self.signed/i.test(message) || /CERT/.test(originalCode)) return 'certificate'
  if (code === 'EENVELOPE') return byCommand[command] ?? 'mail_refused'
  if (code === 'ETIMEDOUT') return /greeting/i.test(message) ? 'no_mail_server' : 'timeout'
  if (code === 'ETLS' || /^ERR_SSL|^EPROTO$/.test(originalCode)) return 'no_encryption'
  if (code === 'ESOCKET') return bySystemCode[originalCode] ?? 'no_connection'
  return byCode[code] ?? 'broken_off'
}
