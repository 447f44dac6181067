import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import { asRole, type Role } from '#contract/roles.ts'
import type { KeyScope } from '#contract/scopes.ts'
import { row, type Database, type Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import { refuse } from '../errors.ts'
import { sha256 } from '../keys.ts'
import { enters } from './entering.ts'
import { holdWhileUnchanged } from './held.ts'
import { callerByKey, keyPrefix } from './keys.ts'

/** The superadmin behind a session that looks through the eyes of its caller. */
export type Viewer = { id: string; name: string; reason: string; until: Date }

/** A service account that calls; what it does is done in the name of its owner. */
export type CallingKey = {
  id: string
  name: string
  /** Null: of the installation. */
  organizationId: string | null
  scopes: readonly KeyScope[]
}

export type Caller = {
  /** Of a key: its own id, which is that of no session. */
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
  /** How the session was proved, see RFC 8176. */
  amr: string[]
  reauthenticatedAt: Date | null
  isLocked: boolean
  viewer: Viewer | null
  /** Null: a person who is signed in. */
  key: CallingKey | null
}

/** Who asks, and with what. */
export type Requester = { caller: Caller; request: FastifyRequest }
/** The same, with the transaction in which it happens. */
export type CallContext = Requester & { tx: Tx }

/** Who acts: where a superadmin looks through the eyes of somebody, the superadmin. */
export const personBehind = ({ viewer, userId, name }: Pick<Caller, 'userId' | 'name' | 'viewer'>) =>
  viewer ?? { id: userId, name }

const SessionRow = z.object({
  sessionId: z.string(),
  userId: z.string(),
  role: z.nullable(z.string()),
  name: z.string(),
  email: z.string(),
  organizationId: z.nullable(z.string()),
  organizationName: z.nullable(z.string()),
  groupIds: z.array(z.string()),
  idleExpiresAt: z.string(),
  expiresAt: z.string(),
  amr: z.array(z.string()),
  reauthenticatedAt: z.nullable(z.string()),
  isLocked: z.boolean(),
  stale: z.boolean(),
  idleMinutes: z.number(),
  viewerId: z.string(),
  viewerName: z.string(),
  viewingReason: z.nullable(z.string()),
  viewingUntil: z.nullable(z.string()),
  isViewing: z.boolean(),
  trueForMs: z.number(),
})
type SessionRow = z.infer<typeof SessionRow>

export const rememberedIdleMinutes = 24 * 60

/**
 * `me` owns the session, `u` is the caller: the same person, or for a superadmin who views, the one looked at. Whoever may no
 * longer be looked at is not: the session is then its owner's again. `case` and not `coalesce`: behind
 * row-level security PostgreSQL trusts only the first with an index, and would read all people.
 */
const lookUp = (
  hash: Buffer,
) => sql`select s.id as "sessionId", u.id as "userId", u.role, u.name, u.email, u.organization_id as "organizationId",
      o.name as "organizationName", s.idle_expires_at as "idleExpiresAt", s.expires_at as "expiresAt",
      s.amr, s.reauthenticated_at as "reauthenticatedAt", s.locked_at is not null as "isLocked",
      case when s.remembered then ${rememberedIdleMinutes}::int else coalesce((mo.policies->>'idleMinutes')::int, ${defaultPolicies.idleMinutes}) end as "idleMinutes",
      me.id as "viewerId", me.name as "viewerName", s.viewing_reason as "viewingReason", s.viewing_until as "viewingUntil",
      v.id is not null as "isViewing",
      s.last_seen_at < now() - interval '1 minute' as stale,
      extract(epoch from least(s.idle_expires_at, s.expires_at, case when v.id is not null then s.viewing_until end) - now())::float8
        * 1000 as "trueForMs",
      coalesce((select array_agg(m.group_id) from group_members m join groups g on g.id = m.group_id and g.deleted_at is null
        where m.user_id = u.id and m.groupadmin), '{}') as "groupIds"
    from sessions s
    join users me on me.id = s.user_id
    left join organizations mo on mo.id = me.organization_id
    left join lateral (
      select seen.id from users seen join organizations so on so.id = seen.organization_id
      where seen.id = s.viewing_as and s.viewing_until > now() and me.role = 'superadmin'
        and seen.role in ('admin', 'groupadmin') and ${sql.raw(enters('seen', 'so'))}
    ) v on true
    join users u on u.id = case when v.id is null then me.id else v.id end
    left join organizations o on o.id = u.organization_id
    where s.token_hash = ${hash} and s.revoked_at is null and s.idle_expires_at > now() and s.expires_at > now()
      and ${sql.raw(enters('me', 'mo'))}`

/** Who sends this request; undefined without a bearer. A bearer that is not (or no longer) valid is refused. */
export async function callerOf(db: Database, request: FastifyRequest): Promise<Caller | undefined> {
  const header = request.headers.authorization
  if (header === undefined) return undefined
  if (header.startsWith(`Bearer ${keyPrefix}`))
    return callerByKey(db, request, header.slice('Bearer '.length))
  const token = /^Bearer ([\w-]{20,200})$/.exec(header)?.[1]
  if (token === undefined) throw refuse('unauthenticated')
  const session = await sessionOf(db, sha256(token))
  if (!session) throw refuse('unauthenticated')
  const isActive = !session.caller.isLocked && request.headers['x-idle'] === undefined
  if (session.stale && isActive) await touch(db, session)
  return session.caller
}

/** `stale`: that its owner is there has not been written down for a minute. */
type BearerSession = { caller: Caller; stale: boolean; idleMinutes: number }

/** Long enough for the requests of a page. */
const bounds = { heldMs: 5_000, most: 5_000 }
const holders = new WeakMap<Database, ReturnType<typeof holdWhileUnchanged<BearerSession>>>()

function sessionOf(db: Database, hash: Buffer): Promise<BearerSession | undefined> {
  const hold = holders.get(db) ?? holdWhileUnchanged(db.callerChanges, bounds)
  holders.set(db, hold)
  return hold(hash.toString('base64'), async () => {
    const found = await row(db.single, SessionRow, lookUp(hash))
    const role = asRole(found?.role)
    if (!found || !role) return undefined
    const { trueForMs, ...session } = found
    return { value: sessionFrom(session, role), trueForMs }
  })
}

type Looked = Omit<SessionRow, 'trueForMs'>

function sessionFrom({ stale, idleMinutes, ...found }: Looked, role: Role): BearerSession {
  const { viewerId, viewerName, viewingReason, viewingUntil, isViewing, ...caller } = found
  const { idleExpiresAt, expiresAt, reauthenticatedAt } = found
  return {
    stale,
    idleMinutes,
    caller: {
      ...caller,
      role,
      idleExpiresAt: new Date(idleExpiresAt),
      expiresAt: new Date(expiresAt),
      reauthenticatedAt: reauthenticatedAt === null ? null : new Date(reauthenticatedAt),
      viewer:
        isViewing && viewingReason !== null && viewingUntil !== null
          ? { id: viewerId, name: viewerName, reason: viewingReason, until: new Date(viewingUntil) }
          : null,
      key: null,
    },
  }
}

const Touched = z.object({ idle: z.string() })

/**
 * Written at most once a minute, so that reading stays reading. What the console asks for by itself while nobody is at the
 * keyboard (`X-Idle`) does not count as being there.
 */
async function touch(db: Database, session: BearerSession): Promise<void> {
  const { caller, idleMinutes } = session
  const touched = await row(
    db.single,
    Touched,
    sql`with seen as (update sessions set last_seen_at = now(),
         idle_expires_at = least(expires_at, greatest(idle_expires_at, now() + make_interval(mins => ${idleMinutes})))
       where id = ${caller.sessionId} returning user_id, idle_expires_at),
     person as (update users set last_seen_at = now() from seen where users.id = seen.user_id)
     select idle_expires_at as idle from seen`,
  )
  if (!touched) throw refuse('unauthenticated')
  // Where it is held, for the requests that follow too.
  session.stale = false
  session.caller = { ...caller, idleExpiresAt: new Date(touched.idle) }
}

const freshMinutes = 10

/** Until when the last proof of who is there counts. */
export function reauthenticatedUntil({ reauthenticatedAt }: Pick<Caller, 'reauthenticatedAt'>): Date | null {
  if (reauthenticatedAt === null) return null
  const until = new Date(reauthenticatedAt.getTime() + freshMinutes * 60_000)
  return until > new Date() ? until : null
}

/** For what only matters sometimes within an endpoint, such as a role in a change of a person. */
export function requireFresh(caller: Pick<Caller, 'reauthenticatedAt' | 'key'>): void {
  if (caller.key) throw refuse('reauthentication_required', { reason: { code: 'needs_person' } })
  if (reauthenticatedUntil(caller) === null) throw refuse('reauthentication_required')
}

/** For what only a person decides within an endpoint that keys may call. */
export function requirePerson({ key }: Pick<Caller, 'key'>): void {
  if (key) throw refuse('forbidden', { reason: { code: 'needs_person' } })
}

/** Tells the console when to warn. */
export function tellSessionEnd(reply: FastifyReply, { idleExpiresAt, expiresAt }: Caller): void {
  const end = idleExpiresAt < expiresAt ? idleExpiresAt : expiresAt
  reply.header('x-session-expires', end.toISOString())
}
