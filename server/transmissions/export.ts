import * as z from 'zod/mini'
import type { ParsedBody } from '#contract/endpoint.ts'
import { transmissionStateWord } from '#contract/transmissions/delivery-labels.ts'
import { exportTransmissions } from '#contract/videos/record-bulk.ts'
import { transmissionStates } from '#contract/transmissions/transmissions.ts'
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
import { dayOrInstant } from '../directory/organizations/days.ts'
import { matchingTransmissions, sorts, type Tenant } from './queries.ts'
import { cameBack, hasArrived, isLeftOut, isResting } from '../deliveries.ts'

const TransmissionLine = z.object({
  id: z.string(),
  subject: z.string(),
  video: z.string(),
  organization: z.string(),
  sender: z.string(),
  state: z.enum(transmissionStates),
  recipients: z.number(),
  sent: z.number(),
  resting: z.number(),
  returned: z.number(),
  opened: z.number(),
  started: z.number(),
  completed: z.number(),
  dueAt: z.nullable(z.string()),
  datedAt: z.string(),
})
type TransmissionLine = z.infer<typeof TransmissionLine>

const columns: (Column & ColumnOf<TransmissionLine>)[] = [
  { name: 'Transmission', as: 'text', cell: (one) => one.subject },
  { name: 'Video', as: 'text', cell: (one) => one.video },
  { name: 'Organization', as: 'text', cell: (one) => one.organization },
  { name: 'Sender', as: 'text', cell: (one) => one.sender },
  { name: 'State', as: 'text', cell: transmissionStateWord },
  { name: 'Recipients', as: 'count', cell: (one) => one.recipients },
  { name: 'Sent', as: 'count', cell: (one) => one.sent },
  { name: 'In the outbox', as: 'count', cell: (one) => one.resting },
  { name: 'Returned', as: 'count', cell: (one) => one.returned },
  { name: 'Opened', as: 'count', cell: (one) => one.opened },
  { name: 'Started', as: 'count', cell: (one) => one.started },
  { name: 'Completed', as: 'count', cell: (one) => one.completed },
  { name: 'Due', as: 'text', cell: (one) => one.dueAt },
  { name: 'When', as: 'instant', cell: (one) => one.datedAt },
]

type FileRequest = { tenant: Tenant; body: ParsedBody<typeof exportTransmissions> }

/** Returns the condition on `transmissions t` for those that were chosen. */
function chosenBy({ tenant, body: { filter, ids, exceptIds } }: FileRequest): SQL {
  return all([
    matchingTransmissions(tenant, filter),
    ids && sql`t.id = any(${arrayOf(ids, 'uuid')})`,
    exceptIds.length > 0 && sql`t.id <> all(${arrayOf(exceptIds, 'uuid')})`,
  ])
}

/** Finds a stretch of the list. The file holds only numbers about people, as the list does. */
function findStretch(tx: Tx, asked: FileRequest, stretch: Stretch) {
  const list = {
    Row: TransmissionLine,
    columns: sql`t.id, message_name(t) as subject, coalesce(v.title, '') as video, o.name as organization, t.sender_name as sender, t.state,
      t.audience_total::float8 - sent.skipped as recipients, sent.accepted - rest.n as sent, rest.n as resting, sent.returned, seen.opened, seen.started, seen.completed,
      ${dayOrInstant(sql`t.due_at`, sql`o.time_zone`)} as "dueAt", ${isoText(sql`t.dated_at`)} as "datedAt"`,
    from: sql`transmissions t`,
    where: chosenBy(asked),
    order: orderFrom(asked.body.sort, sorts, sql`t.id`),
    joined: sql`t join organizations o on o.id = t.organization_id
      left join videos v on v.id = t.video_id
      cross join lateral (select coalesce(sum(c.n) filter (where ${hasArrived('c')}), 0)::float8 as accepted,
          coalesce(sum(c.n) filter (where ${isLeftOut('c')}), 0)::float8 as skipped,
          coalesce(sum(c.n) filter (where ${cameBack('c')}), 0)::float8 as returned
        from transmission_counts c where c.transmission_id = t.id) sent
      cross join lateral (select count(*)::float8 as n from deliveries d where d.transmission_id = t.id and ${isResting}) rest
      cross join lateral (select count(w.opened_at)::float8 as opened, count(w.first_play_at)::float8 as started,
          count(w.completed_at)::float8 as completed from delivery_viewing w where w.transmission_id = t.id) seen`,
  }
  return readStretch(tx, list, stretch)
}

export function exportRoutes(mount: Mount, services: Services): void {
  const { db } = services
  mount(exportTransmissions, async ({ caller, scope, body, request }) => {
    const { organizationId } = body.filter
    const asked = { tenant: caller.organizationId ?? undefined, body }
    const action = 'transmissions.exported' as const
    const begun = { caller, request, organizationId, action, what: 'transmissions', after: body }
    const file = await db.as(scope, async (tx) => {
      const { ids } = body
      const chosen = chosenBy(asked)
      if (ids) await requireCount(tx, { from: sql`transmissions t`, chosen, selection: { ids } })
      return beginExport(tx, begun)
    })
    return listFile(services, {
      format: body.format,
      file,
      title: 'Transmissions',
      lead: 'What was sent to how many, and what became of it.',
      name: 'Transmissions',
      organizationId: caller.organizationId ?? organizationId ?? null,
      filters: narrowed(body),
      by: caller,
      list: { db, scope, columns, find: (tx, stretch) => findStretch(tx, asked, stretch) },
    })
  })
}
