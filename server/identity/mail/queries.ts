import { OutboxMail } from '#contract/system.ts'
import { row, rows, type Tx } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { Count } from '../../platform/db/rows.ts'

const countedAtMost = 10_000

type OutboxFilter = {
  q: string | undefined
  /** Id of the last mail of the page before. */
  after: string | undefined
  offset: number
  limit: number
}

function matching(q: string | undefined) {
  if (q === undefined || q.trim() === '') return sql`state = 'resting'`
  const pattern = `%${q.trim().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql`state = 'resting' and (address ilike ${pattern} or subject ilike ${pattern})`
}

/** Newest first; one more than asked for tells whether a next page exists. */
export function outboxMails(tx: Tx, filter: OutboxFilter): Promise<OutboxMail[]> {
  const behind = filter.after === undefined ? sql`true` : sql`id < ${filter.after}::uuid`
  return rows(
    tx,
    OutboxMail,
    sql`select id, address as "to", subject, text, html, ${isoText(sql`created_at`)} as "createdAt",
        coalesce((select jsonb_agg(jsonb_build_object('name', f.name, 'bytes', octet_length(f.content)) order by f.position)
          from mail_attachments f where f.mail_id = mails.id), '[]') as attachments from mails
      where ${matching(filter.q)} and ${behind} order by id desc
      limit ${filter.limit + 1} offset ${filter.after === undefined ? filter.offset : 0}`,
  )
}

/** Exact up to 10,000, beyond that a minimum. */
export async function countOutbox(
  tx: Tx,
  q: string | undefined,
): Promise<{ total: number; totalIsMinimum: boolean }> {
  const counted = await row(
    tx,
    Count,
    sql`select count(*)::int as n from (select 1 from mails where ${matching(q)} limit ${countedAtMost + 1}) m`,
  )
  const n = counted?.n ?? 0
  return { total: Math.min(n, countedAtMost), totalIsMinimum: n > countedAtMost }
}
