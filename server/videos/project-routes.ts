import type { AuditAction } from '#contract/platform/audit-actions.ts'
import {
  createProject,
  deleteProject,
  listProjects,
  readProject,
  updateProject,
  type Project,
} from '#contract/videos/videos.ts'
import type { Tx } from '../platform/db/client.ts'
import { refuse } from '../platform/errors.ts'
import { audit } from '../platform/http/audit.ts'
import { requireUnchanged, type Mount } from '../platform/http/mount.ts'
import { organizationToCreateIn } from '../directory/organizations/queries.ts'
import * as queries from './project-queries.ts'

export function projectsRoutes(mount: Mount): void {
  mount(listProjects, ({ tx, query, request }) =>
    queries.listProjects(tx, query.organizationId, { query, request }),
  )

  mount(createProject, async ({ tx, body, caller, request }) => {
    const { name, parentId = null } = body
    const organizationId = await organizationToCreateIn(tx, caller, body.organizationId)
    await requireParent(tx, { organizationId, parentId })
    const project = await queries.readProject(
      tx,
      await queries.insertProject(tx, { organizationId, name, parentId }),
    )
    await audit(tx, { caller, request }, { ...entryOf(project, 'project.create'), after: { name, parentId } })
    return project
  })

  mount(readProject, ({ tx, params }) => queries.readProject(tx, params.projectId))

  mount(updateProject, async ({ tx, params, body, caller, request }) => {
    const before = await queries.readProject(tx, params.projectId, true)
    requireUnchanged(request, new Date(before.updatedAt))
    const { name, parentId = before.parentId } = body
    if (parentId !== before.parentId) {
      const { organizationId, id: projectId } = before
      await requireParent(tx, { organizationId, projectId, parentId })
    }
    await queries.changeProject(tx, { id: before.id, name, parentId })
    const entry = { ...entryOf(before, 'project.update'), before, after: { name, parentId } }
    await audit(tx, { caller, request }, entry)
    return queries.readProject(tx, before.id)
  })

  mount(deleteProject, async ({ tx, params, caller, request }) => {
    const before = await queries.readProject(tx, params.projectId, true)
    await queries.removeProject(tx, before)
    await audit(tx, { caller, request }, { ...entryOf(before, 'project.delete'), before })
    return {}
  })
}

type Placement = { organizationId: string; projectId?: string; parentId: string | null }

async function requireParent(tx: Tx, { parentId, ...rest }: Placement): Promise<void> {
  if (parentId !== null && !(await queries.mayBeParent(tx, { ...rest, parentId })))
    throw refuse('validation_failed', { fields: { parentId: ['invalid'] } })
}

function entryOf(project: Project, action: AuditAction) {
  return { organizationId: project.organizationId, action, entity: 'project', entityId: project.id }
}
