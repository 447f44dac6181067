import * as z from 'zod/mini'
import { fieldDays } from '#contract/fields.ts'
import { row, type Database, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit } from '../../platform/http/audit.ts'

/** Takes the values of fields away that were removed `fieldDays` ago, and then the fields themselves. */
export async function eraseFields(db: Database): Promise<void> {
  let more = true
  while (more) more = await db.as('system', eraseOne)
}

const Field = z.object({ id: z.string(), organizationId: z.string(), key: z.string(), label: z.string() })

async function eraseOne(tx: Tx): Promise<boolean> {
  const field = await row(
    tx,
    Field,
    sql`delete from custom_fields where id = (select id from custom_fields
        where deleted_at <= now() - make_interval(days => ${fieldDays}) order by deleted_at limit 1 for update skip locked)
      returning id, organization_id as "organizationId", key, label`,
  )
  if (!field) return false
  const { id, organizationId, key, label } = field
  await tx.execute(
    sql`update users set custom_fields = custom_fields - ${key}::text
      where organization_id = ${organizationId} and custom_fields ? ${key}::text`,
  )
  const entry = { organizationId, action: 'field.erased' as const, entity: 'field', entityId: id }
  await audit(tx, 'system', { ...entry, before: { name: label } })
  return true
}
