import type { FastifyRequest } from 'fastify'
import type { SignInAnswer } from '#contract/identity/auth.ts'
import { acceptInvitation, openInvitation, type OpenInvitation } from '#contract/identity/acceptance.ts'
import { addressOf } from '../../platform/http/address.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { hashPassword } from '../password/hash.ts'
import { requireGoodPassword } from '../password/judge.ts'
import { invitationLimits, returnTry, takeTry } from '../limit.ts'
import { admit, type Accepting } from './admit.ts'
import { heldBy, requireNoAccount, usable, type HeldInvitation } from './held.ts'

/** Whoever holds the link proves the mailbox by it. */
export function invitationRoutes(mount: Mount, services: Services): void {
  mount(openInvitation, ({ params, request }) => read({ services, request }, params.token))
  mount(acceptInvitation, ({ params, body, request }) =>
    accept({ services, request, token: params.token }, body),
  )
}

type Asking = { services: Services; request: FastifyRequest }

/** The invitation of a link, whatever has become of it; every try is counted. */
async function find({ services, request }: Asking, token: string): Promise<HeldInvitation> {
  const { db, keys } = services
  const limits = invitationLimits({ keys, identifier: token, ip: addressOf(request) })
  const held = await db.as('system', async (tx) => {
    await takeTry(tx, limits)
    return heldBy(tx, token)
  })
  return usable(held)
}

async function read(asking: Asking, token: string): Promise<OpenInvitation> {
  const held = await find(asking, token)
  await giveBack(asking, token)
  return held
}

/** Whoever has a real link is not the one who guesses. */
async function giveBack({ services, request }: Asking, token: string): Promise<void> {
  const limits = invitationLimits({ keys: services.keys, identifier: token, ip: addressOf(request) })
  await services.db.as('system', (tx) => returnTry(tx, limits))
}

type ChosenCredentials = { name: string; password: string }

/** The hash is worked out between two transactions; the second one decides, whoever was quicker. */
async function accept(asking: Accepting, { name, password }: ChosenCredentials): Promise<SignInAnswer> {
  const { services, request, token } = asking
  const held = await find(asking, token)
  requireNoAccount(held)
  await requireGoodPassword(services, password, { name, email: held.email })
  const passwordHash = await hashPassword(password, () => request.raw.socket.destroyed)
  const done = await services.db.as('system', (tx) => admit(tx, asking, { name, passwordHash }))
  await giveBack(asking, token)
  return done
}
