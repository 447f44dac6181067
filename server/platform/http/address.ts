import { isIP, type BlockList } from 'node:net'
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
  // A socket that has been closed meanwhile has none.
  return plainAddress(ip) ?? plainAddress(socket.remoteAddress ?? '') ?? '::'
}

/** Whether an address that a request came through is that of a proxy which is believed. */
export function trusting(proxies: BlockList): (address: string) => boolean {
  return (text) => {
    const address = plainAddress(text)
    return address !== undefined && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
}
