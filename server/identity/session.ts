import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Authenticated, Reauthenticated } from '#contract/identity/auth.ts'
import { arrayOf, asSystem, requireRow, row, type Tx, type Database } from '../platform/db/client.ts'
import { Id } from '../platform/db/rows.ts'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { addressOf } from '../platform/http/address.ts'
import { agentOf, audit, ipPrefix } from '../platform/http/audit.ts'
import { reauthenticatedUntil, rememberedIdleMinutes } from '../platform/http/bearer.ts'
import { isoText } from '../platform/db/search.ts'
import type { Services } from '../platform/http/services.ts'
import { sha256 } from '../platform/keys.ts'
import { welcomeDevice } from './devices.ts'
import { toSessionUser, type Account } from './queries.ts'
import { keepAccount } from './removal.ts'
import { requireWayIn } from './sso/way-in.ts'

const mostSessions = 10
/** Of `s`: opens something. */
export const alive = sql`s.revoked_at is null and s.idle_expires_at > now() and s.expires_at > now()`
/** Longer than NIST's AAL2 allows, and only on the wish of somebody with a second factor (docs/threat-model.md). */
const rememberedHours = 7 * 24

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `sr_`, 256 random bits, and a checksum by which scanners tell a leaked token from a look-alike. */
function newBearer(): string {
  const secret = randomBytes(32).toString('base64url')
  let remaining = crc32(secret)
  let checksum = ''
  for (let at = 0; at < 6; at += 1) {
    checksum = `${digits[remaining % 62]}${checksum}`
    remaining = Math.floor(remaining / 62)
  }
  return `sr_${secret}${checksum}`
}

/** How the person has proved who they are; kept for days on wish. */
type Proof = {
  services: Services
  request: FastifyRequest
  amr: readonly Amr[]
  remember?: boolean
  connection?: ProvedByConnection | undefined
}

/** Names of RFC 8176; `rcv` (a recovery code), `mail` (a mailed code) and `sso` (a company's own sign-in) are ours. */
export type Amr = 'pwd' | 'otp' | 'hwk' | 'rcv' | 'mail' | 'sso' | 'mfa'

/** Whom a connection has signed in, and what its provider calls its own session. */
export type ProvedByConnection = { personId: string; sid: string | null }

const Started = z.object({ id: z.string(), idleExpiresAt: z.string(), expiresAt: z.string() })

const Unchanged = z.object({ deleteAfter: z.nullable(z.string()) })

/**
 * A new session; the oldest beyond ten end. The account is locked and compared with what was verified, so that a password
 * that changes at the same moment wins over a sign-in with the old one. Only who has a second factor is remembered.
 */
export async function startSession(tx: Tx, account: Account, proof: Proof): Promise<Authenticated> {
  const wayIn = await requireWayIn(tx, account, proof)
  const unchanged = await row(
    tx,
    Unchanged,
    sql`update users set last_seen_at = now()
      where id = ${account.id} and password_hash is not distinct from ${account.passwordHash} and deleted_at is null
      returning delete_after as "deleteAfter"`,
  )
  if (!unchanged) throw refuse('invalid_credentials')
  if (wayIn === 'emergency') await noteEmergency(tx, account, proof)
  if (unchanged.deleteAfter !== null) await keepAccount(tx, proof, account)
  await welcomeDevice(tx, proof, account)
  const token = newBearer()
  const remembered = proof.remember === true && account.methods.length > 0
  const idleMinutes = remembered ? rememberedIdleMinutes : account.idleMinutes
  const hours = remembered ? rememberedHours : account.sessionHours
  const started = await row(
    tx,
    Started,
    sql`insert into sessions (user_id, token_hash, idle_expires_at, expires_at, reauthenticated_at, amr, remembered, ip_prefix, user_agent)
      values (${account.id}, ${sha256(token)}, now() + least(make_interval(mins => ${idleMinutes}), make_interval(hours => ${hours})),
        now() + make_interval(hours => ${hours}), now(), ${arrayOf(proof.amr, 'text')}, ${remembered},
        ${ipPrefix(addressOf(proof.request))}, ${agentOf(proof.request)})
      returning id, ${isoText(sql`idle_expires_at`)} as "idleExpiresAt", ${isoText(sql`expires_at`)} as "expiresAt"`,
  )
  if (!started) throw new Error('The session was not stored.')
  if (proof.connection)
    await noteConnection(tx, { ...proof.connection, sessionId: started.id, userId: account.id })
  await tx.execute(
    sql`update sessions set revoked_at = now(), end_reason = 'too_many'
      where user_id = ${account.id} and revoked_at is null and id not in (
        select id from sessions where user_id = ${account.id} and revoked_at is null and idle_expires_at > now()
          and expires_at > now() order by id desc limit ${mostSessions})`,
  )
  return {
    status: 'authenticated',
    token,
    tokenType: 'Bearer',
    idleExpiresAt: started.idleExpiresAt,
    expiresAt: started.expiresAt,
    user: toSessionUser(account),
  }
}

/** Somebody enters past the sign-in that the organization requires: its administrators can read when. */
function noteEmergency(tx: Tx, { id, organizationId }: Account, { request }: Proof): Promise<void> {
  const entry = { organizationId, entity: 'user', entityId: id, action: 'auth.break_glass' as const }
  return audit(tx, { request, caller: { userId: id } }, entry)
}

/**
 * A session of somebody without a role. It opens nothing of the console, for nobody is told its token; the pages of their videos find it by
 * its cookie. It ends as every other does, but for nobody being at a keyboard. Returns its id.
 */
export async function startWatching(tx: Tx, userId: string, proof: Proof): Promise<string> {
  const { id } = await requireRow(
    tx,
    Id,
    sql`insert into sessions (user_id, token_hash, idle_expires_at, expires_at, amr, ip_prefix, user_agent)
      select u.id, ${sha256(newBearer())}, now() + h.hours, now() + h.hours, ${arrayOf(proof.amr, 'text')},
        ${ipPrefix(addressOf(proof.request))}, ${agentOf(proof.request)}
      from users u join organizations o on o.id = u.organization_id cross join lateral (select
        make_interval(hours => coalesce((o.policies->>'sessionHours')::int, ${defaultPolicies.sessionHours})) as hours) h
      where u.id = ${userId} returning id`,
  )
  if (proof.connection) await noteConnection(tx, { ...proof.connection, sessionId: id, userId })
  return id
}

type SessionOfConnection = ProvedByConnection & { sessionId: string; userId: string }

/** By this the provider ends the session later. */
async function noteConnection(
  tx: Tx,
  { sessionId, userId, personId, sid }: SessionOfConnection,
): Promise<void> {
  await tx.execute(
    sql`insert into connection_sessions (session_id, person_id, user_id, sid)
      values (${sessionId}, ${personId}, ${userId}, ${sid})`,
  )
}

/**
 * Changes one session. While a superadmin looks through the eyes of somebody, a request stands in the organization of that person,
 * and the session belongs to none.
 */
function change(tx: Tx, sessionId: string, values: SQL): Promise<ChangedSession | undefined> {
  return asSystem(tx, () =>
    row(
      tx,
      ChangedSession,
      sql`update sessions set ${values} where id = ${sessionId}
        returning reauthenticated_at as "reauthenticatedAt", viewing_until as "viewingUntil"`,
    ),
  )
}

const ChangedSession = z.object({
  reauthenticatedAt: z.nullable(z.string()),
  viewingUntil: z.nullable(z.string()),
})
type ChangedSession = z.infer<typeof ChangedSession>

/** The same session under a new token: the old one is worthless from here on. */
export async function rotateSession(tx: Tx, sessionId: string): Promise<Reauthenticated> {
  const token = newBearer()
  const values = sql`token_hash = ${sha256(token)}, reauthenticated_at = now(), locked_at = null`
  const rotated = await change(tx, sessionId, values)
  const until = rotated && reauthenticatedUntil({ reauthenticatedAt: instantOf(rotated.reauthenticatedAt) })
  if (!until) throw refuse('unauthenticated')
  return { status: 'reauthenticated', token, reauthenticatedUntil: until.toISOString() }
}

export async function endSession(tx: Tx, sessionId: string): Promise<void> {
  await change(tx, sessionId, sql`revoked_at = now(), end_reason = 'signed_out'`)
}

/** Nothing works in it until its owner proves who they are; the last proof counts no longer, and viewing as somebody ends. */
export async function lockSession(tx: Tx, sessionId: string): Promise<void> {
  const values = sql`locked_at = coalesce(locked_at, now()), reauthenticated_at = null, viewing_as = null, viewing_reason = null`
  await change(tx, sessionId, values)
}

/** The superadmin's session shows what this person sees from here on; undefined ends it. Gives when that ends by itself. */
export async function setViewing(
  tx: Tx,
  sessionId: string,
  viewing: { userId: string; reason: string; minutes: number } | undefined,
): Promise<Date | null> {
  const set = await change(
    tx,
    sessionId,
    sql`viewing_as = ${viewing?.userId ?? null}, viewing_reason = ${viewing?.reason ?? null},
      viewing_until = least(expires_at, now() + make_interval(mins => ${viewing?.minutes ?? null}))`,
  )
  return instantOf(set?.viewingUntil ?? null)
}

const instantOf = (text: string | null) => (text === null ? null : new Date(text))

/** Why a session ended before its time. */
export const endReasons = [
  'signed_out',
  'by_owner',
  'by_admin',
  'role_changed',
  'disabled',
  'removed',
  'password_changed',
  'factor_reset',
  'too_many',
  'by_provider',
  'connection_changed',
  'sign_in_required',
] as const

type Ending = { reason: (typeof endReasons)[number]; by?: string | undefined; exceptSession?: string }

/** What a person has open, sessions and half-way sign-ins alike, ends; returns how many sessions were alive. */
export function endAccess(tx: Tx, userId: string, ending: Ending): Promise<number> {
  return endAccessOf(tx, sql`u.id = ${userId}`, ending)
}

/** The same for all people `u` whom `who` describes. */
export async function endAccessOf(tx: Tx, who: SQL, { reason, by, exceptSession }: Ending): Promise<number> {
  const ended = await tx.execute(
    sql`update sessions s set revoked_at = now(), end_reason = ${reason}, revoked_by = ${by ?? null} from users u
      where u.id = s.user_id and ${who} and ${alive} and s.id is distinct from ${exceptSession ?? null}::uuid`,
  )
  await tx.execute(
    sql`update flows f set used_at = now() from users u where u.id = f.user_id and ${who} and f.used_at is null`,
  )
  // Otherwise looking through their eyes would go on, unannounced, when they are let in again.
  await asSystem(tx, () =>
    tx.execute(
      sql`update sessions s set viewing_as = null, viewing_reason = null from users u where u.id = s.viewing_as and ${who}`,
    ),
  )
  return ended.rowCount ?? 0
}

export const forgetSessions = ({ single }: Pick<Database, 'single'>) =>
  single.execute(sql`delete from sessions where expires_at < now() - interval '90 days'`)
