import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { watchesSignedIn } from '../people.ts'
import { enters } from '../platform/http/entering.ts'
import { alive } from './session.ts'

/** Pages of videos get this cookie along, and no script reads it: a session, and our signature. */
const form = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.([\w-]{43})$/

const isEncrypted = ({ env }: Pick<Services, 'env'>) => env.publicUrl?.startsWith('https:') ?? false
/** With `__Host-` no neighbour below the same domain can plant a cookie. Browsers take such a name with HTTPS and the path `/` only. */
const nameOf = (services: Pick<Services, 'env'>) => (isEncrypted(services) ? '__Host-watching' : 'watching')

const Watching = z.object({ organizationId: z.string() })

/**
 * Somebody without a role, whose organization lets only signed-in people watch: they sign in by its connections, for their videos alone.
 * Undefined for everybody else.
 */
export function mayOnlyWatch(tx: Tx, userId: string): Promise<z.infer<typeof Watching> | undefined> {
  return row(
    tx,
    Watching,
    sql`select o.id as "organizationId" from users u join organizations o on o.id = u.organization_id
      where u.id = ${userId} and u.role is null and ${sql.raw(enters('u', 'o'))} and ${watchesSignedIn('o')}`,
  )
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
