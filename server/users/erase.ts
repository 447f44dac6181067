import { undoDays } from '#contract/operations.ts'
import { rows, setCause, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { auditMany } from '../http/audit.ts'
import type { Services } from '../http/services.ts'

const chunk = 500

/**
 * Takes the details away from people who were removed long enough ago that nobody can bring them back. What they have watched
 * and were sent stays, under a pseudonym. Each chunk in a transaction of its own, on however many servers, once.
 */
export async function eraseRemoved({ db }: Pick<Services, 'db'>): Promise<void> {
  while ((await db.as('system', eraseSome)) === chunk);
}

type Leaving = {
  id: string
  organizationId: string | null
  name: string
  email: string
  pseudonym: string
  address: string
  deletedAt: string
}

/** Returns how many there were. */
async function eraseSome(tx: Tx): Promise<number> {
  const undoable = sql`exists (select 1 from operation_rows r join operations p on p.id = r.operation_id
    where r.entity_id = u.id and r.outcome = 'removed' and r.undo is null and r.entity = 'user'
      and (p.undo_until > now() or p.state in ('running', 'cancelling', 'undoing')))`
  const leaving = await rows<Leaving>(
    tx,
    sql`select u.id, u.organization_id as "organizationId", u.name, u.email, u.deleted_at as "deletedAt",
        'Removed person ' || right(u.id::text, 6) as pseudonym, 'removed-' || u.id || '@removed.invalid' as address
      from users u where u.deleted_at < now() - make_interval(days => ${undoDays}) and u.erased_at is null and not ${undoable}
      order by u.id limit ${chunk} for update of u skip locked`,
  )
  if (leaving.length === 0) return 0
  await setCause(tx, 'system')
  await eraseFromLog(tx, leaving)
  for (const statement of statementsFor(leaving)) await tx.execute(statement)
  const entries = leaving.map(({ id, organizationId }) => {
    return { organizationId, action: 'user.erased' as const, entity: 'user', entityId: id }
  })
  await auditMany(tx, 'system', entries)
  return leaving.length
}

/**
 * Takes what names these people out of the log's entries about them, their invitations and their own changes, and the seal still
 * fits (docs/decisions/0016-the-audit-log-and-erasure.md). What they changed as administrators stays as it was signed.
 */
async function eraseFromLog(tx: Tx, leaving: readonly Leaving[]): Promise<void> {
  const whose = sql`jsonb_to_recordset(${JSON.stringify(leaving)}::jsonb) as r(id uuid, "organizationId" uuid)`
  await tx.execute(
    sql`select erase_audit_details(e.ids, e.id, e."organizationId")
      from (select r.id, r."organizationId", array_agg(a.id) as ids from ${whose}
        cross join lateral (select r.id as about union select i.id from invitations i where i.user_id = r.id
          union select w.operation_id from operation_rows w join operations p on p.id = w.operation_id
            where w.entity_id = r.id and p.total = 1) thing
        join audit a on a.entity_id = thing.about and a.entity in ('user', 'member', 'invitation', 'operation')
        group by r.id, r."organizationId") e`,
  )
}

/** Every other place that names a person. */
function statementsFor(leaving: readonly Leaving[]): SQL[] {
  const gone = sql`jsonb_to_recordset(${JSON.stringify(leaving)}::jsonb)
    as r(id uuid, "organizationId" uuid, name text, email text, pseudonym text, address text, "deletedAt" timestamptz)`
  const isTheirs = (address: SQL, at: SQL) => sql`${address} = r.email and ${at} <= r."deletedAt"`
  return [
    sql`delete from pictures p using ${gone}, users u where u.id = r.id and p.key = u.avatar`,
    sql`update users u set name = r.pseudonym, email = r.address, phone = null, external_id = null, custom_fields = '{}',
        avatar = null, locale = null, erased_at = now(), updated_at = now() from ${gone} where u.id = r.id`,
    sql`update deliveries d set address = r.address, updated_at = now() from ${gone} where d.user_id = r.id`,
    sql`update invitations i set email = r.address, name = null, updated_at = now() from ${gone}
      where i.organization_id is not distinct from r."organizationId"
        and (i.user_id = r.id or ${isTheirs(sql`i.email`, sql`i.created_at`)})`,
    sql`delete from mail_attachments f using ${gone}, mails m where f.mail_id = m.id
      and m.organization_id is not distinct from r."organizationId" and ${isTheirs(sql`m.address`, sql`m.created_at`)}`,
    sql`delete from report_schedules s using ${gone} where s.owner_id = r.id`,
    sql`update mails m set address = r.address, subject = '', text = '', html = null from ${gone}
      where m.organization_id is not distinct from r."organizationId" and ${isTheirs(sql`m.address`, sql`m.created_at`)}`,
    sql`update certificates c set body = null from ${gone} where c.user_id = r.id and c.body is not null`,
    sql`update training_waivers w set reason = '' from ${gone} where w.user_id = r.id`,
    sql`update training_waivers w set given_by_name = r.pseudonym from ${gone} where w.given_by = r.id`,
    sql`update training_waivers w set ended_by_name = r.pseudonym from ${gone} where w.ended_by = r.id`,
    sql`delete from hidden_attention h using ${gone} where h.owner_id = r.id`,
    sql`delete from saved_views v using ${gone} where v.owner_id = r.id and not v.shared`,
    sql`update operations p set params = p.params || jsonb_build_object('subject', r.pseudonym) from ${gone}, operation_rows w
      where w.operation_id = p.id and w.entity_id = r.id and p.total = 1 and p.params->>'subject' = w.label`,
    sql`update operations p set created_by_name = r.pseudonym from ${gone} where p.created_by = r.id`,
    sql`update operations p set undone_by_name = r.pseudonym from ${gone} where p.undone_by = r.id`,
    sql`update operation_rows w set label = r.pseudonym, input = null, before = null, after = null from ${gone}
      where w.entity_id = r.id and w.entity in ('user', 'member')`,
  ]
}
