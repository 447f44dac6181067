import type { FastifyInstance } from 'fastify'
import { mailForm } from '#contract/identity/addresses.ts'
import * as auth from '#contract/identity/auth.ts'
import * as setup from '#contract/identity/setup.ts'
import { Email } from '#contract/directory/users.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import { requireFresh, type Caller } from '../../platform/http/bearer.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { afterAnswers, type AfterAnswer } from '../after.ts'
import { askForCode } from '../factors/codes.ts'
import { boundGuesses } from '../guesses.ts'
import { accountById, anybodyExists, toSessionUser } from '../queries.ts'
import { invitationRoutes } from './invitation.ts'
import { requireSignInCode, verifyMailedCode } from './pin.ts'
import { resetPassword } from './reset.ts'
import { factorRoutes } from './factors.ts'
import { completeWithCode, verifyFlowCode } from './second-step.ts'
import { endSession, lockSession } from '../session.ts'
import { securityRoutes } from './security.ts'
import { setUp, type AddOrganization } from './setup.ts'
import { reauthenticate, signIn } from './sign-in.ts'
import { presentSession, viewAsRoutes } from './view-as.ts'

export function authRoutes(addOrganization: AddOrganization) {
  return (app: FastifyInstance, mount: Mount, services: Services): void => {
    const afterAnswer = afterAnswers(app)
    boundGuesses(app, services)
    signInRoutes(mount, services, afterAnswer)
    codeRoutes(mount, services, afterAnswer)
    setupRoutes(mount, services, addOrganization)
    invitationRoutes(mount, services)
    securityRoutes(mount)
    viewAsRoutes(mount)
    factorRoutes(mount, services)
  }
}

function signInRoutes(mount: Mount, services: Services, afterAnswer: AfterAnswer): void {
  mount(auth.login, ({ body, request, reply, caller }) => {
    const later = (work: () => Promise<unknown>) => afterAnswer(reply, work)
    return signIn({ services, request, caller, later }, body)
  })

  mount(auth.verifyPassword, ({ body, request, reply, caller }) => {
    const asking = { services, request, later: (work: () => Promise<unknown>) => afterAnswer(reply, work) }
    return caller ? reauthenticate({ ...asking, caller }, body) : signIn({ ...asking, caller }, body)
  })

  mount(auth.logout, async ({ tx, caller, request }) => {
    await endSession(tx, caller.sessionId)
    const { organizationId, userId } = caller
    const entry = { organizationId, action: 'auth.sign_out' as const, entity: 'user', entityId: userId }
    await audit(tx, { caller, request }, entry)
    return {}
  })

  mount(auth.readSession, ({ tx, caller }) => presentSession(tx, caller))

  mount(auth.lockSession, async ({ tx, caller, request }) => {
    await lockSession(tx, caller.sessionId)
    const { organizationId, userId } = caller
    const entry = { organizationId, action: 'auth.lock' as const, entity: 'user', entityId: userId }
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

function codeRoutes(mount: Mount, services: Services, afterAnswer: AfterAnswer): void {
  mount(auth.sendVerification, async ({ body, request, reply, caller }) => {
    const identifier = mailForm(body.identifier)
    const { purpose } = body
    if (purpose === 'login') await services.db.as('system', requireSignInCode)
    if (purpose === 'step_up' || purpose === 'delete_account') requireOwnAddress(caller, identifier)
    const claimant = purpose === 'confirm_email' ? claimantOf(caller, identifier) : undefined
    const asked = await askForCode({ services, request, identifier, purpose, claimant })
    afterAnswer(reply, asked.mail)
    return asked.answer
  })

  mount(auth.forgotPassword, async ({ body, request, reply }) => {
    const identifier = mailForm(body.identifier)
    const asked = await askForCode({ services, request, identifier, purpose: 'reset_password' })
    afterAnswer(reply, asked.mail)
    return asked.answer
  })

  mount(auth.verifyToken, ({ body, request, caller }) => {
    const { code, methodType } = body
    const identifier = mailForm(body.identifier)
    if (methodType === 'email') return verifyMailedCode({ services, request, caller }, { code, identifier })
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
  if (caller.email !== identifier) throw refuse('forbidden', { reason: { code: 'own_address_only' } })
}

/** Whoever is signed in, and has just proved it, may claim an address that is not theirs yet: the code goes there. */
function claimantOf(caller: Caller | undefined, identifier: string): Caller | undefined {
  if (!caller || caller.email === identifier) return undefined
  requireFresh(caller)
  if (!Email.safeParse(identifier).success)
    throw refuse('validation_failed', { fields: { identifier: ['invalid_email'] } })
  return caller
}

function setupRoutes(mount: Mount, services: Services, addOrganization: AddOrganization): void {
  mount(setup.readSetup, async () => ({
    needed: !(await services.db.as('system', anybodyExists)),
  }))

  mount(setup.setUp, ({ body, request }) => setUp({ services, request, addOrganization }, body))
}
