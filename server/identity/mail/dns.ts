import { Resolver } from 'node:dns/promises'
import type { DkimState, DmarcState, DnsRecord, SpfState } from '#contract/identity/mail-signing.ts'
import type { Env } from '../../platform/env.ts'

/** What is asked about the domain of a sender, as receivers of its mails ask it. */
export type Dns = { resolveTxt(name: string): Promise<string[][]> }

export function dnsOf({ dnsServer }: Pick<Env, 'dnsServer'>): Dns {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  if (dnsServer !== undefined) resolver.setServers([dnsServer])
  return {
    resolveTxt: (name) =>
      dnsServer !== undefined || !isLocalDomain(name) ? resolver.resolveTxt(name) : nowhere(),
  }
}

/** Nobody outside is asked about a name that leads nowhere outside. */
async function nowhere(): Promise<never> {
  throw Object.assign(new Error('a name of this network'), { code: 'ENOTFOUND' })
}

/** Undefined: there is no such name. Empty: it is there, without what was asked for. Throws where the DNS does not answer. */
export async function textsAt(dns: Dns, name: string): Promise<string[] | undefined> {
  try {
    return (await dns.resolveTxt(name)).map((parts) => parts.join(''))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENODATA') return []
    if (code === 'ENOTFOUND') return undefined
    throw error
  }
}

async function recordsAt(dns: Dns, name: string, kind: RegExp): Promise<string[]> {
  return ((await textsAt(dns, name)) ?? []).filter((text) => kind.test(text))
}

export async function spfOf(dns: Dns, domain: string): Promise<{ state: SpfState; count: number }> {
  const records = await recordsAt(dns, domain, /^v=spf1(\s|$)/i)
  const [first] = records
  const count = records.length
  if (first === undefined) return { state: 'missing', count }
  if (count > 1) return { state: 'double', count }
  return { state: /\s\+?all$/i.test(first.trim()) ? 'open' : 'there', count }
}

/** That of a domain above holds for those below. */
export async function dmarcOf(dns: Dns, domain: string): Promise<DmarcState> {
  const labels = domain.split('.')
  const names = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
  for (const name of names) {
    const records = await recordsAt(dns, `_dmarc.${name}`, /^v=DMARC1(\s|;|$)/i)
    if (records.length > 0) return 'there'
  }
  return 'missing'
}

const keyIn = (record: string) => /(?:^|;)\s*p=([^;]*)/i.exec(record)?.[1]?.replaceAll(/\s/g, '')

/** Whether our key is where receivers look for it. */
export async function dkimOf(dns: Dns, { name, value }: DnsRecord): Promise<DkimState> {
  const records = ((await textsAt(dns, name)) ?? []).filter((text) => keyIn(text) !== undefined)
  if (records.length === 0) return 'missing'
  return records.length === 1 && keyIn(records[0] ?? '') === keyIn(value) ? 'there' : 'other'
}

const here = /^(localhost|127\.|\[?::1)/
export const isThisMachine = (host: string) => here.test(host)

export const spfRecord = (domain: string, host: string): DnsRecord => ({
  name: domain,
  value: `v=spf1 ${host === '' || isThisMachine(host) ? 'mx' : `a:${host}`} ~all`,
})

export const dmarcRecord = (domain: string): DnsRecord => ({
  name: `_dmarc.${domain}`,
  value: `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`,
})

export const dkimRecord = (domain: string, key: { selector: string; publicKey: string }): DnsRecord => ({
  name: `${key.selector}._domainkey.${domain}`,
  value: `v=DKIM1; k=rsa; p=${key.publicKey}`,
})

/** Names that lead nowhere outside (RFC 2606, RFC 6762), and those without a dot. */
export const isLocalDomain = (domain: string) =>
  !domain.includes('.') || /(^|\.)(test|local|localhost|invalid|internal|example)$/.test(domain)

export const domainOf = (address: string) => address.split('@').at(-1)?.toLowerCase() ?? ''
