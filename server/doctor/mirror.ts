import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { readMirror } from '#contract/doctor/doctor.ts'
import type { Reply } from '#contract/endpoint.ts'
import { refuse } from '../platform/errors.ts'
import { addressOf, peerOf, trusting } from '../platform/http/address.ts'
import type { Services } from '../platform/http/services.ts'
import { randomToken, type Keys } from '../platform/keys.ts'
import { reasonOf } from './finding.ts'

/**
 * A request to oneself: whoever answers it rightly has the same secret, so it is this installation, and it tells how the request
 * arrived. Nobody else can ask, because the token is signed.
 */
type Mirror = Reply<typeof readMirror>

const validMs = 600_000
/** For documentation alone (RFC 5737): nobody sends from there. */
export const claimedAddress = '203.0.113.7'

function tokenOf(keys: Keys): string {
  const text = `${Date.now()}.${randomToken()}`
  return `${text}.${keys.sign('mirror', text)}`
}

const proofOf = (keys: Keys, token: string) => keys.sign('mirror-answer', token)

/** Refuses whoever has not the secret, and a token that somebody has kept. */
export function mirrored({ keys, env }: Services, request: FastifyRequest, token: string): Mirror {
  const [at = '', random = '', signature = ''] = token.split('.')
  const isOurs = keys.verify('mirror', `${at}.${random}`, signature)
  if (!isOurs || Math.abs(Date.now() - Number(at)) > validMs) throw refuse('not_found')
  const peer = peerOf(request)
  return {
    proof: proofOf(keys, token),
    address: addressOf(request),
    peer,
    isTrusted: trusting(env.trustedProxies)(peer),
    forwarded: request.headers['x-forwarded-for']?.toString() ?? null,
  }
}

type Looked =
  | { kind: 'silent'; reason: string; isRefused: boolean }
  | { kind: 'foreign'; status: number }
  | { kind: 'ours'; mirror: Mirror; clockMs: number | null }

const patienceMs = 8_000

/** What answers at an address of our own configuration; it is sent nothing but the token. */
export async function lookInto(origin: string, keys: Keys): Promise<Looked> {
  const token = tokenOf(keys)
  const began = Date.now()
  const answer = await fetch(`${origin}/api${readMirror.path.replace(':token', token)}`, {
    headers: { 'x-forwarded-for': claimedAddress },
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
  }).catch((error: unknown) => error)
  if (!(answer instanceof Response))
    return { kind: 'silent', reason: reasonOf(answer), isRefused: isRefused(answer) }
  const date = Date.parse(answer.headers.get('date') ?? '')
  const body: unknown = await answer.json().catch(() => undefined)
  const read = z.safeParse(readMirror.reply, body)
  if (!read.success || read.data.proof !== proofOf(keys, token))
    return { kind: 'foreign', status: answer.status }
  // The header is cut to whole seconds.
  const middle = (began + Date.now()) / 2
  return { kind: 'ours', mirror: read.data, clockMs: Number.isNaN(date) ? null : date + 500 - middle }
}

/** Nothing listens there. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}
