import type { Account } from '#contract/identity/account.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import type { Services } from '../../platform/http/services.ts'
import type { CallContext } from '../../platform/http/bearer.ts'
import { consume, flowTokenOf, verifiedFlow } from '../flows.ts'
import { queueNotice } from '../notices.ts'
import { endAccess } from '../session.ts'
import { note, readProfile } from './profile.ts'

/**
 * The verified flow says which address: the one whose mailbox was read by whoever asked for the code while signed in as this
 * person. Both addresses learn of it; a taken one is refused only here, after it has been proved.
 */
export async function takeAddress(services: Services, by: CallContext): Promise<Account> {
  const { tx, caller, request } = by
  const flow = await verifiedFlow(tx, flowTokenOf(request))
  if (flow.purpose !== 'confirm_email' || flow.userId !== caller.userId) throw refuse('flow_expired')
  await consume(tx, flow)
  const before = await readProfile(by, true)
  if (before.email === flow.identifier) return before
  await tx.execute(
    sql`update users set email = ${flow.identifier}, updated_at = now() where id = ${caller.userId}`,
  )
  await endAccess(tx, caller.userId, {
    reason: 'by_owner',
    by: caller.userId,
    exceptSession: caller.sessionId,
  })
  const change = { from: before.email, to: flow.identifier }
  await note(by, 'account.email_changed', { before: { email: change.from }, after: { email: change.to } })
  for (const email of [change.from, change.to]) {
    const person = { id: caller.userId, organizationId: caller.organizationId, name: before.name, email }
    await queueNotice(services, tx, { person, event: 'email_changed', facts: change })
  }
  return readProfile(by)
}
