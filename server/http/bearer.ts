import type { FastifyRequest } from 'fastify'
import { asRole, type Role } from '#contract/roles.ts'
import type { Database } from '../db/client.ts'
import { refuse } from '../errors.ts'
import { sha256 } from '../keys.ts'

export type Caller = {
  sessionId: string
  userId: string
  role: Role
  name: string
  email: string
  /** Null for a superadmin. */
  organizationId: string | null
  organizationName: string | null
  /** Groups that this person administers. */
  groupIds: string[]
  idleExpiresAt: Date
  expiresAt: Date
}

type SessionRow = Omit<Caller, 'role'> & { role: string | null; lockedAt: Date | null; stale: boolean }

const lookUp = {
  name: 'bearer',
  text: `select s.id as "sessionId", u.id as "userId", u.role, u.name, u.email, u.organization_id as "organizationId",
      o.name as "organizationName", s.idle_expires_at as "idleExpiresAt", s.expires_at as "expiresAt", s.locked_at as "lockedAt",
      s.last_seen_at < now() - interval '1 minute' as stale,
      coalesce((select array_agg(m.group_id) from group_members m join groups g on g.id = m.group_id and g.deleted_at is null
        where m.user_id = u.id and m.groupadmin), '{}') as "groupIds"
    from sessions s
    join users u on u.id = s.user_id and u.deleted_at is null and u.state in ('active', 'invited')
    left join organizations o on o.id = u.organization_id
    where s.token_hash = $1 and s.revoked_at is null and s.idle_expires_at > now() and s.expires_at > now()
      and (o.id is null or (o.state = 'active' and o.deleted_at is null))`,
}

export const idleMinutes = 60

/** Who sends this request; undefined without a bearer. A bearer that is not (or no longer) valid is refused. */
export async function callerOf(db: Database, request: FastifyRequest): Promise<Caller | undefined> {
  const header = request.headers.authorization
  if (header === undefined) return undefined
  const token = /^Bearer ([\w-]{20,200})$/.exec(header)?.[1]
  if (token === undefined) throw refuse('unauthenticated')
  const found = await db.system.query<SessionRow>({ ...lookUp, values: [sha256(token)] })
  const session = found.rows[0]
  const role = asRole(session?.role)
  if (!session || !role) throw refuse('unauthenticated')
  if (session.lockedAt) throw refuse('session_locked')
  if (session.stale) await touch(db, session.sessionId)
  const { stale: _stale, lockedAt: _lockedAt, ...caller } = session
  return { ...caller, role }
}

/** Written at most once a minute, so that reading stays reading. */
async function touch(db: Database, sessionId: string): Promise<void> {
  await db.system.query(
    `with seen as (update sessions set last_seen_at = now(), idle_expires_at = least(expires_at, now() + make_interval(mins => $2))
       where id = $1 returning user_id)
     update users set last_seen_at = now() from seen where users.id = seen.user_id`,
    [sessionId, idleMinutes],
  )
}
