import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import type { readWatchers } from '#contract/directory/organizations.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { takesPart } from '../people.ts'
import { alive } from './session.ts'

/** Pages of videos get this cookie along, and no script reads it: a session, and our signature. */
const form = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.([\w-]{43})$/

const isEncrypted = ({ env }: Pick<Services, 'env'>) => env.publicUrl?.startsWith('https:') ?? false
/** With `__Host-` no neighbour below the same domain can plant a cookie. Browsers take such a name with HTTPS and the path `/` only. */
const nameOf = (services: Pick<Services, 'env'>) => (isEncrypted(services) ? '__Host-watching' : 'watching')

/**
 * Of a person `u`: they have a way to sign in. Without a role nobody has an account; with one, a password opens it, and so does a connection
 * of the organization.
 */
const hasWayIn = sql`(u.role is not null and (u.password_hash is not null or exists (
  select from sign_in_connections c where c.organization_id = u.organization_id and c.is_on)))`

const Without = z.object({
  people: z.number(),
  without: z.number(),
  some: z.array(z.object({ id: z.string(), name: z.string() })),
})

/** Counts who could not watch where only signed-in people may, and names the first of them. */
export async function countWatchers(tx: Tx, organizationId: string): Promise<Reply<typeof readWatchers>> {
  const found = await row(
    tx,
    Without,
    sql`with p as materialized (select u.id, u.name, ${hasWayIn} as enters from users u
        where u.organization_id = ${organizationId} and ${takesPart('u')})
      select count(*)::int as people, (count(*) filter (where not enters))::int as without,
        coalesce((select json_agg(json_build_object('id', f.id, 'name', f.name) order by f.name, f.id)
          from (select id, name from p where not enters order by name, id limit 5) f), '[]') as some from p`,
  )
  return found ?? { people: 0, without: 0, some: [] }
}

const Watcher = z.object({ sessionId: z.string(), userId: z.string(), amr: z.array(z.string()) })
export type Watcher = z.infer<typeof Watcher>

/**
 * From here on the pages of videos know who is signed in in this browser. The cookie opens nothing by itself: it names a session, and says
 * nothing once that has ended.
 */
export function letWatch(
  services: Pick<Services, 'env' | 'keys'>,
  reply: FastifyReply,
  sessionId: string,
): void {
  const value = `${sessionId}.${services.keys.sign('watching', sessionId)}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isEncrypted(services) ? '; Secure' : ''}`
  reply.header('set-cookie', `${nameOf(services)}=${value}; ${attributes}`)
}

/**
 * Whose session it is that the browser of this request is signed in with; undefined where there is none, where it has ended, and while it is
 * locked. A superadmin who looks through the eyes of somebody else stays who they are.
 */
export function watcherOf(services: Services, request: FastifyRequest): Promise<Watcher | undefined> {
  const [, sessionId, signature] = form.exec(request.cookies[nameOf(services)] ?? '') ?? []
  if (!sessionId || !signature || !services.keys.verify('watching', sessionId, signature))
    return Promise.resolve(undefined)
  return row(
    services.db.single,
    Watcher,
    sql`select s.id as "sessionId", s.user_id as "userId", s.amr from sessions s
      where s.id = ${sessionId}::uuid and ${alive} and s.locked_at is null`,
  )
}
