import type { FastifyInstance } from 'fastify'
import * as auth from '#contract/auth.ts'
import { refuse } from '../errors.ts'
import { audit } from '../http/audit.ts'
import type { Caller } from '../http/bearer.ts'
import type { Mount } from '../http/mount.ts'
import type { Services } from '../http/services.ts'
import { afterAnswers } from '../identity/after.ts'
import { askForCode, verifyCode } from '../identity/codes.ts'
import { flowTokenOf } from '../identity/flows.ts'
import { accountById, anybodyExists, toSessionUser } from '../identity/queries.ts'
import { invitationRoutes } from './invitation.ts'
import { resetPassword } from './reset.ts'
import { factorRoutes } from './factors.ts'
import { completeWithCode, verifyFlowCode } from './second-step.ts'
import { endSession, lockSession } from '../identity/session.ts'
import { securityRoutes } from './security.ts'
import { setUp } from './setup.ts'
import { asAddress, reauthenticate, signIn } from './sign-in.ts'
import { presentSession, viewAsRoutes } from './view-as.ts'

export function authRoutes(app: FastifyInstance, mount: Mount, services: Services): void {
  signInRoutes(mount, services)
  codeRoutes(app, mount, services)
  setupRoutes(mount, services)
  invitationRoutes(mount, services)
  securityRoutes(mount)
  viewAsRoutes(mount)
  factorRoutes(mount, services)
}

function signInRoutes(mount: Mount, services: Services): void {
  mount(auth.login, ({ body, request, caller }) => signIn({ services, request, caller }, body))

  mount(auth.verifyPassword, ({ body, request, caller }) =>
    caller
      ? reauthenticate({ services, request, caller }, body)
      : signIn({ services, request, caller }, body),
  )

  mount(auth.logout, async ({ tx, caller, request }) => {
    await endSession(tx, caller.sessionId)
    const { organizationId, userId } = caller
    await audit(
      tx,
      { caller, request },
      { organizationId, action: 'auth.sign_out', entity: 'user', entityId: userId },
    )
    return {}
  })

  mount(auth.readSession, ({ tx, caller }) => presentSession(tx, caller))

  mount(auth.lockSession, async ({ tx, caller, request }) => {
    await lockSession(tx, caller.sessionId)
    const { organizationId, userId } = caller
    const entry = { organizationId, action: 'auth.lock', entity: 'user', entityId: userId }
    await audit(tx, { caller, request }, entry)
    return { user: await ownerOf(services, caller) }
  })
}

/** Read on its own: while looking through other eyes, the owner stands outside of the organization that is looked at. */
async function ownerOf({ db }: Services, { userId, viewer }: Caller): Promise<auth.SessionUser> {
  const account = await db.as('system', (tx) => accountById(tx, viewer?.id ?? userId))
  if (!account) throw refuse('unauthenticated')
  return toSessionUser(account)
}

function codeRoutes(app: FastifyInstance, mount: Mount, services: Services): void {
  const afterAnswer = afterAnswers(app)

  mount(auth.sendVerification, async ({ body, request, reply, caller }) => {
    const identifier = asAddress(body.identifier)
    const { purpose } = body
    if (purpose === 'login') {
      throw refuse('forbidden', {
        detail: 'Signing in with a code is switched off here. Please use your password.',
      })
    }
    if (purpose !== 'confirm_email') requireOwnAddress(caller, identifier)
    const asked = await askForCode({ services, request, identifier, purpose })
    afterAnswer(reply, asked.mail)
    return asked.answer
  })

  mount(auth.forgotPassword, async ({ body, request, reply }) => {
    const identifier = asAddress(body.identifier)
    const asked = await askForCode({ services, request, identifier, purpose: 'reset_password' })
    afterAnswer(reply, asked.mail)
    return asked.answer
  })

  mount(auth.verifyToken, ({ body, request, caller }) => {
    const { code, methodType } = body
    const identifier = asAddress(body.identifier)
    if (methodType === 'email')
      return verifyCode({ services, flowToken: flowTokenOf(request), code, identifier })
    return completeWithCode({ services, request, caller }, { code, identifier, factor: methodType })
  })

  mount(auth.verifyAuthCode, ({ body, request, caller }) =>
    verifyFlowCode({ services, request, caller }, body.code),
  )

  mount(auth.resetPassword, ({ body, request, caller }) => resetPassword({ services, request, caller }, body))
}

/** Codes for what only a signed-in person can do go to their own address. */
function requireOwnAddress(caller: Caller | undefined, identifier: string): void {
  if (!caller) throw refuse('unauthenticated')
  if (caller.email !== identifier) throw refuse('forbidden')
}

function setupRoutes(mount: Mount, services: Services): void {
  mount(auth.readSetup, async () => ({
    needed: !(await services.db.as('system', anybodyExists)),
  }))

  mount(auth.setUp, ({ body, request }) => setUp({ services, request }, body))
}
