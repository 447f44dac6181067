import './transmissions.css'
import { Button, NativeSelect } from '@mantine/core'
import { IconPlus, IconSend } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { attentionOf } from '#contract/attention.ts'
import {
  listTransmissions,
  transmissionSorts,
  transmissionStates,
  type Transmission,
} from '#contract/transmissions.ts'
import { explain } from '#web/api/errors.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { ExportButton } from '#web/shell/list/ExportButton.tsx'
import { listParts, pageQuery, useListLook } from '#web/shell/list/search.ts'
import { ViewsMenu } from '#web/shell/list/ViewsMenu.tsx'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { onlyWords } from '#web/words/only.ts'
import { transmissionWords } from '#web/words/transmissions.ts'
import { useUser } from '#web/shell/useSession.ts'
import { BegunHere } from '#web/shell/operations/Operations.tsx'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { ErrorState } from '#web/ui/ErrorState.tsx'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { onDemand } from '#web/ui/onDemand.tsx'
import { OnlyThese } from '#web/ui/OnlyThese.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/Pager.tsx'
import { ShareBar } from '#web/ui/ShareBar.tsx'
import { StatusBadge } from '#web/ui/StatusBadge.tsx'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { TableView } from '#web/ui/table/TableView.tsx'
import { useSelection } from '#web/ui/table/useSelection.ts'
import { RelativeTime, Updated } from '#web/ui/Time.tsx'
import { Poster } from './Poster.tsx'
import { isActive, partsOf, sentOf, stateWordsOf } from './words.ts'

const create = (
  <Button
    component={Link}
    to={paths.transmissionCreate()}
    data-create
    leftSection={<IconPlus size={16} aria-hidden />}
  >
    New transmission
  </Button>
)
const empty = (
  <EmptyState title="Nothing has been sent yet" icon={<IconSend size={24} />} action={create}>
    A transmission sends one video with a message to people you choose, and shows who watched which part.
  </EmptyState>
)

const search = z.object({
  ...listParts,
  state: z.catch(z.optional(z.enum(transmissionStates)), undefined),
  /** What a dashboard led to, in one organization or in all. */
  attention: z.catch(z.optional(z.enum(attentionOf.transmissions)), undefined),
  organization: z.catch(z.optional(z.uuid()), undefined),
  sort: z.catch(z.enum(transmissionSorts), '-createdAt'),
})

function filterFrom({ state, attention, organization: organizationId }: z.output<typeof search>) {
  return { state, attention, organizationId }
}

function queryFrom(given: z.output<typeof search>) {
  const { before: _none, ...position } = pageQuery(given)
  return { ...filterFrom(given), sort: given.sort, ...position }
}
const everything = { state: undefined, attention: undefined }

const exporting = async () => (await import('#contract/record-bulk.ts')).exportTransmissions
const TransmissionBulk = onDemand(async () => (await import('./TransmissionBulk.tsx')).TransmissionBulk)

export function load({ search: given }: LoadInput) {
  return prefetch(listTransmissions, { query: queryFrom(readSearch(search, given)) })
}

/** Before there is a list of recipients, for how many it was meant when its approval was asked for. */
function Sent(transmission: Transmission) {
  const { resting, audienceTotal, approval } = transmission
  if (audienceTotal === 0 && approval)
    return <span>Meant for {plural(approval.askedFor, 'person', 'people')}</span>
  return (
    <span className="tx-progress">
      <ShareBar parts={partsOf(transmission)} total={audienceTotal} />
      <span>
        {formatNumber(sentOf(transmission) + resting)} of {formatNumber(audienceTotal)}
      </span>
    </span>
  )
}

const columns: readonly Column<Transmission>[] = [
  {
    key: 'subject',
    header: 'Transmission',
    sort: 'subject',
    isName: true,
    cell: ({ id, subject, video }) => (
      <span className="ui-named">
        <Poster src={video.poster} />
        <Link to={paths.transmission(id)} title={`${subject} (video: ${video.title})`}>
          {subject}
        </Link>
      </span>
    ),
  },
  {
    key: 'state',
    header: 'State',
    sort: 'state',
    width: '132px',
    cell: (transmission) => {
      const { tone, word, means } = stateWordsOf(transmission)
      return (
        <StatusBadge tone={tone} title={means}>
          {word}
        </StatusBadge>
      )
    },
  },
  {
    key: 'sent',
    header: 'Recipients',
    sort: 'recipients',
    width: '208px',
    cell: (one) => <Sent {...one} />,
  },
  {
    key: 'opened',
    header: 'Opened',
    align: 'end',
    width: '88px',
    from: 'md',
    cell: ({ opened }) => formatNumber(opened),
  },
  {
    key: 'completed',
    header: 'Completed',
    align: 'end',
    width: '112px',
    from: 'md',
    cell: ({ completed }) => formatNumber(completed),
  },
  {
    key: 'created',
    header: 'When',
    sort: 'createdAt',
    width: '128px',
    dimmed: true,
    from: 'lg',
    cell: ({ createdAt, releasedAt }) => <RelativeTime iso={releasedAt ?? createdAt} />,
  },
]
const organization: Column<Transmission> = {
  key: 'organization',
  header: 'Organization',
  width: '160px',
  dimmed: true,
  from: 'lg',
  cell: ({ organizationName }) => organizationName,
}
const ofAll = [...columns.slice(0, -1), organization, ...columns.slice(-1)]

const nameOf = ({ subject }: Transmission) => subject

export function TransmissionsPage() {
  const isSuperadmin = useUser().role === 'superadmin'
  const { organizationId } = useUser()
  const [query, change] = usePageSearch(search)
  const { page, isStale, error, retry, updatedAt } = useList(
    listTransmissions,
    { query: queryFrom(query) },
    { every: 5_000 },
  )
  const filter = filterFrom(query)
  const [selection, onSelect] = useSelection(filter)
  const orgId = organizationId ?? query.organization
  const listed = isSuperadmin ? ofAll : columns
  const { look, view, pager } = useListLook('transmissions', listed, [query, change])
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  const nothingFound = (
    <EmptyState
      title="No transmission fits these filters"
      action={
        <Button variant="default" onClick={() => change(everything)}>
          Show all transmissions
        </Button>
      }
    />
  )
  const running = page?.items.filter(isActive).length ?? 0
  return (
    <>
      <PageHead
        title="Transmissions"
        lead={
          running > 0 ? `${running} being sent right now.` : 'Videos that were sent, and who watched them.'
        }
        actions={
          <>
            <Button variant="default" component={Link} to={paths.barredAddresses()}>
              Barred addresses
            </Button>
            {create}
          </>
        }
      />
      <FilterBar>
        <NativeSelect
          className="tx-select"
          aria-label="State"
          value={query.state ?? ''}
          onChange={({ currentTarget }) =>
            change({ state: readSearch(search, { state: currentTarget.value || undefined }).state })
          }
          data={[
            { value: '', label: 'All states' },
            ...(
              [
                'draft',
                'pending_approval',
                'held',
                'sending',
                'paused',
                'completed',
                'cancelled',
                'failed',
              ] as const
            ).map((state) => ({
              value: state,
              label: transmissionWords[state].word,
            })),
          ]}
        />
        {orgId === undefined && <p className="tx-hint">Choose an organization to change several.</p>}
        <div className="ui-filters-end">
          <Updated at={updatedAt} />
          <ExportButton
            endpoint={exporting}
            input={{ body: { filter, sort: query.sort } }}
            what="transmissions"
            title="The transmissions that the filters find, as a file for a spreadsheet"
          />
          <ViewsMenu list="transmissions" orgId={organizationId ?? undefined} drawn={view} />
          <TableView {...view} />
        </div>
      </FilterBar>
      {query.attention && <OnlyThese says={onlyWords[query.attention]} onAll={() => change(everything)} />}
      <DataTable
        look={look}
        name="Transmissions"
        columns={listed}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={query.sort}
        onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
        isStale={isStale}
        empty={query.state || query.attention ? nothingFound : empty}
        selecting={orgId === undefined ? undefined : { selection, onSelect, nameOf }}
      />
      {page && <Pager {...page} {...pager} />}
      {page && orgId !== undefined && selection !== nothingSelected && (
        <Suspense>
          <TransmissionBulk {...page} {...{ orgId, filter, selection, onSelect }} sort={query.sort} />
        </Suspense>
      )}
      <BegunHere />
    </>
  )
}
