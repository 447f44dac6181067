import * as z from 'zod/mini'
import { fieldDays } from '#contract/directory/fields.ts'
import { eachApart } from '../../platform/aside.ts'
import { row, rows, type Database, type Tx } from '../../platform/db/client.ts'
import { Id } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit } from '../../platform/http/audit.ts'

/** Takes the values of fields away that were removed `fieldDays` ago, and then the fields themselves. */
export async function eraseFields(db: Database): Promise<void> {
  const due = await rows(db.single, Id, sql`select id from custom_fields where ${isOver} order by deleted_at`)
  const nameOf = ({ id }: { id: string }) => ({ item: `field ${id}` })
  await eachApart({ db, loop: 'housekeeping', nameOf }, due, ({ id }) =>
    db.as('system', (tx) => eraseOne(tx, id)),
  )
}

const isOver = sql`deleted_at <= now() - make_interval(days => ${fieldDays})`

const Field = z.object({ id: z.string(), organizationId: z.string(), key: z.string(), label: z.string() })

async function eraseOne(tx: Tx, fieldId: string): Promise<void> {
  const field = await row(
    tx,
    Field,
    sql`delete from custom_fields where id = (select id from custom_fields where id = ${fieldId} and ${isOver} for update skip locked)
      returning id, organization_id as "organizationId", key, label`,
  )
  if (!field) return
  const { id, organizationId, key, label } = field
  await tx.execute(
    sql`update users set custom_fields = custom_fields - ${key}::text
      where organization_id = ${organizationId} and custom_fields ? ${key}::text`,
  )
  const entry = { organizationId, action: 'field.erased' as const, entity: 'field', entityId: id }
  await audit(tx, 'system', { ...entry, before: { name: label } })
}
