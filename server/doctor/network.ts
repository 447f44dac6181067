import * as z from 'zod/mini'
import { requireRow } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { trusting } from '../platform/http/address.ts'
import { found, type Found, type Patient } from './finding.ts'
import { claimedAddress, lookInto } from './mirror.ts'

const driftMs = 2_000
const wrongMs = 30_000

const Now = z.object({ ms: z.number() })

/** Against the database, and against what the public address says it is. */
export async function lookAtClock({ db, env, keys }: Patient): Promise<Found[]> {
  const differences: { place: string; ms: number }[] = []
  if (db) {
    await requireRow(db.single, Now, nowOfDatabase)
    const began = Date.now()
    const { ms } = await requireRow(db.single, Now, nowOfDatabase)
    differences.push({ place: 'the database', ms: ms - (began + Date.now()) / 2 })
  }
  if (env.publicUrl !== undefined && keys) {
    const looked = await lookInto(env.publicUrl, keys)
    if (looked.kind === 'ours' && looked.clockMs !== null)
      differences.push({ place: env.publicUrl, ms: looked.clockMs })
  }
  const wrong = differences.filter(({ ms }) => Math.abs(ms) > driftMs)
  const places = differences.map(({ place }) => place).join(' and ')
  if (wrong.length === 0)
    return places === '' ? [found('needs_database')] : [found('clock_right', { places })]
  return wrong.map(({ place, ms }) =>
    found(Math.abs(ms) > wrongMs ? 'clock_wrong' : 'clock_drifts', {
      place,
      seconds: String(Math.round(Math.abs(ms) / 1_000)),
    }),
  )
}
const nowOfDatabase = sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`

/** On this machine, past every proxy. */
const lookHere = ({ env, port }: Patient, keys: NonNullable<Patient['keys']>) => {
  const host = env.host === '0.0.0.0' || env.host === '::' ? '127.0.0.1' : env.host
  return lookInto(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, keys)
}

export async function lookAtPorts(patient: Patient): Promise<Found[]> {
  const { env, keys, port } = patient
  if (!env.run.has('api') || port === 0) return []
  const values = { port: String(port) }
  if (!keys) return [found('port_free', values)]
  const looked = await lookHere(patient, keys)
  if (looked.kind === 'ours') return [found('port_served', values)]
  return [found(looked.kind === 'silent' && looked.isRefused ? 'port_free' : 'port_taken', values)]
}

const isNear = (url: string) => /^https?:\/\/(localhost|127\.|\[::1\])/.test(url)

export async function lookAtAddress(patient: Patient): Promise<Found[]> {
  const { env, keys } = patient
  const url = env.publicUrl
  if (url === undefined) return [found('address_unset')]
  const plain = url.startsWith('https:') || isNear(url) ? [] : [found('address_unencrypted', { url })]
  if (!keys) return [found('address_idle', { url }), ...plain]
  const looked = await lookInto(url, keys)
  if (looked.kind === 'ours') return [found('address_answers', { url }), ...plain]
  const isIdle = (await lookAtPorts(patient)).some(({ code }) => code === 'port_free')
  if (isIdle) return [found('address_idle', { url }), ...plain]
  return [
    looked.kind === 'silent'
      ? found('address_silent', { url, reason: looked.reason })
      : found('address_foreign', { url, status: String(looked.status) }),
    ...plain,
  ]
}

/** What became of an address that a request to the public address claimed to come from. */
export async function lookAtProxy({ env, keys }: Patient): Promise<Found[]> {
  if (env.publicUrl === undefined || !keys) return []
  const looked = await lookInto(env.publicUrl, keys)
  if (looked.kind !== 'ours') return []
  const { peer, address, isTrusted, forwarded } = looked.mirror
  // This request had one.
  if (!forwarded) return [found('proxy_secretive', { peer })]
  const hops = forwarded.split(',').map((hop) => hop.trim())
  const last = hops.at(-1) ?? ''
  if (last === claimedAddress && hops.length === 1) {
    // This server speaks no TLS: what is encrypted has come through a proxy, and that one has added nothing.
    if (env.publicUrl.startsWith('https:')) return [found('proxy_mute')]
    return [isTrusted && !isLoopback(peer) ? found('proxy_wide', { hop: peer }) : found('proxy_none')]
  }
  if (!isTrusted) return [found('proxy_untrusted', { peer })]
  const isWide = address === claimedAddress && trusting(env.trustedProxies)(last) && !isLoopback(last)
  return [isWide ? found('proxy_wide', { hop: last }) : found('proxy_right', { address: last })]
}

const isLoopback = (address: string) => /^(::ffff:)?127\.|^::1$/.test(address)
