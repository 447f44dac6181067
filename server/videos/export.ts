import * as z from 'zod/mini'
import type { ParsedBody } from '#contract/endpoint.ts'
import { exportVideos } from '#contract/videos/record-bulk.ts'
import { Video } from '#contract/videos/videos.ts'
import { arrayOf, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, isoText } from '../platform/db/search.ts'
import { orderFrom } from '../platform/http/lists/keyset.ts'
import { readStretch, type Stretch } from '../platform/http/lists/list.ts'
import { beginExport, type ColumnOf } from '../platform/http/lists/list-export.ts'
import { listFile, narrowed } from '../documents/list-file.ts'
import type { Column } from '../documents/paper.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { requireCount } from '../operations/preview.ts'
import { matchingVideos } from './filter.ts'
import { sorts } from './queries.ts'

const VideoLine = z.extend(
  z.pick(Video, {
    id: true,
    title: true,
    description: true,
    tags: true,
    state: true,
    privacy: true,
    fileName: true,
    size: true,
    createdAt: true,
  }),
  { organization: z.string(), project: z.nullable(z.string()), lengthMs: z.number() },
)
type VideoLine = z.infer<typeof VideoLine>

const columns: (Column & ColumnOf<VideoLine>)[] = [
  { name: 'Title', as: 'text', cell: (one) => one.title },
  { name: 'Description', as: 'text', cell: (one) => one.description },
  { name: 'Tags', as: 'text', cell: (one) => one.tags.join(', ') },
  { name: 'Organization', as: 'text', cell: (one) => one.organization },
  { name: 'Project', as: 'text', cell: (one) => one.project },
  { name: 'State', as: 'text', cell: (one) => one.state },
  { name: 'Who may watch', as: 'text', cell: (one) => one.privacy },
  {
    name: 'Length in seconds',
    as: 'count',
    cell: (one) => (one.lengthMs === 0 ? null : Math.round(one.lengthMs / 100) / 10),
  },
  { name: 'File', as: 'text', cell: (one) => one.fileName },
  { name: 'Bytes', as: 'count', cell: (one) => one.size },
  { name: 'Created', as: 'instant', cell: (one) => one.createdAt },
]

/** Condition on `videos v`. */
function chosenBy({ tenant, body: { filter, ids, exceptIds } }: FileRequest): SQL {
  return all([
    matchingVideos(filter),
    tenant && sql`v.organization_id = ${tenant}`,
    ids && sql`v.id = any(${arrayOf(ids, 'uuid')})`,
    exceptIds.length > 0 && sql`v.id <> all(${arrayOf(exceptIds, 'uuid')})`,
  ])
}

function findStretch(tx: Tx, asked: FileRequest, stretch: Stretch) {
  const list = {
    Row: VideoLine,
    columns: sql`v.id, v.title, v.description, v.tags, o.name as organization, p.name as project, v.state, v.privacy,
      v.length_ms as "lengthMs", n.file_name as "fileName", n.size::float8 as size, ${isoText(sql`v.created_at`)} as "createdAt"`,
    from: sql`videos v`,
    where: chosenBy(asked),
    order: orderFrom(asked.body.sort, sorts, sql`v.id`),
    joined: sql`v join organizations o on o.id = v.organization_id
      left join projects p on p.id = v.project_id and p.deleted_at is null
      left join lateral (select x.file_name, x.size from video_versions x where x.video_id = v.id
        order by x.number desc limit 1) n on true`,
  }
  return readStretch(tx, list, stretch)
}

/** `tenant`: undefined for a superadmin, who may have all. */
type FileRequest = { tenant: string | undefined; body: ParsedBody<typeof exportVideos> }

export function exportRoutes(mount: Mount, services: Services): void {
  const { db } = services
  mount(exportVideos, async ({ caller, scope, body, request }) => {
    const { organizationId } = body.filter
    const asked = { tenant: caller.organizationId ?? undefined, body }
    const begun = { caller, request, organizationId, action: 'videos.exported', what: 'videos' } as const
    const file = await db.as(scope, async (tx) => {
      const { ids } = body
      const chosen = chosenBy(asked)
      if (ids) await requireCount(tx, { from: sql`videos v`, chosen, selection: { ids } })
      return beginExport(tx, { ...begun, after: body })
    })
    return listFile(services, {
      format: body.format,
      file,
      title: 'Videos',
      lead: 'The videos of the console, with where they are and who may watch them.',
      name: 'Videos',
      organizationId: caller.organizationId ?? organizationId ?? null,
      filters: narrowed(body),
      by: caller,
      list: { db, scope, columns, find: (tx, stretch) => findStretch(tx, asked, stretch) },
    })
  })
}
