import type { FastifyRequest } from 'fastify'
import { FailedMail, type listFailedMails } from '#contract/dashboard.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import type { Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { readList } from '../platform/http/list.ts'
import { failedMails } from '../alerts/sending.ts'

type FailedMailsQuery = {
  organizationId: string | null
  query: ParsedQuery<typeof listFailedMails>
  request: FastifyRequest
}

/** The mails that the dashboard counts, without what is in them: that may be a code. */
export function findFailedMails(tx: Tx, { organizationId, query, request }: FailedMailsQuery) {
  return readList(tx, {
    query,
    request,
    Row: FailedMail,
    columns: sql`m.id, m.address as "to", m.subject, m.last_error as error, ${isoText(sql`m.created_at`)} as "createdAt",
      o.id as "organizationId", o.name as "organizationName"`,
    from: sql`mails m join organizations o on o.id = m.organization_id`,
    where: sql`m.id in (select f.id from (${failedMails(organizationId)}) f)`,
    order: { by: sql`m.created_at`, id: sql`m.id`, type: 'timestamptz', descending: true },
  })
}
