import type { FastifyRequest } from 'fastify'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { OutboxMail, type listOutbox } from '#contract/system.ts'
import type { Tx } from '../../platform/db/client.ts'
import { all, isoText, literal } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { readList } from '../../platform/http/list.ts'

type ListRequest = { query: ParsedQuery<typeof listOutbox>; request: FastifyRequest }

/** Newest first: an id begins with its instant. */
export function findOutbox(tx: Tx, { query, request }: ListRequest) {
  const q = query.q?.trim()
  return readList(tx, {
    query,
    request,
    Row: OutboxMail,
    columns: sql`m.id, m.address as "to", m.subject, m.text, m.html, ${isoText(sql`m.created_at`)} as "createdAt",
      coalesce((select jsonb_agg(jsonb_build_object('name', f.name, 'bytes', octet_length(f.content)) order by f.position)
        from mail_attachments f where f.mail_id = m.id), '[]') as attachments`,
    from: sql`mails m`,
    where: all([sql`m.state = 'resting'`, q && has(q)]),
    order: { by: sql`m.id`, id: sql`m.id`, type: 'uuid', descending: true },
  })
}

function has(words: string): SQL {
  const pattern = `%${literal(words)}%`
  return sql`(m.address ilike ${pattern} or m.subject ilike ${pattern})`
}
