import type { AuditAction } from '#contract/platform/audit-actions.ts'
import type { FastifyInstance } from 'fastify'
import { exportUsers } from '#contract/videos/record-bulk.ts'
import {
  countUsers,
  createUser,
  deleteUser,
  listUsers,
  readRemoval,
  readUser,
  sendReset,
  updateUser,
  type User,
} from '#contract/directory/users.ts'
import { findRemoved, restoreUser } from '#contract/directory/removed-users.ts'
import { audit } from '../../platform/http/audit.ts'
import { requirePerson, type CallContext } from '../../platform/http/bearer.ts'
import { requireUnchanged, type Mount } from '../../platform/http/mount.ts'
import { beginExport } from '../../platform/http/lists/list-export.ts'
import type { Services } from '../../platform/http/services.ts'
import { visibilityOf } from '../../platform/http/visibility.ts'
import { endFlowsOf } from '../../identity/flows.ts'
import { queueNotice } from '../../identity/notices.ts'
import { requireNotBreakGlass } from '../../identity/sso/break-glass.ts'
import { recordOperation } from '../../operations/begin.ts'
import { applyRules } from '../people/rule-members.ts'
import { userBulkRoutes } from './bulk/routes.ts'
import { changeUser, insertUser, refuseRemoval } from './change.ts'
import { followPerson } from './invite.ts'
import { listFile, narrowed } from '../../documents/list-file.ts'
import { listedUsers } from './export.ts'
import { findRemoval, findUser, findUsers, readUserCounts } from './queries.ts'
import { removePeople } from './remove.ts'
import { findRemovedUser, restoreUsers } from './restore.ts'
import { askForNewPassword } from './send-reset.ts'

function note(by: CallContext, action: AuditAction, change: { before?: User; after?: User }) {
  const user = change.after ?? change.before
  const at = { organizationId: user?.organizationId ?? null, entityId: user?.id ?? null }
  return audit(by.tx, by, { ...at, action, entity: 'user', ...change })
}

/**
 * Tells the former address of a change, as somebody who signs in with it learns there that it is another one; a code that went there is
 * worthless.
 */
async function tellFormerAddress(
  services: Services,
  { tx, caller }: CallContext,
  { before, after }: Record<'before' | 'after', User>,
) {
  if (before.email === after.email || after.role === null) return
  await endFlowsOf(tx, after.id)
  const facts = { to: after.email, by: caller.name }
  const person = { ...after, email: before.email }
  await queueNotice(services, tx, { person, event: 'email_changed_by_admin', facts })
}

export function usersRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(listUsers, ({ tx, caller, params, query, request }) =>
    findUsers(tx, { visibility: visibilityOf(caller, params.orgId), query, request }),
  )

  mount(countUsers, ({ tx, caller, params }) => readUserCounts(tx, visibilityOf(caller, params.orgId)))

  mount(exportUsers, async ({ caller, scope, params: { orgId }, query, request }) => {
    const begun = {
      caller,
      request,
      organizationId: orgId,
      action: 'users.exported',
      what: 'people',
      after: query,
    } as const
    const { format, sort: _order, ...filter } = query
    return listFile(services, {
      format,
      file: await services.db.as(scope, (tx) => beginExport(tx, begun)),
      title: 'People',
      lead: 'Who gets videos here, and who administers them.',
      name: 'People',
      organizationId: orgId,
      filters: narrowed({ filter }),
      by: caller,
      list: await listedUsers({ db: services.db, scope, visibility: visibilityOf(caller, orgId), query }),
    })
  })

  mount(readUser, ({ tx, caller, params }) =>
    findUser(tx, { visibility: visibilityOf(caller, params.orgId), id: params.userId }),
  )

  mount(createUser, async ({ params, body, ...by }) => {
    const input = { caller: by.caller, organizationId: params.orgId, input: body }
    const after = await insertUser(by.tx, input)
    await followPerson({ services, ...by }, { after })
    await note(by, 'user.created', { after })
    return after
  })

  mount(updateUser, async ({ params: { orgId, userId }, body, ...by }) => {
    const visibility = visibilityOf(by.caller, orgId)
    const before = await findUser(by.tx, { visibility, id: userId, lock: true })
    requireUnchanged(by.request, new Date(before.updatedAt))
    const change = { caller: by.caller, before, organizationId: orgId, input: body }
    const after = await changeUser(by.tx, change)
    await followPerson({ services, ...by }, { before, after })
    await tellFormerAddress(services, by, { before, after })
    await note(by, 'user.changed', { before, after })
    return after
  })

  mount(sendReset, async ({ params: { orgId, userId }, ...by }) => {
    const visibility = visibilityOf(by.caller, orgId)
    const before = await findUser(by.tx, { visibility, id: userId, lock: true })
    await askForNewPassword(services, by, before)
    await note(by, 'user.reset_asked', { before })
    return findUser(by.tx, { visibility, id: userId })
  })

  mount(deleteUser, async ({ params: { orgId, userId }, ...by }) => {
    const visibility = visibilityOf(by.caller, orgId)
    const before = await findUser(by.tx, { visibility, id: userId, lock: true })
    refuseRemoval(by.caller, before)
    await requireNotBreakGlass(by.tx, userId)
    const removed = await removePeople({ services, ...by }, orgId, [userId])
    await note(by, 'user.removed', { before })
    const operationId = await recordOperation(by, {
      organizationId: orgId,
      kind: 'users.remove',
      entity: 'user',
      entityId: userId,
      label: before.name,
      outcome: 'removed',
      before: removed.get(userId)?.before,
      after: removed.get(userId)?.after,
    })
    return { operationId }
  })

  mount(findRemoved, async ({ tx, params: { orgId: organizationId }, query: { email } }) => ({
    user: (await findRemovedUser(tx, { organizationId, email })) ?? null,
  }))

  mount(restoreUser, async ({ params: { orgId: organizationId, userId }, ...by }) => {
    const visibility = visibilityOf(by.caller, organizationId)
    const asked = { organizationId, asker: by.caller, ids: [userId] }
    await restoreUsers({ services, ...by }, asked)
    await applyRules(by.tx, organizationId)
    const restored = await findUser(by.tx, { visibility, id: userId })
    // With a role somebody is invited anew, and no key lets anybody in.
    if (restored.role !== null) requirePerson(by.caller)
    return restored
  })

  mount(readRemoval, async ({ tx, caller, params: { orgId, userId } }) => {
    const person = await findUser(tx, { visibility: visibilityOf(caller, orgId), id: userId })
    return findRemoval(tx, person)
  })

  userBulkRoutes(mount, services)
}
