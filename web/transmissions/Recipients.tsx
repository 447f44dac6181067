import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import type { Body } from '#contract/endpoint.ts'
import { evidenceStates, type EvidenceState } from '#contract/evidence.ts'
import type { FileFormat } from '#contract/file-formats.ts'
import {
  deliverySorts,
  exportDeliveries,
  listDeliveries,
  watchedStates,
  type DeliverySort,
  type WatchedState,
} from '#contract/deliveries.ts'
import {
  deliveryStates,
  type Delivery,
  type DeliveryState,
  type Transmission,
} from '#contract/transmissions.ts'
import { fetchFile } from '#web/api/client.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { Strip } from '#web/ui/Strip.tsx'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { FailedBadge } from '#web/ui/FailedBadge.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { choice } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { rememberPlace } from '#web/ui/focus.ts'
import { formatDay, formatNumber, formatShare } from '#web/ui/format.ts'
import { onDemand } from '#web/ui/onDemand.tsx'
import { Pager } from '#web/ui/Pager.tsx'
import { StatusBadge } from '#web/ui/StatusBadge.tsx'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { useSelection } from '#web/ui/table/useSelection.ts'
import { RelativeTime, Updated } from '#web/ui/Time.tsx'
import { Decide } from './Decide.tsx'
import { RevokeLink } from './RevokeLink.tsx'
import { evidenceLabels } from '#web/evidence/labels.ts'
import { deliveryLabels, explainReason, wordsOf } from '#web/transmissions/deliveries.ts'
import { tip } from '#web/ui/tips.ts'

type Query = {
  q: string
  state?: DeliveryState | undefined
  watched?: WatchedState | undefined
  evidence?: EvidenceState | undefined
  sort: DeliverySort
  offset: number
}
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
      sort: 'name',
      isName: true,
      cell: ({ user }) => (
        <span className="ui-named">
          <Avatar name={user.name || user.email} size={24} />
          <Link
            to={paths.evidence(organizationId, user.id, video.id)}
            {...tip(`What ${user.name || user.email} watched, and how that is known`)}
          >
            {user.name || user.email}
          </Link>
        </span>
      ),
    },
    {
      key: 'state',
      header: 'Mail',
      sort: 'state',
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
      sort: 'opened',
      width: '112px',
      dimmed: true,
      from: 'md',
      cell: ({ openedAt }) => openedAt && <RelativeTime iso={openedAt} />,
    },
    {
      key: 'watched',
      header: 'Watched',
      width: '160px',
      cell: ({ coverage }) => coverage && <Strip watched={coverage} durationMs={durationMs} />,
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
      sort: 'share',
      align: 'end',
      width: '100px',
      cell: ({ share, watchedMs }) => (watchedMs && share !== null ? formatShare(share) : null),
    },
    {
      key: 'completed',
      header: 'Completed',
      sort: 'completed',
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
      sort: 'lastWatched',
      width: '124px',
      dimmed: true,
      from: 'lg',
      cell: ({ lastWatchedAt }) => lastWatchedAt && <RelativeTime iso={lastWatchedAt} />,
    },
  ]
}

const RecipientsBar = onDemand(async () => (await import('./RecipientsBar.tsx')).RecipientsBar)

const watchedLabels: Record<WatchedState, string> = {
  none: 'Not started',
  part: 'Started, not completed',
  all: 'Completed',
  failed: 'Failed the questions',
}

const watchedOptions = watchedStates.map((value) => [value, watchedLabels[value]] as const)
const evidenceOptions = evidenceStates.map((value) => [value, evidenceLabels[value].word] as const)

/** The states that somebody is in, and the one that is chosen. */
const statesIn = ({ counts }: Transmission, chosen: DeliveryState | undefined) =>
  deliveryStates
    .filter((state) => counts[state] > 0 || state === chosen)
    .map((state) => [state, `${deliveryLabels[state].word} (${counts[state]})`] as const)

/** Somebody whose evidence came in the last half minute is watching. */
const isWatching = ({ lastWatchedAt }: Delivery) =>
  lastWatchedAt !== null && Date.now() - new Date(lastWatchedAt).getTime() < 30_000

export function Recipients({ transmission, query, onChange, every, lively }: Props) {
  const [undecided, setUndecided] = useState<Delivery | null>(null)
  const filter = {
    q: query.q || undefined,
    state: query.state,
    watched: query.watched,
    evidence: query.evidence,
  }
  const [selection, onSelect] = useSelection(filter)
  const goBack = useRef<(() => void) | null>(null)
  const list = useList(
    listDeliveries,
    { params: { transmissionId: transmission.id }, query },
    { every: ({ items }) => (items.some(isWatching) ? lively : every) },
  )
  const { page, isStale, error, retry, updatedAt } = list
  if (error) return <NotRead error={error} retry={retry} />
  const columns = columnsFor(transmission)
  const files = (chosen: Pick<Body<typeof exportDeliveries>, 'filter' | 'ids' | 'exceptIds'>) => [
    {
      name: 'recipients',
      read: (format: FileFormat) =>
        fetchFile(exportDeliveries, {
          params: { transmissionId: transmission.id },
          body: { ...chosen, sort: query.sort, format },
        }),
    },
  ]
  const isFiltered =
    query.q !== '' || query.state !== undefined || query.watched !== undefined || query.evidence !== undefined
  const hasUnknown = page?.items.some(({ state }) => state === 'unknown') ?? false
  const ask = (delivery: Delivery, button: Element) => {
    goBack.current = rememberPlace(button)
    setUndecided(delivery)
  }
  const clear = () => onChange({ q: '', state: undefined, watched: undefined, evidence: undefined })
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
      <ListBar
        search={{ label: 'Search by name or email', value: query.q, onSearch: (q) => onChange({ q }) }}
        filters={[
          choice({
            label: 'State of the mail',
            none: 'All states',
            options: statesIn(transmission, query.state),
            value: query.state,
            onChange: (state) => onChange({ state }),
          }),
          choice({
            label: 'Completed',
            none: 'Completed or not',
            options: watchedOptions,
            value: query.watched,
            onChange: (watched) => onChange({ watched }),
          }),
          choice({
            label: 'Evidence',
            none: 'Any evidence',
            options: evidenceOptions,
            value: query.evidence,
            onChange: (evidence) => onChange({ evidence }),
          }),
        ]}
        onClear={clear}
        found={isStale ? undefined : page}
        table={{ table: 'recipients', columns }}
        files={files({ filter })}
      >
        <Updated at={updatedAt} />
      </ListBar>
      <DataTable
        id="recipients"
        name="Recipients and what they watched"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        isStale={isStale}
        sort={query.sort}
        onSort={(sort) => onChange({ sort: deliverySorts.find((one) => one === sort) ?? 'name' })}
        selecting={{ selection, onSelect, nameOf: ({ user }) => user.name || user.email }}
        empty={<Nobody isFiltered={isFiltered} onAll={clear} />}
        actions={actions}
        actionsWidth={hasUnknown ? '136px' : '104px'}
      />
      {page && <Pager {...page} offset={query.offset} onOffset={(offset) => onChange({ offset })} />}
      {page && selection !== nothingSelected && (
        <Suspense>
          <RecipientsBar
            {...{ selection, onSelect, filter, files }}
            transmissionId={transmission.id}
            total={page.total}
            totalIsMinimum={page.totalIsMinimum}
          />
        </Suspense>
      )}
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
