import type { AuditAction } from '#contract/audit-actions.ts'
import type { FastifyInstance } from 'fastify'
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  readOrganization,
  updateOrganization,
} from '#contract/organizations.ts'
import { audit } from '../http/audit.ts'
import { requireUnchanged, type Mount } from '../http/mount.ts'
import {
  changeOrganization,
  findOrganization,
  findOrganizations,
  insertOrganization,
  lockOrganization,
  removeOrganization,
} from './queries.ts'

export function organizationsRoutes(_app: FastifyInstance, mount: Mount): void {
  mount(listOrganizations, ({ tx, caller, query, request }) =>
    findOrganizations(tx, { caller, query, request }),
  )

  mount(readOrganization, ({ tx, params }) => findOrganization(tx, params.orgId))

  mount(createOrganization, async ({ tx, caller, request, body }) => {
    const created = await insertOrganization(tx, body)
    await audit(tx, { caller, request }, entry('organization.created', { after: created }))
    return created
  })

  mount(updateOrganization, async ({ tx, caller, request, params, body }) => {
    const before = await lockOrganization(tx, params.orgId)
    requireUnchanged(request, new Date(before.updatedAt))
    const after = await changeOrganization(tx, before, body)
    await audit(tx, { caller, request }, entry('organization.changed', { before, after }))
    return after
  })

  mount(deleteOrganization, async ({ tx, caller, request, params }) => {
    const before = await lockOrganization(tx, params.orgId)
    await removeOrganization(tx, before.id, caller.userId)
    await audit(tx, { caller, request }, entry('organization.removed', { before }))
    return {}
  })
}

type Change = { before?: { id: string }; after?: { id: string } }

function entry(action: AuditAction, change: Change) {
  const id = change.after?.id ?? change.before?.id ?? null
  return { organizationId: id, action, entity: 'organization', entityId: id, ...change }
}
