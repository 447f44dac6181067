import {
  exportBarredAddresses,
  type BarredAddress,
  type BarredFilter,
} from '#contract/transmissions/barred-addresses.ts'
import { barFilterWords, barReasonIn, barWords } from '#contract/transmissions/barred-labels.ts'
import type { Tx } from '../../platform/db/client.ts'
import type { Stretch } from '../../platform/http/lists/list.ts'
import { beginExport, type ColumnOf } from '../../platform/http/lists/list-export.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { listFile } from '../../documents/list-file.ts'
import type { Column } from '../../documents/paper.ts'
import { findBarred } from './barred.ts'

const columnsFor = (product: string): (Column & ColumnOf<BarredAddress>)[] => [
  { name: 'Address', as: 'text', wide: 2, cell: (one) => one.address },
  { name: 'Why', as: 'text', wide: 2, cell: barWords },
  { name: 'By', as: 'text', cell: ({ by, reason }) => by ?? (barReasonIn(reason) ? product : null) },
  { name: 'Since', as: 'instant', cell: (one) => one.since },
  { name: 'Until', as: 'instant', none: 'Further notice', cell: (one) => one.until },
]

const labels = { until: { word: 'Until', means: 'Without a day, it is barred until somebody lifts it.' } }

const filtersIn = ({ q, reason, day }: BarredFilter) => [
  ...(q?.trim() ? [{ label: 'Search', value: q.trim() }] : []),
  ...(reason ? [{ label: 'Why', value: barFilterWords[reason] }] : []),
  ...(day ? [{ label: 'Barred on', value: day }] : []),
]

export function barredFileRoutes(mount: Mount, services: Services): void {
  const { db, env } = services
  mount(exportBarredAddresses, async ({ caller, scope, params: { orgId }, query, request }) => {
    const { format, ...filter } = query
    const action = 'addresses.exported' as const
    const begun = { caller, request, organizationId: orgId, action, what: 'barred-addresses', after: query }
    return listFile(services, {
      format,
      file: await db.as(scope, (tx) => beginExport(tx, begun)),
      title: 'Barred addresses',
      lead: 'No message with a video is sent to them.',
      name: 'Barred addresses',
      organizationId: orgId,
      filters: filtersIn(filter),
      by: caller,
      labels,
      list: {
        db,
        scope,
        columns: columnsFor(env.productName),
        find: (tx: Tx, stretch: Stretch) => findBarred(tx, { orgId, filter }, stretch),
      },
    })
  })
}
