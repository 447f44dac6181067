import * as z from 'zod/mini'
import { deliveryStateLabels, restingWord } from '#contract/delivery-labels.ts'
import { exportDeliveries } from '#contract/deliveries.ts'
import { obligationLabels } from '#contract/obligation-labels.ts'
import type { ParsedBody } from '#contract/endpoint.ts'
import { requireRow, type Scope, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { audit } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Stretch } from '../platform/http/list.ts'
import { exportedList, exportName, rowsOf, type ColumnOf } from '../platform/http/list-export.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { fileTypes, paperFile } from '../documents/files.ts'
import { listPaper } from '../documents/list-paper.ts'
import { storedLogo } from '../documents/logo.ts'
import type { Column, Paper } from '../documents/paper.ts'
import { findDeliveries, type DeliveryRow } from './deliveries.ts'
import type { Key } from './states.ts'

const columns: (Column & ColumnOf<DeliveryRow>)[] = [
  { name: 'Name', as: 'text', wide: 2, cell: (one) => one.user.name },
  { name: 'Email', as: 'text', wide: 2, cell: (one) => one.user.email },
  {
    name: 'Mail',
    as: 'text',
    cell: (one) => (one.resting ? restingWord : deliveryStateLabels[one.state].word),
  },
  { name: 'Sent', as: 'instant', cell: (one) => one.sentAt },
  { name: 'Opened', as: 'instant', cell: (one) => one.openedAt },
  { name: 'Started', as: 'instant', cell: (one) => one.firstPlayAt },
  { name: 'Watched', as: 'time', cell: (one) => one.watchedMs },
  { name: 'Share', as: 'share', cell: (one) => one.share },
  { name: 'Completed', as: 'instant', cell: (one) => one.completedAt },
  {
    name: 'Excused',
    as: 'text',
    cell: ({ excused }) => excused && (excused.reason ?? obligationLabels[excused.state].word),
  },
  { name: 'Failed', as: 'instant', cell: (one) => one.failed?.at ?? null },
  { name: 'Last watched', as: 'instant', cell: (one) => one.lastWatchedAt },
]

type FileRequest = Pick<Services, 'db' | 'log'> & {
  scope: Scope
  key: Key
  body: ParsedBody<typeof exportDeliveries>
}

const listed = ({ db, scope, key, body }: FileRequest) => ({
  db,
  scope,
  columns,
  find: (tx: Tx, stretch: Stretch) => findDeliveries(tx, key, { ...body, ...stretch }),
})

const About = z.object({ subject: z.string(), owner: z.string(), slug: z.string() })
type About = z.infer<typeof About>

function readAbout(tx: Tx, key: Key): Promise<About> {
  return requireRow(
    tx,
    About,
    sql`select t.subject, o.name as owner, o.slug from transmissions t join organizations o on o.id = t.organization_id
      where t.id = ${key.id} and t.organization_id = ${key.organizationId}`,
  )
}

type Page = FileRequest & { about: About; format: 'xlsx' | 'pdf'; by: Pick<Caller, 'name' | 'viewer'> }

async function asPaper({ about, format, by, ...asked }: Page): Promise<Paper> {
  const { organizationId } = asked.key
  return listPaper({
    format,
    title: about.subject,
    lead: 'Who got this transmission, and what they watched of its video.',
    owner: about.owner,
    picture: format === 'pdf' ? await asked.db.as(asked.scope, (tx) => storedLogo(tx, organizationId)) : null,
    log: asked.log,
    filters: [],
    by,
    labels: deliveryStateLabels,
    name: 'Recipients',
    columns,
    rows: rowsOf(listed(asked)),
  })
}

export function deliveryFileRoutes(
  mount: Mount,
  { db, log }: Services,
  keyOf: (tx: Tx, caller: Caller, id: string) => Promise<Key>,
): void {
  mount(exportDeliveries, async ({ caller, scope, params, body, request }) => {
    const { format } = body
    const { key, about } = await db.as(scope, async (tx) => {
      const owned = await keyOf(tx, caller, params.transmissionId)
      const entry = { organizationId: owned.organizationId, entity: 'transmission', entityId: owned.id }
      await audit(tx, { caller, request }, { ...entry, action: 'deliveries.exported', after: body })
      return { key: owned, about: await readAbout(tx, owned) }
    })
    const asked = { db, log, scope, key, body }
    const content =
      format === 'csv'
        ? exportedList(listed(asked))
        : paperFile(format, () => asPaper({ ...asked, about, format, by: caller }))
    return { name: `${exportName(about.slug, 'recipients')}.${format}`, type: fileTypes[format], content }
  })
}
