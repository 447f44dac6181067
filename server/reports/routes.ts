import type { FastifyInstance } from 'fastify'
import { readDashboard, readOrganizationDashboard } from '#contract/organizations.ts'
import type { Tx } from '../db/client.ts'
import type { Caller } from '../http/bearer.ts'
import type { Mount } from '../http/mount.ts'
import { sightOf } from '../http/sight.ts'
import { figuresOf, figuresOfGroups, type Figures } from './queries.ts'

/** Without an organization: everything that the caller may see. */
function figuresFor(tx: Tx, caller: Caller, organizationId: string | null): Promise<Figures> {
  if (organizationId === null) return figuresOf(tx, null)
  const { groupIds } = sightOf(caller, organizationId)
  return groupIds ? figuresOfGroups(tx, { organizationId, groupIds }) : figuresOf(tx, organizationId)
}

export function reportsRoutes(_app: FastifyInstance, mount: Mount): void {
  mount(readDashboard, ({ tx, caller }) => figuresFor(tx, caller, caller.organizationId))

  mount(readOrganizationDashboard, ({ tx, caller, params }) => figuresFor(tx, caller, params.orgId))
}
