import { isIP, isIPv6, type BlockList } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** Some proxies write a port behind the address, brackets around it, or a zone: these are left out. Undefined for what is none. */
function plainAddress(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
    .replace(/%.*$/, '')
  return isIP(bare) > 0 ? bare : undefined
}

/** Who sends a request: what trusted proxies say, or, where they say nothing that is an address, the one beside this server. */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return plainAddress(ip) ?? peerOf({ socket })
}

/** The other end of the connection: a proxy, where there is one. */
export function peerOf({ socket }: Pick<FastifyRequest, 'socket'>): string {
  // A socket that has been closed meanwhile has none.
  return plainAddress(socket.remoteAddress ?? '') ?? '::'
}

/** Whether an address that a request came through is that of a proxy which is believed. */
export function trusting(proxies: BlockList): (address: string) => boolean {
  return (text) => {
    const address = plainAddress(text)
    return address !== undefined && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
}

/** /24 of an IPv4 address, /48 of an IPv6 address. */
export function networkOf(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain.split('.').slice(0, 3).join('.')
  const [head = '', tail] = plain.split('::')
  const front = head.split(':').filter((part) => part !== '')
  const back = tail === undefined ? [] : tail.split(':').filter((part) => part !== '')
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array.from({ length: zeros }, () => '0'), ...back].slice(0, 3).join(':').toLowerCase()
}
