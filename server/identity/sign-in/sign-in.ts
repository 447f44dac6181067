import { mailForm } from '#contract/identity/addresses.ts'
import type { Reauthenticated, SignInAnswer } from '#contract/identity/auth.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import { expireIfBreached, expirePassword } from '../password/breach.ts'
import { isCommonPassword } from '../password/judge.ts'
import { provePassword, type Proving } from '../password/password.ts'
import { rotateSession } from '../session.ts'
import { requireWayIn } from '../sso/way-in.ts'
import { afterFirstProof } from './steps.ts'

type Credentials = { identifier: string; password: string; remember?: boolean | undefined }

/** The first proof. A password that everybody knows by now still opens the step in which another one is chosen. */
export async function signIn(asking: Proving, credentials: Credentials): Promise<SignInAnswer> {
  const { services, later } = asking
  const { password, remember = false } = credentials
  const { account, recordSuccess } = await provePassword(asking, {
    identifier: mailForm(credentials.identifier),
    password,
    action: 'auth.sign_in',
    owns: () => true,
  })
  const isExpired = account.passwordExpired === null && isCommonPassword(password)
  const answer = await services.db.as('system', async (tx) => {
    if (isExpired) await expirePassword(tx, account)
    const known = isExpired ? { ...account, passwordExpired: 'breached' as const } : account
    const proved = { amr: ['pwd' as const], remember }
    const reached = await afterFirstProof(tx, { asking, account: known, proved })
    await recordSuccess(tx)
    return reached
  })
  later(() => expireIfBreached(services, account, password))
  return answer
}

/** Proves again that the person of the session is the one who asks; only their own password does. */
export async function reauthenticate(
  asking: Proving & { caller: Caller },
  { identifier, password }: Credentials,
): Promise<Reauthenticated> {
  const { services, caller } = asking
  const { account, recordSuccess } = await provePassword(asking, {
    identifier: mailForm(identifier),
    password,
    action: 'auth.reauthenticate',
    owns: (account) => account.id === (caller.viewer?.id ?? caller.userId),
  })
  return services.db.as('system', async (tx) => {
    await requireWayIn(tx, account, asking)
    const rotated = await rotateSession(tx, caller.sessionId)
    await recordSuccess(tx)
    return rotated
  })
}
