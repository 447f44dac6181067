import * as z from 'zod/mini'
import { asRole, mayGrant } from '#contract/roles.ts'
import { Session } from '#contract/identity/sessions.ts'
import { hasRow, requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { deviceOf } from '../../platform/http/agent.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import { alive } from '../session.ts'

const SessionRow = z.extend(z.omit(Session, { browser: true }), { userAgent: z.nullable(z.string()) })
type SessionRow = z.infer<typeof SessionRow>

/** The present one, then the newest first. */
export async function sessionsOf(tx: Tx, userId: string, present: string): Promise<Session[]> {
  const found = await rows(
    tx,
    SessionRow,
    sql`select s.id, s.id = ${present} as "isPresent", ${isoText(sql`s.created_at`)} as "createdAt",
        ${isoText(sql`s.last_seen_at`)} as "lastSeenAt", ${isoText(sql`s.expires_at`)} as "expiresAt",
        ${isoText(sql`s.idle_expires_at`)} as "idleExpiresAt", s.locked_at is not null as "isLocked",
        s.remembered as "isRemembered", s.user_agent as "userAgent", s.ip_prefix::text as network, s.amr as proofs,
        (select c.name from connection_sessions k join connection_people p on p.id = k.person_id
          join sign_in_connections c on c.id = p.connection_id where k.session_id = s.id) as connection
      from sessions s where s.user_id = ${userId} and ${alive} order by s.id = ${present} desc, s.id desc`,
  )
  return found.map(({ userAgent, ...session }) => Object.assign(session, { browser: deviceOf(userAgent) }))
}

const ConnectionName = z.object({ name: z.string() })

/** By which connections somebody has signed in, the last first. */
export async function connectionsOf(tx: Tx, userId: string): Promise<string[]> {
  const found = await rows(
    tx,
    ConnectionName,
    sql`select c.name from connection_people p join sign_in_connections c on c.id = p.connection_id
      where p.user_id = ${userId} order by p.last_at desc, p.id`,
  )
  return found.map(({ name }) => name)
}

const RequireGovernedRow = z.object({ role: z.nullable(z.string()) })

/** The person, if the caller may decide about their sessions: never about somebody above them. */
export async function requireGoverned(
  tx: Tx,
  caller: Caller,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<void> {
  const found = await requireRow(
    tx,
    RequireGovernedRow,
    sql`select role from users where organization_id = ${orgId} and id = ${userId} and deleted_at is null`,
  )
  if (!mayGrant(caller.role, asRole(found.role))) throw refuse('forbidden')
}

/** Ends one session of a person; refuses when it is not theirs or over already. */
export async function endOne(
  tx: Tx,
  { userId, sessionId, by }: { userId: string; sessionId: string; by: string },
): Promise<void> {
  const reason = by === userId ? 'by_owner' : 'by_admin'
  const ended = await hasRow(
    tx,
    sql`update sessions s set revoked_at = now(), revoked_by = ${by}, end_reason = ${reason}
      where s.id = ${sessionId} and s.user_id = ${userId} and ${alive} returning 1`,
  )
  if (!ended) throw refuse('not_found')
}
