import { Button, NativeSelect } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import {
  deliveryStates,
  listDeliveries,
  type Delivery,
  type DeliveryState,
  type Transmission,
} from '#contract/transmissions.ts'
import { explain } from '#web/api/errors.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { CoverageStrip } from '#web/ui/CoverageStrip.tsx'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { FailedBadge } from '#web/ui/FailedBadge.tsx'
import { ErrorState } from '#web/ui/ErrorState.tsx'
import { rememberPlace } from '#web/ui/focus.ts'
import { formatDay, formatNumber, formatShare } from '#web/ui/format.ts'
import { Pager } from '#web/ui/Pager.tsx'
import { SearchField } from '#web/ui/SearchField.tsx'
import { StatusBadge } from '#web/ui/StatusBadge.tsx'
import { TableView } from '#web/ui/table/TableView.tsx'
import { RelativeTime, Updated } from '#web/ui/Time.tsx'
import { Decide } from './Decide.tsx'
import { RevokeLink } from './RevokeLink.tsx'
import { deliveryWords, explainReason, wordsOf } from '#web/words/deliveries.ts'

type Query = { q: string; state?: DeliveryState | undefined; offset: number }
type Props = {
  transmission: Transmission
  query: Query
  onChange: (patch: Partial<Query>) => void
  /** Milliseconds between two readings; `lively` as soon as somebody on the page watches. */
  every: number
  lively: number
}

function columnsFor({ video, organizationId }: Transmission): readonly Column<Delivery>[] {
  const { durationMs } = video
  return [
    {
      key: 'name',
      header: 'Name',
      isName: true,
      cell: ({ user }) => (
        <span className="ui-named">
          <Avatar name={user.name || user.email} size={24} />
          <Link
            to={paths.evidence(organizationId, user.id, video.id)}
            title={`What ${user.name || user.email} watched, and how that is known`}
          >
            {user.name || user.email}
          </Link>
        </span>
      ),
    },
    {
      key: 'state',
      header: 'Mail',
      width: '124px',
      cell: (delivery) => {
        const { tone, word, means } = wordsOf(delivery)
        return (
          <StatusBadge tone={tone} title={explainReason(delivery.reason) ?? means}>
            {word}
          </StatusBadge>
        )
      },
    },
    {
      key: 'opened',
      header: 'Opened',
      width: '112px',
      dimmed: true,
      from: 'md',
      cell: ({ openedAt }) => openedAt && <RelativeTime iso={openedAt} />,
    },
    {
      key: 'watched',
      header: 'Watched',
      width: '160px',
      cell: ({ coverage }) => coverage && <CoverageStrip ranges={coverage} durationMs={durationMs} />,
    },
    {
      key: 'seconds',
      header: 'Seconds',
      align: 'end',
      width: '80px',
      cell: ({ watchedMs }) =>
        !watchedMs ? null : (
          <span>
            {formatNumber(Math.round(watchedMs / 1_000))} <span className="ui-unit">s</span>
          </span>
        ),
    },
    {
      key: 'share',
      header: 'Percent',
      align: 'end',
      width: '80px',
      cell: ({ share, watchedMs }) => (watchedMs && share !== null ? formatShare(share) : null),
    },
    {
      key: 'completed',
      header: 'Completed',
      width: '112px',
      dimmed: true,
      from: 'lg',
      cell: ({ completedAt, watchedMs, failed }) =>
        failed ? (
          <FailedBadge failed={failed} />
        ) : (
          completedAt &&
          (watchedMs === null ? formatDay(completedAt.slice(0, 10)) : <RelativeTime iso={completedAt} />)
        ),
    },
    {
      key: 'seen',
      header: 'Last watched',
      width: '124px',
      dimmed: true,
      from: 'lg',
      cell: ({ lastWatchedAt }) => lastWatchedAt && <RelativeTime iso={lastWatchedAt} />,
    },
  ]
}

/** Somebody whose evidence came in the last half minute is watching. */
const isWatching = ({ lastWatchedAt }: Delivery) =>
  lastWatchedAt !== null && Date.now() - new Date(lastWatchedAt).getTime() < 30_000

export function Recipients({ transmission, query, onChange, every, lively }: Props) {
  const [isLively, setLively] = useState(false)
  const [undecided, setUndecided] = useState<Delivery | null>(null)
  const goBack = useRef<(() => void) | null>(null)
  const list = useList(
    listDeliveries,
    { params: { transmissionId: transmission.id }, query },
    { every: isLively ? lively : every },
  )
  const { page, isStale, error, retry, updatedAt } = list
  const someoneWatches = page?.items.some(isWatching) ?? false
  if (someoneWatches !== isLively) setLively(someoneWatches)
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  const columns = columnsFor(transmission)
  const isFiltered = query.q !== '' || query.state !== undefined
  const hasUnknown = page?.items.some(({ state }) => state === 'unknown') ?? false
  const ask = (delivery: Delivery, button: Element) => {
    goBack.current = rememberPlace(button)
    setUndecided(delivery)
  }
  const close = () => {
    setUndecided(null)
    // What was decided has no button any more.
    requestAnimationFrame(() => goBack.current?.())
  }
  const actions = (delivery: Delivery) => (
    <>
      {delivery.state === 'unknown' && (
        <Button size="xs" variant="default" onClick={(event) => ask(delivery, event.currentTarget)}>
          Decide
        </Button>
      )}
      <RevokeLink transmissionId={transmission.id} delivery={delivery} />
    </>
  )
  return (
    <section className="tx-section tx-recipients" aria-labelledby="recipients">
      <h2 id="recipients">Recipients</h2>
      <div className="ui-filters">
        <SearchField label="Search by name or email" value={query.q} onSearch={(q) => onChange({ q })} />
        <NativeSelect
          className="tx-select"
          aria-label="State of the mail"
          value={query.state ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ state: deliveryStates.find((state) => state === value) })
          }
          data={[
            { value: '', label: 'All states' },
            ...deliveryStates
              .filter((state) => transmission.counts[state] > 0 || state === query.state)
              .map((state) => ({
                value: state,
                label: `${deliveryWords[state].word} (${transmission.counts[state]})`,
              })),
          ]}
        />
        <div className="ui-filters-end">
          <Updated at={updatedAt} />
          <TableView table="recipients" columns={columns} />
        </div>
      </div>
      <DataTable
        id="recipients"
        name="Recipients and what they watched"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        isStale={isStale}
        empty={<Nobody isFiltered={isFiltered} onAll={() => onChange({ q: '', state: undefined })} />}
        actions={actions}
        actionsWidth={hasUnknown ? '136px' : '104px'}
      />
      {page && <Pager {...page} offset={query.offset} onOffset={(offset) => onChange({ offset })} />}
      <Decide transmissionId={transmission.id} delivery={undecided} onClose={close} />
    </section>
  )
}

function Nobody({ isFiltered, onAll }: { isFiltered: boolean; onAll: () => void }) {
  if (!isFiltered) return <EmptyState title="The list of recipients is being made" />
  return (
    <EmptyState
      title="No recipient matches"
      action={
        <Button variant="default" onClick={onAll}>
          Show all recipients
        </Button>
      }
    />
  )
}
