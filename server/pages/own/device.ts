import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../platform/http/services.ts'
import { findByHash, type Owner } from './owner.ts'

const days = 180

/** A device keeps this once a code was typed on it: the hash of the link, the end (epoch seconds), and our signature. */
const form = /^([\da-f]{64})\.(\d{10})\.([\w-]{43})$/

const isEncrypted = ({ env }: Services) => env.publicUrl?.startsWith('https:') ?? false
/** With `__Host-` no neighbour below the same domain can plant a cookie. Browsers take such a name with HTTPS and the path `/` only. */
const nameOf = (services: Services) => (isEncrypted(services) ? '__Host-training' : 'training')

/** A device is open for one person in one organization and for the mailbox that got the code, by the link that was in front of it. */
const signed = ({ linkHash, userId, organizationId, email }: Owner, until: string) =>
  [linkHash, userId, organizationId, email, until].join(' ')

export type Device = { owner: Owner; until: string }

/**
 * Returns for whom this device is open. It is undefined where nobody has typed a code on it, where that is too long ago, or where it has
 * ended, because the link was taken back, the person was deactivated or has another address, or the organization is closed.
 */
export async function deviceOf(services: Services, request: FastifyRequest): Promise<Device | undefined> {
  const [, linkHash, seconds, signature] = form.exec(request.cookies[nameOf(services)] ?? '') ?? []
  if (!linkHash || !seconds || !signature || Number(seconds) * 1_000 <= Date.now()) return undefined
  const owner = await findByHash(services.db, Buffer.from(linkHash, 'hex'))
  if (!owner || owner.linkEnd === 'revoked' || owner.linkEnd === 'stopped') return undefined
  if (!services.keys.verify('training-device', signed(owner, seconds), signature)) return undefined
  return { owner, until: new Date(Number(seconds) * 1_000).toISOString() }
}

/** Forms of other sites do not carry the cookie, and no script reads it. */
const attributes = (services: Services) =>
  `Path=/; HttpOnly; SameSite=Lax${isEncrypted(services) ? '; Secure' : ''}`

export function openDevice(services: Services, reply: FastifyReply, owner: Owner): void {
  const until = String(Math.floor(Date.now() / 1_000) + days * 86_400)
  const signature = services.keys.sign('training-device', signed(owner, until))
  const value = `${owner.linkHash}.${until}.${signature}`
  reply.header(
    'set-cookie',
    `${nameOf(services)}=${value}; Max-Age=${days * 86_400}; ${attributes(services)}`,
  )
}

export function forgetDevice(services: Services, reply: FastifyReply): void {
  reply.header('set-cookie', `${nameOf(services)}=; Max-Age=0; ${attributes(services)}`)
}
