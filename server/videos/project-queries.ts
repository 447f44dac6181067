import type { FastifyRequest } from 'fastify'
import { Project } from '#contract/videos/videos.ts'
import { hasRow, requireRow, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { called, all, isoText } from '../platform/db/search.ts'
import type { ListQuery } from '../platform/http/lists/keyset.ts'
import { readList } from '../platform/http/lists/list.ts'
import { insertedId } from '../platform/db/rows.ts'

const columns = sql`p.id, p.organization_id as "organizationId", p.parent_id as "parentId", p.name,
  (select count(*)::int from videos v
    where v.organization_id = p.organization_id and v.project_id = p.id and v.deleted_at is null) as "videoCount",
  ${isoText(sql`p.created_at`)} as "createdAt", ${isoText(sql`p.updated_at`)} as "updatedAt"`

type Listing = { query: ListQuery; request: FastifyRequest }

/** By name. */
export function listProjects(tx: Tx, organizationId: string | undefined, asked: Listing) {
  return readList(tx, {
    ...asked,
    Row: Project,
    columns,
    from: sql`projects p`,
    where: all([sql`p.deleted_at is null`, organizationId && sql`p.organization_id = ${organizationId}`]),
    order: { by: called(sql`p.name`), id: sql`p.id`, type: 'text', descending: false },
  })
}

/** `lock`: as it is now, and nobody else changes it until the transaction ends. */
export function readProject(tx: Tx, projectId: string, lock = false): Promise<Project> {
  return requireRow(
    tx,
    Project,
    sql`select ${columns} from projects p where p.id = ${projectId} and p.deleted_at is null ${lock ? sql`for update of p` : sql``}`,
  )
}

export function insertProject(
  tx: Tx,
  project: { organizationId: string; name: string; parentId: string | null },
): Promise<string> {
  return insertedId(
    tx,
    sql`insert into projects (organization_id, name, parent_id)
      values (${project.organizationId}, ${project.name}, ${project.parentId}) returning id`,
  )
}

export async function changeProject(
  tx: Tx,
  project: { id: string; name: string; parentId: string | null },
): Promise<void> {
  await tx.execute(
    sql`update projects set name = ${project.name}, parent_id = ${project.parentId}, updated_at = now()
      where id = ${project.id}`,
  )
}

/** Whether a video may lie in the project. */
export async function isProjectOf(tx: Tx, organizationId: string, projectId: string): Promise<boolean> {
  return hasRow(
    tx,
    sql`select 1 from projects where id = ${projectId} and organization_id = ${organizationId} and deleted_at is null`,
  )
}

/** Projects are one level deep: a parent has no parent, and whoever has children gets none. */
export async function mayBeParent(
  tx: Tx,
  { parentId, projectId, organizationId }: { parentId: string; projectId?: string; organizationId: string },
): Promise<boolean> {
  return hasRow(
    tx,
    sql`select 1 from projects where id = ${parentId} and organization_id = ${organizationId} and deleted_at is null
      and parent_id is null and id is distinct from ${projectId ?? null}::uuid
      and not exists (select 1 from projects c where c.parent_id = ${projectId ?? null}::uuid and c.deleted_at is null)`,
  )
}

/**
 * Videos and projects inside move to the project above. A project that meets one of its own name there takes the removed
 * project's name along, so that nothing stands in the way of removing.
 */
export async function removeProject(tx: Tx, project: Project): Promise<void> {
  const { id, name, parentId } = project
  await tx.execute(sql`update projects set deleted_at = now(), updated_at = now() where id = ${id}`)
  await tx.execute(
    sql`update videos set project_id = ${parentId}, updated_at = now() where project_id = ${id} and deleted_at is null`,
  )
  await tx.execute(
    sql`update projects c set parent_id = ${parentId}, updated_at = now(),
        name = case when exists (select 1 from projects o where o.organization_id = c.organization_id and o.deleted_at is null
          and o.parent_id is not distinct from ${parentId}::uuid and lower(o.name) = lower(c.name))
          then left(c.name, 90) || ' (' || left(${name}::text, 90) || ')' else c.name end
      where c.parent_id = ${id} and c.deleted_at is null`,
  )
}
