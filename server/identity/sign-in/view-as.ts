import { type PresentSession } from '#contract/identity/auth.ts'
import { stopImpersonating, viewAs, viewingMinutes } from '#contract/identity/view-as.ts'
import type { Tx } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import { reauthenticatedUntil, type Caller } from '../../platform/http/bearer.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { accountById, toSessionUser, type Account } from '../queries.ts'
import { setViewing } from '../session.ts'

type PresentCaller = Pick<Caller, 'userId' | 'viewer' | 'idleExpiresAt' | 'expiresAt' | 'reauthenticatedAt'>

/** Who the session belongs to, or whom it looks through the eyes of. */
export async function presentSession(tx: Tx, caller: PresentCaller): Promise<PresentSession> {
  const account = await accountById(tx, caller.userId)
  if (!account) throw refuse('unauthenticated')
  const { viewer } = caller
  const until = reauthenticatedUntil(caller)
  return {
    user: toSessionUser(account),
    idleExpiresAt: caller.idleExpiresAt.toISOString(),
    expiresAt: caller.expiresAt.toISOString(),
    reauthenticatedUntil: until?.toISOString() ?? null,
    viewing: viewer && { by: viewer.name, reason: viewer.reason, until: viewer.until.toISOString() },
  }
}

/** Both entries belong to the organization of the person looked at, so that its administrators see who looked, and why. */
export function viewAsRoutes(mount: Mount): void {
  mount(viewAs, async ({ tx, caller, request, body: { userId, reason } }) => {
    const seen = await viewable(tx, userId)
    const minutes = viewingMinutes
    const until = await setViewing(tx, caller.sessionId, { userId, reason, minutes })
    if (!until) throw refuse('unauthenticated')
    const entry = { organizationId: seen.organizationId, entity: 'user', entityId: userId }
    const after = { reason, until: until.toISOString() }
    await audit(tx, { caller, request }, { ...entry, action: 'view_as.started', after })
    const viewer = { id: caller.userId, name: caller.name, reason, until }
    return presentSession(tx, { ...caller, userId, viewer })
  })

  mount(stopImpersonating, async ({ tx, caller, request }) => {
    if (!caller.viewer) return {}
    await setViewing(tx, caller.sessionId, undefined)
    const entry = { organizationId: caller.organizationId, entity: 'user', entityId: caller.userId }
    await audit(tx, { caller, request }, { ...entry, action: 'view_as.ended' })
    return {}
  })
}

/** Somebody of a lower role who may enter. */
async function viewable(tx: Tx, userId: string): Promise<Account> {
  const account = await accountById(tx, userId)
  if (!account) throw refuse('not_found')
  if (account.role === 'superadmin') throw refuse('forbidden', { reason: { code: 'view_as_superadmin' } })
  if (!account.mayEnter) throw refuse('conflict', { reason: { code: 'view_as_nobody' } })
  return account
}
