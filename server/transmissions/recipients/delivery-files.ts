import * as z from 'zod/mini'
import { deliveryStateLabels, restingWord } from '#contract/transmissions/delivery-labels.ts'
import { exportDeliveries } from '#contract/transmissions/deliveries.ts'
import { obligationLabels } from '#contract/duty/obligation-labels.ts'
import { trainingLabels } from '#contract/matrix/training-labels.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Stretch } from '../../platform/http/lists/list.ts'
import { exportName, type ColumnOf } from '../../platform/http/lists/list-export.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { listFile } from '../../documents/list-file.ts'
import type { Column } from '../../documents/paper.ts'
import { findDeliveries, standingOf, type DeliveryRow } from './deliveries.ts'
import type { Key } from '../ledger/states.ts'

const columns: (Column & ColumnOf<DeliveryRow>)[] = [
  { name: 'Name', as: 'text', wide: 2, cell: (one) => one.user.name },
  { name: 'Email', as: 'text', wide: 2, cell: (one) => one.user.email },
  {
    name: 'Mail',
    as: 'text',
    cell: (one) => (one.resting ? restingWord : deliveryStateLabels[one.state].word),
  },
  {
    name: 'State',
    as: 'text',
    cell: (one) => {
      const standing = standingOf(one)
      return standing && trainingLabels[standing.state].word
    },
  },
  { name: 'Sent', as: 'instant', cell: (one) => one.sentAt },
  { name: 'Opened', as: 'instant', cell: (one) => one.openedAt },
  { name: 'Started', as: 'instant', cell: (one) => one.firstPlayAt },
  { name: 'Watched', as: 'time', cell: (one) => one.watchedMs },
  { name: 'Seen', as: 'reached', cell: (one) => one.share },
  { name: 'Completed', as: 'instant', cell: (one) => one.completedAt },
  {
    name: 'Excused',
    as: 'text',
    cell: ({ excused }) => excused && (excused.reason ?? obligationLabels[excused.state].word),
  },
  { name: 'Failed', as: 'instant', cell: (one) => one.failed?.at ?? null },
  { name: 'Last watched', as: 'instant', cell: (one) => one.lastWatchedAt },
]

const About = z.object({ subject: z.string(), slug: z.string() })
type About = z.infer<typeof About>

function readAbout(tx: Tx, key: Key): Promise<About> {
  return requireRow(
    tx,
    About,
    sql`select message_name(t) as subject, o.slug from transmissions t join organizations o on o.id = t.organization_id
      where t.id = ${key.id} and t.organization_id = ${key.organizationId}`,
  )
}

export function deliveryFileRoutes(
  mount: Mount,
  services: Services,
  keyOf: (tx: Tx, caller: Caller, id: string) => Promise<Key>,
): void {
  const { db } = services
  mount(exportDeliveries, async ({ caller, scope, params, body, request }) => {
    const { key, about } = await db.as(scope, async (tx) => {
      const owned = await keyOf(tx, caller, params.transmissionId)
      const entry = { organizationId: owned.organizationId, entity: 'transmission', entityId: owned.id }
      await audit(tx, { caller, request }, { ...entry, action: 'deliveries.exported', after: body })
      return { key: owned, about: await readAbout(tx, owned) }
    })
    return listFile(services, {
      format: body.format,
      file: exportName(about.slug, 'recipients'),
      title: about.subject,
      lead: 'Who got this transmission, and what they watched of its video.',
      name: 'Recipients',
      organizationId: key.organizationId,
      filters: [],
      by: caller,
      labels: deliveryStateLabels,
      list: {
        db,
        scope,
        columns,
        find: (tx: Tx, stretch: Stretch) => findDeliveries(tx, key, { ...body, ...stretch }),
      },
    })
  })
}
