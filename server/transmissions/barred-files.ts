import * as z from 'zod/mini'
import { exportBarredAddresses, type BarredAddress, type BarredFilter } from '#contract/barred-addresses.ts'
import { barFilterWords, barReasonIn, barWords } from '#contract/barred-labels.ts'
import { requireRow, type Scope, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Stretch } from '../platform/http/list.ts'
import { beginExport, exportedList, rowsOf, type ColumnOf } from '../platform/http/list-export.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { fileTypes, paperFile } from '../documents/files.ts'
import { listPaper } from '../documents/list-paper.ts'
import { storedLogo } from '../documents/logo.ts'
import type { Column, Paper } from '../documents/paper.ts'
import { findBarred } from './barred.ts'

const columnsFor = (product: string): (Column & ColumnOf<BarredAddress>)[] => [
  { name: 'Address', as: 'text', wide: 2, cell: (one) => one.address },
  { name: 'Why', as: 'text', wide: 2, cell: barWords },
  { name: 'By', as: 'text', cell: ({ by, reason }) => by ?? (barReasonIn(reason) ? product : null) },
  { name: 'Since', as: 'instant', cell: (one) => one.since },
  { name: 'Until', as: 'instant', none: 'Further notice', cell: (one) => one.until },
]

const labels = { until: { word: 'Until', means: 'Without a day, it is barred until somebody lifts it.' } }

type FileRequest = { services: Services; scope: Scope; orgId: string; filter: BarredFilter }

const listed = ({ services: { db, env }, scope, orgId, filter }: FileRequest) => ({
  db,
  scope,
  columns: columnsFor(env.productName),
  find: (tx: Tx, stretch: Stretch) => findBarred(tx, { orgId, filter }, stretch),
})

const filtersIn = ({ q, reason, day }: BarredFilter) => [
  ...(q?.trim() ? [{ label: 'Search', value: q.trim() }] : []),
  ...(reason ? [{ label: 'Why', value: barFilterWords[reason] }] : []),
  ...(day ? [{ label: 'Barred on', value: day }] : []),
]

const Owner = z.object({ name: z.string() })
type Page = { format: 'xlsx' | 'pdf'; by: Pick<Caller, 'name' | 'viewer'> }

async function asPaper(asked: FileRequest, { format, by }: Page): Promise<Paper> {
  const { services, scope, orgId, filter } = asked
  const { owner, picture } = await services.db.as(scope, async (tx) => ({
    owner: await requireRow(tx, Owner, sql`select name from organizations where id = ${orgId}`),
    picture: format === 'pdf' ? await storedLogo(tx, orgId) : null,
  }))
  const list = listed(asked)
  return listPaper({
    format,
    title: 'Barred addresses',
    lead: 'No message with a video is sent to them.',
    owner: owner.name,
    picture,
    log: services.log,
    filters: filtersIn(filter),
    by,
    labels,
    name: 'Barred addresses',
    columns: list.columns,
    rows: rowsOf(list),
  })
}

export function barredFileRoutes(mount: Mount, services: Services): void {
  mount(exportBarredAddresses, async ({ caller, scope, params: { orgId }, query, request }) => {
    const { format, ...filter } = query
    const action = 'addresses.exported' as const
    const begun = { caller, request, organizationId: orgId, action, what: 'barred-addresses', after: query }
    const name = await services.db.as(scope, (tx) => beginExport(tx, begun))
    const asked = { services, scope, orgId, filter }
    const content =
      format === 'csv'
        ? exportedList(listed(asked))
        : paperFile(format, () => asPaper(asked, { format, by: caller }))
    return { name: `${name}.${format}`, type: fileTypes[format], content }
  })
}
