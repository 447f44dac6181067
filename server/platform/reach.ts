import { lookup, Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import os from 'node:os'
import tls, { type TLSSocket } from 'node:tls'
import type { ReachFault } from '#contract/platform/reach.ts'
import type { Env } from './env.ts'

export type ReachEnv = Pick<Env, 'dnsServer' | 'webhookHosts' | 'webhookCa'>
export type Line = { socket: TLSSocket } | { fault: ReachFault }
type Place = { name: string; port: number; isTrusted: boolean }

function networks(family: 'ipv4' | 'ipv6', list: string): BlockList {
  const found = new BlockList()
  for (const one of list.split(' ')) {
    const [address = '', bits] = one.split('/')
    found.addSubnet(address, Number(bits), family)
  }
  return found
}

/** What the registry of special addresses (IANA, RFC 6890) keeps from the internet: this machine, networks of a house, multicast and the like. */
const special4 = networks(
  'ipv4',
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
)
/** All that is public today, without what leads to an IPv4 address by another name (Teredo, 6to4) or is for documents. */
const global6 = networks('ipv6', '2000::/3')
const special6 = networks('ipv6', '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20')

/** Whether an address is one of the internet, and not of this machine. What is no plain address is none. */
export function isPublic(address: string): boolean {
  if (isOwn(address)) return false
  if (isIP(address) === 4) return !special4.check(address, 'ipv4')
  // A mapped address (::ffff:10.0.0.1) is in no public network; one with a zone is of a link.
  if (isIP(address) !== 6 || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

function isOwn(address: string): boolean {
  const own = Object.values(os.networkInterfaces()).flatMap((all) => all ?? [])
  return own.some((one) => one.address === address)
}

/** Ports below are of other services: nobody has a mail server talked to from here. */
const isPort = (port: number) => port === 443 || port >= 1_024

export function placeOf(env: ReachEnv, url: URL): Place {
  const name = url.hostname.replaceAll(/^\[|\]$/g, '')
  const port = Number(url.port || 443)
  return { name, port, isTrusted: env.webhookHosts.has(`${name}:${port}`) }
}

/** Whether it can be seen without asking the DNS that it is refused. */
export function isRefusedAtOnce({ name, port, isTrusted }: Place): boolean {
  return !isTrusted && (!isPort(port) || (isIP(name) !== 0 && !isPublic(name)))
}

/**
 * IPv4 first. Names of strangers are never looked up by the system: that waits in one of the few threads that read files, too, and
 * knows names of this house.
 */
async function addressesOf(env: ReachEnv, { name, isTrusted }: Place): Promise<string[]> {
  if (isIP(name) !== 0) return [name]
  if (isTrusted && env.dnsServer === undefined)
    return (await lookup(name, { all: true, order: 'ipv4first' })).map(({ address }) => address)
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  if (env.dnsServer !== undefined) resolver.setServers([env.dnsServer])
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

const mostTried = 2
const connectMs = 5_000

/**
 * An encrypted line to where an address leads. The name is asked for once, each answer is looked at, and the line goes to that very
 * answer, so that a name which leads elsewhere a moment later changes nothing.
 */
export async function openLine(env: ReachEnv, url: URL): Promise<Line> {
  const place = placeOf(env, url)
  const addresses = await addressesOf(env, place).catch(() => [])
  if (addresses.length === 0) return { fault: 'unknown_host' }
  if (isRefusedAtOnce(place) || !(place.isTrusted || addresses.every(isPublic)))
    return { fault: 'private_address' }
  let line: Line = { fault: 'no_connection' }
  for (const address of addresses.slice(0, mostTried)) {
    line = await dial(env, place, address)
    if ('socket' in line) return line
  }
  return line
}

function dial({ webhookCa }: ReachEnv, { name, port }: Place, address: string): Promise<Line> {
  return new Promise((resolve) => {
    const socket = tls.connect({
      host: address,
      port,
      ...(isIP(name) === 0 && { servername: name }),
      ...(webhookCa !== undefined && { ca: [...tls.getCACertificates('default'), webhookCa] }),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
    })
    const fail = (fault: ReachFault) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ fault })
    }
    const timer = setTimeout(() => fail('timeout'), connectMs)
    socket.once('secureConnect', () => {
      clearTimeout(timer)
      resolve({ socket })
    })
    // Also later: what is written meanwhile is told by whoever writes.
    socket.on('error', (error) => fail(faultOf(error)))
    socket.on('close', () => fail('broken_off'))
  })
}

function faultOf(error: Error & { code?: string }): ReachFault {
  const { code = '' } = error
  if (/CERT|SELF_SIGNED|ISSUER|VERIFY|ALTNAME/.test(code)) return 'certificate'
  if (/^ERR_SSL|^EPROTO$/.test(code)) return 'no_encryption'
  if (code === 'ETIMEDOUT') return 'timeout'
  return /^E(CONNREFUSED|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL|ACCES)$/.test(code)
    ? 'no_connection'
    : 'broken_off'
}
