import * as z from 'zod/mini'
import { row } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import type { Services } from '../../platform/http/services.ts'
import type { CallContext } from '../../platform/http/bearer.ts'
import { queueNotice } from '../notices.ts'
import { graceDays, requireAnotherSuperadmin } from '../removal.ts'
import { endAccess } from '../session.ts'
import { requireNotBreakGlass } from '../sso/break-glass.ts'
import { note, readProfile } from './profile.ts'

const Scheduled = z.object({ deleteAfter: z.string() })

/** From now on the account is on its way out: nothing of it is open, and it goes on the day unless its owner signs in. */
export async function scheduleDeletion(services: Services, by: CallContext, typed: string) {
  const { tx, caller } = by
  if (caller.role === 'superadmin') await requireAnotherSuperadmin(tx, caller.userId)
  await requireNotBreakGlass(tx, caller.userId)
  const { email, name } = await readProfile(by, true)
  if (typed !== email) throw refuse('validation_failed', { fields: { email: ['email_differs'] } })
  const scheduled = await row(
    tx,
    Scheduled,
    sql`update users set delete_after = now() + make_interval(days => ${graceDays}), updated_at = now()
      where id = ${caller.userId} returning ${isoText(sql`delete_after`)} as "deleteAfter"`,
  )
  if (!scheduled) throw refuse('unauthenticated')
  const { deleteAfter } = scheduled
  await endAccess(tx, caller.userId, { reason: 'removed', by: caller.userId })
  await note(by, 'account.deletion_asked', { after: { deleteAfter } })
  const person = { id: caller.userId, organizationId: caller.organizationId, name, email }
  const facts = { day: new Date(deleteAfter) }
  await queueNotice(services, tx, { person, event: 'deletion_asked', facts })
  return { status: 'deletion_scheduled' as const, deleteAfter }
}
