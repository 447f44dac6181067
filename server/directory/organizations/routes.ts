import type { AuditAction } from '#contract/platform/audit-actions.ts'
import type { FastifyInstance } from 'fastify'
import {
  changeOrganizationState,
  createOrganization,
  deleteOrganization,
  listOrganizations,
  readOrganization,
  readWatchers,
  updateOrganization,
  updateOrganizationSettings,
  type Organization,
  type OrganizationInput,
} from '#contract/directory/organizations.ts'
import { audit } from '../../platform/http/audit.ts'
import type { CallContext } from '../../platform/http/bearer.ts'
import { requireUnchanged, type Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { recordOperation } from '../../operations/begin.ts'
import { countWatchers } from './watchers.ts'
import { organizationBulkRoutes, removeOrganizations } from './bulk.ts'
import {
  changeOrganization,
  findOrganization,
  findOrganizations,
  followOwnPolicies,
  type FollowPolicies,
  insertOrganization,
  lockOrganization,
  signOut,
} from './queries.ts'

export function organizationsRoutes(others: readonly FollowPolicies[]) {
  const follow: FollowPolicies = async (tx, before, after) => {
    for (const one of [followOwnPolicies, ...others]) await one(tx, before, after)
  }
  return (_app: FastifyInstance, mount: Mount, services: Services): void => {
    mount(listOrganizations, ({ tx, caller, query, request }) =>
      findOrganizations(tx, { caller, query, request }),
    )

    mount(readOrganization, ({ tx, params }) => findOrganization(tx, params.orgId))

    mount(readWatchers, ({ tx, params }) => countWatchers(tx, params.orgId))

    mount(createOrganization, async ({ tx, caller, request, body }) => {
      const created = await insertOrganization(tx, body)
      await follow(tx, null, created)
      await audit(tx, { caller, request }, entry('organization.created', { after: created }))
      return created
    })

    mount(updateOrganization, async ({ params, body, ...by }) => {
      const before = await lockOrganization(by.tx, params.orgId)
      requireUnchanged(by.request, new Date(before.updatedAt))
      return change(follow, by, { before, input: body })
    })

    mount(updateOrganizationSettings, async ({ params, body, ...by }) => {
      const before = await lockOrganization(by.tx, params.orgId)
      requireUnchanged(by.request, new Date(before.updatedAt))
      return change(follow, by, { before, input: body })
    })

    mount(changeOrganizationState, async ({ params, body: { state }, ...by }) => {
      const before = await lockOrganization(by.tx, params.orgId)
      return before.state === state
        ? before
        : change(follow, by, { before, input: { name: before.name, state } })
    })

    mount(deleteOrganization, async ({ tx, caller, request, params }) => {
      const before = await lockOrganization(tx, params.orgId)
      const gone = await removeOrganizations(tx, [before], caller.userId)
      await audit(tx, { caller, request }, entry('organization.removed', { before }))
      const after = gone.get(before.id)
      const done = { kind: 'organizations.remove', outcome: 'removed', before: {}, after } as const
      return { operationId: await record({ tx, caller, request }, before, done) }
    })

    organizationBulkRoutes(mount, services)
  }
}

type Recorded = Pick<Parameters<typeof recordOperation>[1], 'kind' | 'do' | 'outcome' | 'before' | 'after'>

/** Records an operation for whoever administers the installation, because it does not belong to the organization itself. */
function record(by: CallContext, { id, name }: Organization, done: Recorded): Promise<string> {
  const about = { organizationId: null, entity: 'organization', entityId: id, label: name } as const
  return recordOperation(by, { ...about, ...done })
}

async function change(
  follow: FollowPolicies,
  by: CallContext,
  { before, input }: { before: Organization; input: OrganizationInput },
): Promise<Organization> {
  const { tx, caller } = by
  const after = await changeOrganization(tx, before, input)
  await follow(tx, before, after)
  if (before.state === 'active' && after.state !== 'active') await signOut(tx, after.id, caller.userId)
  await audit(tx, by, entry('organization.changed', { before, after }))
  if (after.state !== before.state)
    await record(by, before, {
      kind: 'organizations.change',
      do: { action: 'change', state: after.state },
      outcome: 'changed',
      before: { state: before.state },
      after: { state: after.state },
    })
  return after
}

type OrganizationChange = { before?: { id: string }; after?: { id: string } }

function entry(action: AuditAction, change: OrganizationChange) {
  const id = change.after?.id ?? change.before?.id ?? null
  return { organizationId: id, action, entity: 'organization', entityId: id, ...change }
}
