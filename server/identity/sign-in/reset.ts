import { mailForm } from '#contract/identity/addresses.ts'
import { addressOf } from '../../platform/http/address.ts'
import { audit } from '../../platform/http/audit.ts'
import { refuse } from '../../platform/errors.ts'
import { tryCode } from '../factors/codes.ts'
import { forgetOtherDevices } from '../devices.ts'
import { consume, endFlows, flowTokenOf, verifiedFlow, type Flow } from '../flows.ts'
import { hashPassword, verifyPasswordHash } from '../password/hash.ts'
import { judgeNewPassword } from '../password/judge.ts'
import { forgetPasswordTries } from '../limit.ts'
import { queueNotice } from '../notices.ts'
import { accountById, storePassword, type Account } from '../queries.ts'
import { endAccess } from '../session.ts'
import type { Asking } from './steps.ts'

type Input = { identifier?: string | undefined; code?: string | undefined; password: string }
type PasswordReset = { status: 'password_reset'; sessionsRevoked: number; next: 'sign-in' }

/**
 * Sets the password of whoever holds the verified flow, or the code of an open one. Every session ends and nobody is signed
 * in: the mailbox proves the address, the next sign-in proves the person. A rejected password leaves the flow as it was.
 */
export async function resetPassword(asking: Asking, input: Input): Promise<PasswordReset> {
  const { services, request } = asking
  const { db } = services
  const flow = await flowFor(asking, input)
  const account = await db.as('system', (tx) => accountById(tx, flow.userId))
  if (!account?.mayEnter) throw refuse('flow_expired')
  const gone = () => request.raw.socket.destroyed
  const reasons = await judgeNewPassword(services, input.password, account)
  const same =
    account.passwordHash !== null && (await verifyPasswordHash(input.password, account.passwordHash, gone))
  if (same) reasons.push('password_same_as_current')
  if (reasons.length > 0) throw refuse('password_rejected', { fields: { password: reasons } })
  const passwordHash = await hashPassword(input.password, gone)
  return replace({ asking, flow, account, passwordHash })
}

async function flowFor({ services, request }: Asking, { identifier, code }: Input): Promise<Flow> {
  const flowToken = flowTokenOf(request)
  const address = identifier === undefined ? undefined : mailForm(identifier)
  const flow =
    code === undefined
      ? await services.db.as('system', (tx) => verifiedFlow(tx, flowToken))
      : await tryCode({ services, flowToken, code, identifier: address })
  const fits = flow.purpose === 'reset_password' && (address === undefined || address === flow.identifier)
  if (!fits) throw refuse('flow_expired')
  return flow
}

type Replacing = { asking: Asking; flow: Flow; account: Account; passwordHash: string }

function replace({ asking, flow, account, passwordHash }: Replacing): Promise<PasswordReset> {
  const { services, request } = asking
  const { email, id, organizationId } = account
  return services.db.as('system', async (tx) => {
    await consume(tx, flow)
    await storePassword(tx, id, passwordHash)
    const sessionsRevoked = await endAccess(tx, id, { reason: 'password_changed', by: id })
    await endFlows(tx, { identifier: flow.identifier, purpose: 'reset_password', alsoVerified: true })
    await forgetPasswordTries(tx, { keys: services.keys, identifier: email, ip: addressOf(request) })
    await forgetOtherDevices(tx, asking, id)
    await audit(
      tx,
      { request, caller: { userId: id } },
      {
        organizationId,
        action: 'auth.reset_password',
        entity: 'user',
        entityId: id,
        after: { factor: 'email', sessionsRevoked },
      },
    )
    await queueNotice(services, tx, { person: account, event: 'password_changed' })
    return { status: 'password_reset', sessionsRevoked, next: 'sign-in' }
  })
}
