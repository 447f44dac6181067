import type { FastifyRequest } from 'fastify'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { LinkedPerson, type listConnectionPeople } from '#contract/identity/sso.ts'
import * as z from 'zod/mini'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Requester } from '../../platform/http/bearer.ts'
import { readList } from '../../platform/http/lists/list.ts'
import { isOf, type Home } from './connections.ts'
import { endSessionsOf } from './endings.ts'

type Listing = { id: string; query: ParsedQuery<typeof listConnectionPeople>; request: FastifyRequest }

/** The last to sign in first. */
export function peopleOf(tx: Tx, home: Home, { id, query, request }: Listing) {
  return readList(tx, {
    query,
    request,
    Row: LinkedPerson,
    columns: sql`u.id, u.name, u.email, p.subject, ${isoText(sql`p.first_at`)} as "firstAt", ${isoText(sql`p.last_at`)} as "lastAt"`,
    from: sql`connection_people p join sign_in_connections c on c.id = p.connection_id join users u on u.id = p.user_id`,
    where: sql`p.connection_id = ${id} and ${isOf(home)}`,
    order: { by: sql`p.last_at`, id: sql`u.id`, type: 'timestamptz', descending: true },
  })
}

/**
 * Whoever is given a role proves their mailbox first: what opened their videos opens no console. The database does the same for whoever has
 * another address (`forget_connection_people`), because that changes in many places.
 */
export async function forgetLinks(tx: Tx, userId: string): Promise<void> {
  await tx.execute(sql`delete from connection_people where user_id = ${userId}`)
}

const Unlinked = z.object({ id: z.string(), name: z.string() })

/** What the rules gave them stays until somebody takes it away here. */
export async function unlinkPerson(
  tx: Tx,
  home: Home,
  { by, id, userId }: { by: Requester; id: string; userId: string },
): Promise<Record<string, never>> {
  const { id: personId, name } = await requireRow(
    tx,
    Unlinked,
    sql`select p.id, c.name from connection_people p join sign_in_connections c on c.id = p.connection_id
      where p.connection_id = ${id} and p.user_id = ${userId} and ${isOf(home)} for update of p`,
  )
  await endSessionsOf(tx, sql`p.id = ${personId}`, { reason: 'by_admin', by: by.caller.userId })
  await tx.execute(sql`delete from connection_people where id = ${personId}`)
  const entry = { ...home, entity: 'user', entityId: userId, before: { connection: name } }
  await audit(tx, by, { ...entry, action: 'connection.person_unlinked' })
  return {}
}
