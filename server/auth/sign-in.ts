import type { FastifyRequest } from 'fastify'
import type { Reauthenticated, SignInAnswer } from '#contract/auth.ts'
import type { Tx } from '../db/client.ts'
import { refuse } from '../errors.ts'
import { audit } from '../http/audit.ts'
import type { Caller } from '../http/bearer.ts'
import type { Services } from '../http/services.ts'
import { verifyPasswordHash } from '../identity/hash.ts'
import { forgiveTries, passwordLimits, returnTry, takeTry } from '../identity/limit.ts'
import { accountByEmail, type Account } from '../identity/queries.ts'
import { rotateSession } from '../identity/session.ts'
import { afterFirstProof } from './steps.ts'

/** Addresses are stored in lower case; what people type around them is not theirs. */
export function asAddress(identifier: string): string {
  return identifier.trim().toLowerCase()
}

type Credentials = { identifier: string; password: string; remember?: boolean | undefined }
export type Asking = { services: Services; request: FastifyRequest; caller: Caller | undefined }

/** Unknown, switched off, without a role, wrong password: one answer, after the same work. */
export async function signIn(asking: Asking, credentials: Credentials): Promise<SignInAnswer> {
  return withPassword({
    asking,
    credentials,
    action: 'auth.sign_in',
    owns: () => true,
    grant: (tx, account) =>
      afterFirstProof(tx, {
        asking,
        account,
        proved: { amr: ['pwd'], remember: credentials.remember === true },
      }),
  })
}

/** Proves again that the person of the session is the one who asks; only their own password does. */
export async function reauthenticate(
  asking: Asking & { caller: Caller },
  credentials: Credentials,
): Promise<Reauthenticated> {
  return withPassword({
    asking,
    credentials,
    action: 'auth.reauthenticate',
    owns: (account) => account.id === (asking.caller.viewer?.id ?? asking.caller.userId),
    grant: (tx) => rotateSession(tx, asking.caller.sessionId),
  })
}

type Step<T> = {
  asking: Asking
  credentials: Credentials
  action: string
  owns: (account: Account) => boolean
  grant: (tx: Tx, account: Account) => Promise<T>
}

/** The hash is worked out between two transactions, so that nobody holds a connection while waiting for a core. */
async function withPassword<T>({ asking, credentials, action, owns, grant }: Step<T>): Promise<T> {
  const { services, request } = asking
  const { db, keys } = services
  const email = asAddress(credentials.identifier)
  const limits = passwordLimits({ keys, identifier: email, ip: request.ip })
  const account = await db.as('system', async (tx) => {
    await takeTry(tx, limits)
    return accountByEmail(tx, email)
  })
  const stored = account?.mayEnter && owns(account) ? account.passwordHash : null
  const right = await verifyPasswordHash(
    credentials.password,
    stored,
    () => request.raw.socket.destroyed,
  ).catch(async (error: unknown) => {
    await db.as('system', (tx) => returnTry(tx, limits))
    throw error
  })
  const entry = {
    organizationId: account?.organizationId ?? null,
    entity: 'user',
    entityId: account?.id ?? null,
    after: { factor: 'password' },
  }
  if (!right || !account) {
    await db.as('system', (tx) => audit(tx, asking, { ...entry, action: `${action}_failed` }))
    throw refuse('invalid_credentials')
  }
  return db.as('system', async (tx) => {
    const done = await grant(tx, account)
    await forgiveTries(tx, limits)
    await audit(tx, { ...asking, caller: { userId: account.id } }, { ...entry, action })
    return done
  })
}
