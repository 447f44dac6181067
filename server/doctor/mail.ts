import { Resolver } from 'node:dns/promises'
import { currentMailServer, senderOf, type MailSetting } from '../platform/jobs/mail-server.ts'
import { tryLogin } from '../identity/mail/trial.ts'
import { found, reasonOf, type Found, type Patient } from './finding.ts'

export const systemDns = () => new Resolver({ timeout: 3_000, tries: 2 })

const here = /^(localhost|127\.|\[?::1)/

async function settingOf({ db, env, keys }: Patient): Promise<MailSetting | undefined> {
  if (!db || !keys) return undefined
  return db.as('system', (tx) => currentMailServer(tx, { env, keys }))
}

/** Connects, encrypts and logs in, and sends nothing. */
export async function lookAtMail(patient: Patient): Promise<Found[]> {
  const setting = await settingOf(patient)
  if (!setting) return [found('mail_none')]
  const { host = '', secure, ignoreTLS, auth } = setting.options
  if (auth && !auth.pass) return [found('mail_password_lost')]
  const { result, answer } = await tryLogin(setting)
  if (result !== 'accepted')
    return [found('mail_refuses', { host, result, ...(answer === null ? {} : { answer }) })]
  const isPlain = !secure && ignoreTLS === true && !here.test(host)
  return [found('mail_answers', { host }), ...(isPlain ? [found('mail_unencrypted', { host })] : [])]
}

/** Names that lead nowhere outside (RFC 2606, RFC 6762), and those without a dot. */
const isLocal = (domain: string) =>
  !domain.includes('.') || /(^|\.)(test|local|localhost|invalid|internal|example)$/.test(domain)

/** What the DNS says about the domain of the sender, as receivers ask it. */
export async function lookAtSender(patient: Patient): Promise<Found[]> {
  const { db, env, keys } = patient
  if (!db || !keys) return []
  const sender = await db.as('system', (tx) => senderOf(tx, { env, keys }))
  const address = /<([^>]+)>/.exec(sender)?.[1] ?? sender.trim()
  const domain = address.split('@').at(-1)?.toLowerCase() ?? ''
  if (isLocal(domain)) return [found('sender_local', { address })]
  const mailServer = await settingOf(patient)
  try {
    if ((await known(patient.dns.resolveTxt(domain))) === undefined)
      return [found('domain_unknown', { domain })]
    return [
      ...(await spfOf(patient, domain, mailServer?.options.host ?? '')),
      await dkimOf(patient, domain),
      await dmarcOf(patient, domain),
    ]
  } catch (error) {
    return [found('dns_silent', { domain, reason: reasonOf(error) })]
  }
}

type Asking = Pick<Patient, 'dns'>

/** Undefined: there is no such name. Empty: it is there, without what was asked for. */
async function known<T>(asked: Promise<T[]>): Promise<T[] | undefined> {
  return asked.catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENODATA') return []
    if (code === 'ENOTFOUND') return undefined
    throw error
  })
}

async function recordsOf({ dns }: Asking, name: string, kind: RegExp): Promise<string[]> {
  const records = (await known(dns.resolveTxt(name))) ?? []
  return records.map((parts) => parts.join('')).filter((text) => kind.test(text))
}

async function spfOf(asking: Asking, domain: string, host: string): Promise<Found[]> {
  const records = await recordsOf(asking, domain, /^v=spf1(\s|$)/i)
  const [first] = records
  if (first === undefined) {
    const allowed = host === '' || here.test(host) ? 'mx' : `a:${host}`
    return [found('spf_missing', { domain, record: `${domain} TXT "v=spf1 ${allowed} ~all"` })]
  }
  if (records.length > 1) return [found('spf_double', { domain, count: String(records.length) })]
  return [found(/\s\+?all$/i.test(first.trim()) ? 'spf_open' : 'spf_there', { domain })]
}

/** Nobody outside knows the names of the keys; but a name above them exists only where there is one (RFC 8020). */
async function dkimOf({ dns }: Asking, domain: string): Promise<Found> {
  const isThere = (await known(dns.resolveTxt(`_domainkey.${domain}`))) !== undefined
  if (isThere) return found('dkim_there', { domain })
  return found('dkim_missing', {
    domain,
    record: `selector._domainkey.${domain} TXT "v=DKIM1; k=rsa; p=…"`,
  })
}

/** That of a domain above holds for those below. */
async function dmarcOf(asking: Asking, domain: string): Promise<Found> {
  const labels = domain.split('.')
  const names = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
  for (const name of names) {
    const records = await recordsOf(asking, `_dmarc.${name}`, /^v=DMARC1(\s|;|$)/i)
    if (records.length > 0) return found('dmarc_there', { domain })
  }
  const record = `_dmarc.${domain} TXT "v=DMARC1; p=none; rua=mailto:postmaster@${domain}"`
  return found('dmarc_missing', { domain, record })
}
