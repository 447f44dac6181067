import type { FastifyInstance } from 'fastify'
import {
  endOrganizationSessions,
  endOtherSessions,
  endOwnSession,
  endUserSessions,
  listSessions,
  listUserSessions,
  unlockUser,
} from '#contract/identity/sessions.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { endAccess, endAccessOf } from '../session.ts'
import type { Keys } from '../../platform/keys.ts'
import type { Services } from '../../platform/http/services.ts'
import { isLockedOut, unlock } from '../unlock.ts'
import { connectionsOf, endOne, requireGoverned, sessionsOf } from './queries.ts'

export function sessionsRoutes(_app: FastifyInstance, mount: Mount, { keys }: Services): void {
  ownRoutes(mount)
  governedRoutes(mount, keys)
}

function ownRoutes(mount: Mount): void {
  mount(listSessions, async ({ tx, caller }) => ({
    items: await sessionsOf(tx, caller.userId, caller.sessionId),
  }))

  mount(endOwnSession, async ({ tx, caller, request, params: { sessionId } }) => {
    const { userId, organizationId } = caller
    await endOne(tx, { userId, sessionId, by: userId })
    const entry = { organizationId, entity: 'user', entityId: userId, after: { sessionId } }
    await audit(tx, { caller, request }, { ...entry, action: 'session.ended' })
    return {}
  })

  mount(endOtherSessions, async ({ tx, caller, request }) => {
    const { userId, organizationId, sessionId } = caller
    const ended = await endAccess(tx, userId, { reason: 'by_owner', by: userId, exceptSession: sessionId })
    const entry = { organizationId, entity: 'user', entityId: userId, after: { ended } }
    await audit(tx, { caller, request }, { ...entry, action: 'session.others_ended' })
    return { ended }
  })
}

function governedRoutes(mount: Mount, keys: Keys): void {
  mount(listUserSessions, async ({ tx, caller, params }) => {
    await requireGoverned(tx, caller, params)
    const items = await sessionsOf(tx, params.userId, caller.sessionId)
    return {
      items,
      isLockedOut: await isLockedOut(tx, keys, params),
      connections: await connectionsOf(tx, params.userId),
    }
  })

  mount(unlockUser, async ({ tx, caller, request, params }) => {
    await requireGoverned(tx, caller, params)
    await unlock(tx, keys, params)
    const entry = { organizationId: params.orgId, entity: 'user', entityId: params.userId }
    await audit(tx, { caller, request }, { ...entry, action: 'user.unlocked' })
    return {}
  })

  mount(endUserSessions, async ({ tx, caller, request, params, body: { sessionId } }) => {
    await requireGoverned(tx, caller, params)
    const { userId, orgId } = params
    if (sessionId !== undefined) await endOne(tx, { userId, sessionId, by: caller.userId })
    const ended =
      sessionId === undefined ? await endAccess(tx, userId, { reason: 'by_admin', by: caller.userId }) : 1
    const entry = { organizationId: orgId, entity: 'user', entityId: userId, after: { ended } }
    await audit(tx, { caller, request }, { ...entry, action: 'session.ended_by_admin' })
    return { ended }
  })

  mount(endOrganizationSessions, async ({ tx, caller, request, params: { orgId } }) => {
    const who = sql`u.organization_id = ${orgId} and u.id <> ${caller.userId}`
    const ended = await endAccessOf(tx, who, { reason: 'by_admin', by: caller.userId })
    const entry = { organizationId: orgId, entity: 'organization', entityId: orgId, after: { ended } }
    await audit(tx, { caller, request }, { ...entry, action: 'session.organization_ended' })
    return { ended }
  })
}
