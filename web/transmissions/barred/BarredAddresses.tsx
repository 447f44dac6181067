import { Button } from '@mantine/core'
import { IconMailCheck, IconMailOff, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState, type ReactNode } from 'react'
import * as z from 'zod/mini'
import {
  exportBarredAddresses,
  liftBar,
  listBarredAddresses,
  type BarredAddress,
  type BarredFilter,
} from '#contract/transmissions/barred-addresses.ts'
import { barFilterWords, barReasonIn, barShort, barWords } from '#contract/transmissions/barred-labels.ts'
import type { FileFormat } from '#contract/platform/file-formats.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { attempt } from '#web/api/attempt.ts'
import { fetchFile } from '#web/api/client.ts'
import { queryOf, useChange, useList } from '#web/api/query.ts'
import { dayFilter } from '#web/lists/bar/dayFilter.tsx'
import { choice } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { BegunHere } from '#web/lists/operations/Operations.tsx'
import { ChooseOrganization } from '#web/lists/ChooseOrganization.tsx'
import { OrganizationFilter } from '#web/lists/organizationFilter/OrganizationFilter.tsx'
import { usePageSearch } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { all, useUniform } from '#web/lists/uniform.ts'
import { useWayBack } from '#web/lists/useWayBack.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { plural } from '#web/ui/format.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { product } from '#web/ui/product.ts'
import { Pager } from '#web/ui/table/Pager.tsx'
import { RowMenu } from '#web/ui/table/RowMenu.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { dialogOnDemand, onDemand } from '#web/ui/browser/onDemand.tsx'
import { tipStop } from '#web/ui/overlays/tips.ts'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { useSelection } from '#web/ui/table/useSelection.ts'
import { TransmissionsHead } from '../TransmissionsHead.tsx'

const BarAddress = dialogOnDemand(async () => (await import('./BarAddress.tsx')).BarAddress)

const LiftBars = onDemand(async () => (await import('./LiftBars.tsx')).LiftBars)

const reasons = ['no_such_mailbox', 'complained', 'unsubscribed', 'other'] as const
const search = z.object({
  q: z.catch(z.string(), ''),
  reason: z.catch(z.optional(z.enum(reasons)), undefined),
  day: z.catch(z.optional(z.iso.date()), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
  organization: z.catch(z.optional(z.uuid()), undefined),
})
const ImportAddresses = dialogOnDemand(async () => (await import('./ImportAddresses.tsx')).ImportAddresses)
const everything = { q: '', reason: undefined, day: undefined, offset: 0 }

/** Lists addresses that get no message of an organization, with the reason, the beginning and the end. */
export function BarredAddresses() {
  const { organizationId } = useUser()
  const [{ offset, organization, ...filter }, change] = usePageSearch(search)
  const [adding, setAdding] = useState<'one' | 'list' | null>(null)
  const orgId = organizationId ?? organization
  const close = () => setAdding(null)
  return (
    <>
      <TransmissionsHead
        part="Barred addresses"
        more={
          orgId && (
            <Button variant="default" onClick={() => setAdding('list')}>
              Import
            </Button>
          )
        }
        actions={
          orgId && (
            <Button
              data-create
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => setAdding('one')}
            >
              Add a barred address
            </Button>
          )
        }
      />
      {orgId ? (
        <>
          <Listed orgId={orgId} filter={filter} offset={offset} onChange={change}>
            {organizationId === null && (
              <OrganizationFilter
                value={orgId}
                onChange={(id) => change({ organization: id || undefined, offset: 0 })}
              />
            )}
          </Listed>
          <Suspense>
            {adding === 'one' && <BarAddress orgId={orgId} onClose={close} />}
            {adding === 'list' && <ImportAddresses orgId={orgId} onClose={close} />}
          </Suspense>
        </>
      ) : (
        <ChooseOrganization why="Each organization bars addresses for itself." />
      )}
    </>
  )
}

/** These files hold what the search and the filters find. */
const filesOf = (orgId: string, filter: BarredFilter) => [
  {
    name: 'barred-addresses',
    read: (format: FileFormat) =>
      fetchFile(exportBarredAddresses, { params: { orgId }, query: { ...filter, format } }),
  },
]

/** Says why an address is barred. Where somebody wrote the reason, there is no more to say than what the cell has. */
function Why(one: BarredAddress) {
  const [short, words] = [barShort(one), barWords(one)]
  return short === words ? words : <span {...tipStop(words)}>{short}</span>
}

/** Returns who barred it; null where nobody is named. */
const barredBy = ({ by, reason }: BarredAddress) => by ?? (barReasonIn(reason) ? product.name : null)

const counted = (total: number) => plural(total, 'address', 'addresses')

/** Returns the columns. An address is barred through a day of the organization, so days are told in its zone. */
const columnsIn = (timeZone: string): readonly Column<BarredAddress>[] => [
  { key: 'address', header: 'Address', isName: true, cell: ({ address }) => address },
  {
    key: 'reason',
    header: 'Why',
    phone: 'line',
    width: '184px',
    uniformWord: (one) => all(barShort(one)),
    cell: Why,
  },
  {
    key: 'by',
    header: 'By',
    width: '160px',
    dimmed: true,
    from: 'lg',
    uniformWord: (one) => (barredBy(one) === null ? '' : `by ${barredBy(one)}`),
    cell: barredBy,
  },
  {
    key: 'since',
    header: 'Since',
    phone: 'line',
    width: '128px',
    dimmed: true,
    from: 'md',
    cell: ({ since }) => <RelativeTime iso={since} />,
  },
  {
    key: 'until',
    header: 'Until',
    width: '176px',
    dimmed: true,
    from: 'md',
    cell: ({ until }) => (until ? dueText(until, timeZone) : 'Further notice'),
  },
]

type Listing = {
  orgId: string
  filter: BarredFilter
  offset: number
  onChange: (patch: Partial<z.output<typeof search>>) => void
  /** These stand in the bar above the list. */
  children: ReactNode
}

function Listed({ orgId, filter, offset, onChange, children }: Listing) {
  const { q, reason, day } = filter
  const [selection, onSelect] = useSelection({ orgId, ...filter })
  const [lifting, setLifting] = useState<BarredAddress | null>(null)
  const list = useList(listBarredAddresses, { params: { orgId }, query: { ...filter, offset } })
  const { remember, goBack } = useWayBack()
  const { data } = useQuery(queryOf(readOrganization, { params: { orgId } }))
  const lift = useChange(liftBar, [listBarredAddresses])
  const timeZone = data?.timeZone ?? 'UTC'
  const { columns, uniform } = useUniform({ ...list, of: orgId, columns: columnsIn(timeZone), counted })
  if (list.error) return <NotRead error={list.error} retry={list.retry} />
  const ask = (one: BarredAddress) => {
    remember()
    setLifting(one)
  }
  const close = () => {
    setLifting(null)
    goBack()
  }
  const actions = (one: BarredAddress) => (
    <RowMenu
      name={one.address}
      acts={[{ icon: IconMailCheck, label: 'Lift', onPress: () => ask(one) }]}
      direct={{ label: 'Lift', name: `Lift ${one.address}`, onPress: () => ask(one) }}
    />
  )
  const { address = '', kind } = lifting ?? {}
  const confirm = () =>
    attempt(
      () => lift.mutateAsync({ params: { orgId }, body: { address, kind } }),
      `The bar on ${address} is lifted.`,
    )
  const isNarrowed = filter.q !== '' || filter.reason !== undefined || filter.day !== undefined
  const clear = () => onChange(everything)
  return (
    <>
      <ListBar
        search={{
          label: 'Search addresses',
          value: q ?? '',
          onSearch: (words) => onChange({ q: words, offset: 0 }),
        }}
        filters={[
          choice({
            label: 'Why',
            none: 'For every reason',
            options: reasons.map((one) => [one, barFilterWords[one]] as const),
            value: reason,
            onChange: (value) => onChange({ reason: value, offset: 0 }),
          }),
          dayFilter({
            label: 'Barred on',
            value: day ?? '',
            onChange: (value) => onChange({ day: value || undefined, offset: 0 }),
          }),
        ]}
        onClear={clear}
        found={list.isStale ? undefined : list.page}
        uniform={uniform}
        updatedAt={list.updatedAt}
        table={{ table: 'barred', columns }}
        files={filesOf(orgId, filter)}
      >
        {children}
      </ListBar>
      <DataTable
        id="barred"
        name="Barred addresses"
        columns={columns}
        rows={list.page?.items}
        rowKey={({ id }) => id}
        isStale={list.isStale}
        empty={isNarrowed ? <NoMatch onAll={clear} /> : <Nothing />}
        selecting={{ selection, onSelect, nameOf: (one: BarredAddress) => one.address }}
        actions={actions}
      />
      {list.page && <Pager {...list.page} offset={offset} onOffset={(next) => onChange({ offset: next })} />}
      {list.page && selection !== nothingSelected && (
        <Suspense>
          <LiftBars {...list.page} {...{ selection, onSelect, orgId, filter }} />
        </Suspense>
      )}
      <BegunHere />
      <ConfirmDialog
        isOpen={lifting !== null}
        title={`Send messages to ${address} again?`}
        confirmLabel="Lift"
        isDangerous={false}
        onConfirm={confirm}
        onClose={close}
      >
        <p>From the next message on. What was left out is not sent by that.</p>
        {kind === 'person' && <p>Its reader wanted no more messages: lift that only if they asked for it.</p>}
      </ConfirmDialog>
    </>
  )
}

function Nothing() {
  return (
    <EmptyState title="No address is barred" icon={<IconMailOff size={24} />}>
      An address that a mail server does not know is barred by itself for 30 days.
    </EmptyState>
  )
}

function NoMatch({ onAll }: { onAll: () => void }) {
  return (
    <EmptyState
      title="No barred address matches"
      action={
        <Button variant="default" onClick={onAll}>
          Show all of them
        </Button>
      }
    />
  )
}
