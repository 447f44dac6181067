import * as z from 'zod/mini'
import { eachApart } from '../../platform/aside.ts'
import { row, rows, setCause, type Tx } from '../../platform/db/client.ts'
import { Id } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Services } from '../../platform/http/services.ts'
import { queueNotice } from '../notices.ts'
import { forgetSecrets } from '../removal.ts'
import { endAccess } from '../session.ts'

/** Accounts whose owners have let their days of grace pass. Each in its own transaction, on however many servers, once. */
export async function finishDeletions(services: Services): Promise<void> {
  const { db } = services
  const due = await rows(db.single, Id, sql`select id from users where ${isOver} order by delete_after`)
  const nameOf = ({ id }: { id: string }) => ({ item: `account ${id}` })
  await eachApart({ db, loop: 'housekeeping', nameOf }, due, ({ id }) =>
    db.as('system', (tx) => finishOne(services, tx, id)),
  )
}

const isOver = sql`delete_after <= now() and deleted_at is null`

const Leaving = z.object({
  id: z.string(),
  organizationId: z.nullable(z.string()),
  name: z.string(),
  email: z.string(),
})
type Leaving = z.infer<typeof Leaving>

async function finishOne(services: Services, tx: Tx, userId: string): Promise<void> {
  const person = await row(
    tx,
    Leaving,
    sql`select id, organization_id as "organizationId", name, email from users
      where id = ${userId} and ${isOver} for update skip locked`,
  )
  if (!person) return
  const { id, organizationId } = person
  // Only a superadmin has no organization, and nobody else may be without one.
  await tx.execute(
    sql`update users set state = 'deleted', deleted_at = now(), updated_at = now(),
        role = case when organization_id is null then role end
      where id = ${id}`,
  )
  await setCause(tx, 'removal')
  await tx.execute(sql`delete from group_members where user_id = ${id}`)
  await forgetSecrets(tx, [id])
  await endAccess(tx, id, { reason: 'removed' })
  await audit(tx, 'system', { organizationId, action: 'account.deleted', entity: 'user', entityId: id })
  await queueNotice(services, tx, { person, event: 'deletion_done' })
}
