import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { FailedMail, type listFailedMails } from '#contract/dashboard.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { row, rows, together, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { all, countOf, isoText } from '../platform/db/search.ts'
import { behind, orderBy, pageOf, slice, type Order } from '../platform/http/keyset.ts'
import { failedMails } from '../alerts/sending.ts'
import { Count } from '../platform/db/rows.ts'

type FailedMailsQuery = {
  organizationId: string | null
  query: ParsedQuery<typeof listFailedMails>
  request: FastifyRequest
}

const FindFailedMailsRow = z.extend(FailedMail, { key: z.string() })

/** The mails that the dashboard counts, without what is in them: that may be a code. */
export async function findFailedMails(tx: Tx, { organizationId, query, request }: FailedMailsQuery) {
  const order: Order = { by: sql`m.created_at`, id: sql`m.id`, type: 'timestamptz', descending: true }
  const matching = sql`m.id in (select f.id from (${failedMails(organizationId)}) f)`
  const [counted, found] = await together(
    row(tx, Count, sql`select ${countOf(sql`mails m where ${matching}`)} as n`),
    rows(
      tx,
      FindFailedMailsRow,
      sql`select m.id, m.address as "to", m.subject, m.last_error as error, ${isoText(sql`m.created_at`)} as "createdAt",
          o.id as "organizationId", o.name as "organizationName", ${isoText(order.by)} as key
        from mails m join organizations o on o.id = m.organization_id
        where ${all([matching, query.after !== undefined && behind(order, query.after)])}
        order by ${orderBy(order)} ${slice(query)}`,
    ),
  )
  const total = { n: counted?.n ?? 0, counted: true }
  return pageOf({ request, query, total, found, toItem: (mail) => mail })
}
