import { hasRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { Refusal, refuse } from '../../platform/errors.ts'
import { addressOf } from '../../platform/http/address.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import { forgetOtherDevices } from '../devices.ts'
import { hashPassword, verifyPasswordHash } from '../password/hash.ts'
import { judgeNewPassword } from '../password/judge.ts'
import { forgetPasswordTries } from '../limit.ts'
import { queueNotice } from '../notices.ts'
import { provePassword, type Proving } from '../password/password.ts'
import { storePassword, type Account } from '../queries.ts'
import { endAccess, rotateSession } from '../session.ts'

type Asking = Proving & { caller: Caller }
type Input = { currentPassword: string; password: string }

/** The present password proves the person; what was open elsewhere ends, and what is open here goes on under a new token. */
export async function replacePassword(asking: Asking, input: Input) {
  const { services, request, caller } = asking
  const { account, recordSuccess } = await provePassword(asking, {
    identifier: caller.email,
    password: input.currentPassword,
    action: 'auth.change_password',
    owns: ({ id }) => id === caller.userId,
  }).catch((error: unknown) => {
    throw asField(error)
  })
  const gone = () => request.raw.socket.destroyed
  await requireOther(asking, account, input.password)
  const passwordHash = await hashPassword(input.password, gone)
  return services.db.as('system', async (tx) => {
    await requireUnchangedPassword(tx, account)
    await storePassword(tx, account.id, passwordHash)
    const ending = { reason: 'password_changed', by: account.id, exceptSession: caller.sessionId } as const
    const sessionsRevoked = await endAccess(tx, account.id, ending)
    await forgetPasswordTries(tx, { keys: services.keys, identifier: account.email, ip: addressOf(request) })
    await forgetOtherDevices(tx, asking, account.id)
    await recordSuccess(tx)
    await queueNotice(services, tx, { person: account, event: 'password_changed' })
    const { token, reauthenticatedUntil } = await rotateSession(tx, caller.sessionId)
    return { status: 'password_changed' as const, token, reauthenticatedUntil, sessionsRevoked }
  })
}

/** Beside the two fields of the new one, people have to see which of the three is wrong. */
function asField(error: unknown): unknown {
  const isWrong = error instanceof Refusal && error.fault.code === 'invalid_credentials'
  return isWrong ? refuse('invalid_credentials', { fields: { currentPassword: ['password_wrong'] } }) : error
}

/** Of two who change it at once, the second one has proved a password that is no longer the present one. */
async function requireUnchangedPassword(tx: Tx, { id, passwordHash }: Account): Promise<void> {
  const same = await hasRow(
    tx,
    sql`select 1 from users where id = ${id} and password_hash = ${passwordHash} for update`,
  )
  if (!same) throw refuse('conflict', { reason: { code: 'password_changed_meanwhile' } })
}

async function requireOther({ services }: Asking, account: Account, password: string): Promise<void> {
  const reasons = await judgeNewPassword(services, password, account)
  if (await verifyPasswordHash(password, account.passwordHash)) reasons.push('password_same_as_current')
  if (reasons.length > 0) throw refuse('password_rejected', { fields: { password: reasons } })
}
