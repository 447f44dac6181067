import { mayGrant } from '#contract/roles.ts'
import type { User } from '#contract/directory/users.ts'
import type { Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { queueNotice } from '../../identity/notices.ts'
import { endAccess } from '../../identity/session.ts'

type CallerInTx = { tx: Tx; caller: Caller }

/**
 * Asks somebody for a new password, because nobody chooses one for somebody else. They are signed out, and the password that they had opens
 * only that step.
 */
export async function askForNewPassword(
  services: Services,
  { tx, caller }: CallerInTx,
  user: User,
): Promise<void> {
  if (user.id === caller.userId) throw refuse('conflict', { reason: { code: 'own_password' } })
  if (!mayGrant(caller.role, user.role)) throw refuse('forbidden')
  if (user.role === null || user.state !== 'active')
    throw refuse('conflict', { reason: { code: 'no_password' } })
  await tx.execute(
    sql`update users set password_expired = 'reset_by_admin', updated_at = now()
      where organization_id = ${user.organizationId} and id = ${user.id} and password_hash is not null`,
  )
  await endAccess(tx, user.id, { reason: 'by_admin', by: caller.userId })
  await queueNotice(services, tx, { person: user, event: 'reset_by_admin', facts: { by: caller.name } })
}
