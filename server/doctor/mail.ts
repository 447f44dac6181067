import { currentMailServer, senderOf, type MailSetting } from '../platform/jobs/mail-server.ts'
import {
  dkimOf,
  dkimRecord,
  dmarcOf,
  dmarcRecord,
  domainOf,
  isLocalDomain,
  isThisMachine,
  spfOf,
  spfRecord,
  textsAt,
} from '../identity/mail/dns.ts'
import { withMailbox } from '../identity/mail/imap.ts'
import { returnsMailbox } from '../identity/mail/returns.ts'
import { signingKey } from '../identity/mail/signing.ts'
import type { DnsRecord } from '#contract/identity/mail-signing.ts'
import { tryLogin } from '../identity/mail/trial.ts'
import { found, reasonOf, type Found, type Patient } from './finding.ts'

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
  const isPlain = !secure && ignoreTLS === true && !isThisMachine(host)
  return [found('mail_answers', { host }), ...(isPlain ? [found('mail_unencrypted', { host })] : [])]
}

/** Opens the mailbox to which mails come back, and changes nothing in it. */
export async function lookAtReturns({ db, keys }: Patient): Promise<Found[]> {
  const mailbox = db && keys && (await db.as('system', (tx) => returnsMailbox(tx, keys)))
  if (!mailbox) return [found('returns_none')]
  if (mailbox.password === '') return [found('returns_password_lost')]
  const { host, folder } = mailbox
  const reached = await withMailbox(mailbox, (client) => client.mailboxOpen(folder, { readOnly: true }))
  if (reached.fault !== null) return [found('returns_unreadable', { host, fault: reached.fault })]
  return [found('returns_read', { host, count: String(reached.found.exists) })]
}

/** What the DNS says about the domain of the sender, as receivers ask it. */
export async function lookAtSender(patient: Patient): Promise<Found[]> {
  const { db, env, keys, dns } = patient
  if (!db || !keys) return []
  const sender = await db.as('system', (tx) => senderOf(tx, { env, keys }))
  const address = /<([^>]+)>/.exec(sender)?.[1] ?? sender.trim()
  const domain = domainOf(address)
  if (isLocalDomain(domain)) return [found('sender_local', { address })]
  try {
    if ((await textsAt(dns, domain)) === undefined) return [found('domain_unknown', { domain })]
    return [await spf(patient, domain), await dkim(patient, domain), await dmarc(patient, domain)]
  } catch (error) {
    return [found('dns_silent', { domain, reason: reasonOf(error) })]
  }
}

const written = ({ name, value }: DnsRecord) => `${name} TXT "${value}"`

async function spf(patient: Patient, domain: string): Promise<Found> {
  const { state, count } = await spfOf(patient.dns, domain)
  if (state === 'double') return found('spf_double', { domain, count: String(count) })
  if (state !== 'missing') return found(`spf_${state}`, { domain })
  const host = (await settingOf(patient))?.options.host ?? ''
  return found('spf_missing', { domain, record: written(spfRecord(domain, host)) })
}

/** Of our own key the name is known. Of others it is not; but a name above them exists only where there is one (RFC 8020). */
async function dkim({ db, dns }: Patient, domain: string): Promise<Found> {
  const key = await db?.as('system', signingKey)
  if (key?.isOn) {
    const record = dkimRecord(key.domain, key)
    const state = await dkimOf(dns, record)
    if (state === 'there') return found('dkim_there', { domain: key.domain })
    return found('dkim_unpublished', { domain: key.domain, record: written(record) })
  }
  if ((await textsAt(dns, `_domainkey.${domain}`)) !== undefined) return found('dkim_there', { domain })
  return found('dkim_missing', { domain })
}

async function dmarc({ dns }: Patient, domain: string): Promise<Found> {
  if ((await dmarcOf(dns, domain)) === 'there') return found('dmarc_there', { domain })
  return found('dmarc_missing', { domain, record: written(dmarcRecord(domain)) })
}
