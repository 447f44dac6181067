import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import type { Authenticated } from '#contract/auth.ts'
import { row, type Tx } from '../db/client.ts'
import { eq, sql } from '../db/drizzle.ts'
import { sessions } from '../db/schema/identity.ts'
import { refuse } from '../errors.ts'
import { ipPrefix } from '../http/audit.ts'
import { idleMinutes } from '../http/bearer.ts'
import { iso } from '../http/paging.ts'
import { sha256 } from '../keys.ts'
import type { Account } from './queries.ts'

const absoluteHours = 24
const mostSessions = 10
const reauthenticatedMinutes = 10

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `sr_`, 256 random bits, and a checksum by which scanners tell a leaked token from a look-alike. */
function newBearer(): string {
  const secret = randomBytes(32).toString('base64url')
  let rest = crc32(secret)
  let checksum = ''
  for (let at = 0; at < 6; at += 1) {
    checksum = `${digits[rest % 62]}${checksum}`
    rest = Math.floor(rest / 62)
  }
  return `sr_${secret}${checksum}`
}

const idleEnd = sql`now() + make_interval(mins => ${idleMinutes})`

/**
 * A new session; the oldest beyond ten end. The account is locked and compared with what was verified, so that a password
 * that changes at the same moment wins over a sign-in with the old one.
 */
export async function startSession(
  tx: Tx,
  account: Account,
  request: FastifyRequest,
): Promise<Authenticated> {
  const unchanged = await row(
    tx,
    sql`select 1 from users where id = ${account.id} and password_hash = ${account.passwordHash} for update`,
  )
  if (!unchanged) throw refuse('invalid_credentials')
  const token = newBearer()
  const [started] = await tx
    .insert(sessions)
    .values({
      userId: account.id,
      tokenHash: sha256(token),
      idleExpiresAt: idleEnd,
      expiresAt: sql`now() + make_interval(hours => ${absoluteHours})`,
      ipPrefix: ipPrefix(request.ip),
      userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
    })
    .returning()
  if (!started) throw new Error('The session was not stored.')
  await tx.execute(
    sql`update sessions set revoked_at = now() where user_id = ${account.id} and revoked_at is null and id not in (
        select id from sessions where user_id = ${account.id} and revoked_at is null and idle_expires_at > now()
          and expires_at > now() order by id desc limit ${mostSessions})`,
  )
  const { id, email, name, role, organizationId, organizationName, groupIds } = account
  return {
    status: 'authenticated',
    token,
    tokenType: 'Bearer',
    idleExpiresAt: iso(started.idleExpiresAt),
    expiresAt: iso(started.expiresAt),
    user: { id, email, name, role, organizationId, organizationName, groupIds },
  }
}

/** The same session under a new token: the old one is worthless from here on. */
export async function rotateSession(
  tx: Tx,
  sessionId: string,
): Promise<{ token: string; reauthenticatedUntil: string }> {
  const token = newBearer()
  const [rotated] = await tx
    .update(sessions)
    .set({
      tokenHash: sha256(token),
      reauthenticatedAt: sql`now()`,
      lastSeenAt: sql`now()`,
      idleExpiresAt: sql`least(expires_at, ${idleEnd})`,
    })
    .where(eq(sessions.id, sessionId))
    .returning({ at: sessions.reauthenticatedAt })
  if (!rotated?.at) throw refuse('unauthenticated')
  return {
    token,
    reauthenticatedUntil: iso(new Date(rotated.at.getTime() + reauthenticatedMinutes * 60_000)),
  }
}

export async function endSession(tx: Tx, sessionId: string): Promise<void> {
  await tx
    .update(sessions)
    .set({ revokedAt: sql`now()` })
    .where(eq(sessions.id, sessionId))
}

/** When the session ends, as it stands after this request. */
export async function sessionEnds(
  tx: Tx,
  sessionId: string,
): Promise<{ idleExpiresAt: string; expiresAt: string }> {
  const [found] = await tx
    .select({ idle: sessions.idleExpiresAt, end: sessions.expiresAt })
    .from(sessions)
    .where(eq(sessions.id, sessionId))
  if (!found) throw refuse('unauthenticated')
  return { idleExpiresAt: iso(found.idle), expiresAt: iso(found.end) }
}
