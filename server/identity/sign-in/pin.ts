import type { AuditAction } from '#contract/platform/audit-actions.ts'
import type { SignInAnswer } from '#contract/identity/auth.ts'
import type { Tx } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import { exchange, tryCode } from '../factors/codes.ts'
import { consume, flowTokenOf, type Flow } from '../flows.ts'
import { accountById, type Account } from '../queries.ts'
import { systemSecurity } from '../security.ts'
import { afterFirstProof, type Asking } from './steps.ts'

export async function requireSignInCode(tx: Tx): Promise<void> {
  if ((await systemSecurity(tx)).signInCode) return
  throw refuse('forbidden', { reason: { code: 'sign_in_code_off' } })
}

/** A code that came by mail: for signing in it stands in place of the password, for everything else it opens the next step. */
export async function verifyMailedCode(asking: Asking, given: { code: string; identifier?: string }) {
  const { services, request } = asking
  const { code, identifier } = given
  const flow = await tryCode({ services, flowToken: flowTokenOf(request), code, identifier })
  if (flow.purpose === 'login') return signInWithCode(asking, flow)
  return services.db.as('system', (tx) => exchange(tx, flow))
}

/** A mailbox alone never opens the console: whoever has no second factor is refused, and the code is spent. */
async function signInWithCode(asking: Asking, flow: Flow): Promise<SignInAnswer> {
  const { db } = asking.services
  const answer = await db.as('system', async (tx) => {
    await requireSignInCode(tx)
    await consume(tx, flow)
    const account = await accountById(tx, flow.userId)
    if (!account?.mayEnter) throw refuse('flow_expired')
    const isEnough = account.methods.length > 0
    await note(tx, asking, { account, isEnough })
    const proved = { amr: ['mail' as const], remember: false }
    return isEnough ? afterFirstProof(tx, { asking, account, proved }) : undefined
  })
  if (answer) return answer
  throw refuse('forbidden', { reason: { code: 'code_is_not_enough' } })
}

function note(tx: Tx, { request }: Asking, { account, isEnough }: { account: Account; isEnough: boolean }) {
  const { organizationId, id } = account
  const action: AuditAction = isEnough ? 'auth.sign_in' : 'auth.sign_in_failed'
  const entry = { organizationId, action, entity: 'user', entityId: id, after: { factor: 'email' } }
  return audit(tx, { request, caller: { userId: id } }, entry)
}
