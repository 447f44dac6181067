import type { FastifyRequest } from 'fastify'
import { createRemoteJWKSet, customFetch, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import * as z from 'zod/mini'
import { rows, type Database, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { addressOf } from '../../platform/http/address.ts'
import { audit, auditMany } from '../../platform/http/audit.ts'
import type { Services } from '../../platform/http/services.ts'
import { logoutLimits, returnTry, takeTry } from '../limit.ts'
import { knownConnection, type KnownConnection } from './connections.ts'
import { endSessionsOf } from './endings.ts'
import { askingBy } from './outgoing.ts'
import { algorithms, algorithmsOf, describe, tolerance } from './provider.ts'

const event = 'http://schemas.openid.net/event/backchannel-logout'
/** Seconds for which a logout token is taken after it was made. */
const oldest = 180

type Ended = { services: Services; request: FastifyRequest }

/**
 * The provider says that somebody's session has ended, or that somebody may not enter any more (OpenID Connect Back-Channel Logout 1.0).
 * Whatever is wrong with its token is answered alike, and written down.
 */
export async function endByToken(
  ended: Ended,
  connectionId: string,
  token: string,
): Promise<Record<string, never>> {
  const { services, request } = ended
  const { db, keys } = services
  const limits = logoutLimits(keys, addressOf(request))
  const connection = await db.as('system', async (tx) => {
    await takeTry(tx, limits)
    return knownConnection(tx, keys, connectionId)
  })
  const said = connection && (await verified(services, connection, token))
  const isTaken =
    connection && said && (await db.as('system', (tx) => endSessions(tx, { request, connection, said })))
  if (!isTaken) {
    if (connection) await db.as('system', (tx) => noteRefused(tx, ended, connection))
    throw refuse('invalid_request', { reason: { code: 'logout_token' } })
  }
  await db.as('system', (tx) => returnTry(tx, limits))
  return {}
}

/** Whose sessions; one of both is there. */
type Said = { subject: string | undefined; sid: string | undefined; tokenId: string; until: Date }

async function verified(
  { env, log }: Services,
  connection: KnownConnection,
  token: string,
): Promise<Said | undefined> {
  try {
    const { issuer, clientId } = connection
    const { payload, protectedHeader } = await jwtVerify(token, await keysOf(env, connection), {
      issuer,
      audience: clientId,
      algorithms,
      clockTolerance: tolerance,
      maxTokenAge: oldest,
      requiredClaims: ['iss', 'aud', 'iat', 'jti', 'events'],
    })
    const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '')
    const isLogout = type === undefined || type === 'jwt' || type === 'logout+jwt'
    return isLogout ? saidIn(payload) : undefined
  } catch (error) {
    log.info({ err: error, connection: connection.id }, 'a logout token was not accepted')
    return undefined
  }
}

const Events = z.looseObject({ [event]: z.looseObject({}) })

function saidIn(payload: JWTPayload): Said | undefined {
  const { sub, sid, jti, events, iat = 0 } = payload
  if ('nonce' in payload || typeof jti !== 'string' || jti === '' || jti.length > 500) return undefined
  if (!Events.safeParse(events).success) return undefined
  const session = typeof sid === 'string' ? sid : undefined
  if (sub === undefined && session === undefined) return undefined
  return { subject: sub, sid: session, tokenId: jti, until: new Date((iat + oldest + 2 * tolerance) * 1_000) }
}

type HeldKeys = { get: JWTVerifyGetKey; until: number }
/** By connection and issuer, for a minute: very many people may be ended at once. An unknown key is looked for anew within it. */
const held = new Map<string, HeldKeys>()
const heldMs = 60_000
const mostHeld = 1_000

async function keysOf(env: Services['env'], { id, issuer }: KnownConnection): Promise<JWTVerifyGetKey> {
  const name = `${id} ${issuer}`
  const known = held.get(name)
  if (known && known.until > Date.now()) return known.get
  const described = await describe(env, issuer)
  if ('fault' in described) throw new Error(`the provider says nothing about itself: ${described.fault}`)
  if (algorithmsOf(described.metadata).length === 0)
    throw new Error('the provider signs in no way that is taken')
  const asking = askingBy(env)
  const get = createRemoteJWKSet(new URL(described.metadata.jwks_uri), {
    [customFetch]: (url, options) => asking(url, { method: options.method, headers: options.headers }),
    cooldownDuration: 5_000,
    cacheMaxAge: heldMs,
    timeoutDuration: 10_000,
  })
  if (held.size >= mostHeld) held.clear()
  held.set(name, { get, until: Date.now() + heldMs })
  return get
}

const EndedPerson = z.object({ userId: z.string() })
type Ending = { request: FastifyRequest; connection: KnownConnection; said: Said }

/** False where the token was taken before. What somebody has half done ends too, so that nobody slips in behind it. */
async function endSessions(tx: Tx, { request, connection, said }: Ending): Promise<boolean> {
  const { id, organizationId, name } = connection
  const taken = await tx.execute(
    sql`insert into connection_logouts (connection_id, token_id, expires_at) values (${id}, ${said.tokenId}, ${said.until.toISOString()})
      on conflict do nothing`,
  )
  if (taken.rowCount !== 1) return false
  const person = sql`p.connection_id = ${id}${said.subject === undefined ? sql`` : sql` and p.subject = ${said.subject}`}`
  const which = said.sid === undefined ? person : sql`${person} and c.sid = ${said.sid}`
  const people = await rows(tx, EndedPerson, alivePeople(which))
  await endSessionsOf(tx, which, { reason: 'by_provider' })
  await tx.execute(
    sql`update flows f set used_at = now() from connection_people p where f.purpose in ('connection', 'second_step', 'enroll')
      and f.used_at is null and ${person} and (f.data->'found'->>'personId' = p.id::text or f.data->'connection'->>'personId' = p.id::text)
      and (${said.sid ?? null}::text is null or coalesce(f.data->'found'->>'sid', f.data->'connection'->>'sid') = ${said.sid ?? null}::text)`,
  )
  await auditMany(
    tx,
    { request, caller: undefined },
    people.map(({ userId }) => ({
      organizationId,
      entity: 'user',
      entityId: userId,
      action: 'auth.sso_ended' as const,
      after: { connection: name },
    })),
  )
  return true
}

const alivePeople = (which: SQL): SQL =>
  sql`select distinct c.user_id as "userId" from connection_sessions c join connection_people p on p.id = c.person_id
    join sessions s on s.id = c.session_id where s.revoked_at is null and s.expires_at > now() and ${which}`

function noteRefused(
  tx: Tx,
  { request }: Ended,
  { id, organizationId, name }: KnownConnection,
): Promise<void> {
  const entry = { organizationId, entity: 'connection', entityId: id, after: { connection: name } }
  return audit(tx, { request, caller: undefined }, { ...entry, action: 'connection.logout_refused' })
}

/** Logout tokens that have ended by themselves, and what came of trials a week ago. */
export async function forgetConnectionTraces({ single }: Pick<Database, 'single'>): Promise<void> {
  await single.execute(sql`delete from connection_logouts where expires_at < now()`)
  await single.execute(
    sql`update sign_in_connections set trial = null where (trial->>'at')::timestamptz < now() - interval '7 days'`,
  )
}
