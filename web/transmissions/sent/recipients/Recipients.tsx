import { Button } from '@mantine/core'
import { IconLinkOff, IconMail, IconMailQuestion } from '@tabler/icons-react'
import { Suspense, useRef, useState } from 'react'
import type { Body } from '#contract/endpoint.ts'
import { evidenceStates, type EvidenceState } from '#contract/tracking/evidence-states.ts'
import type { FileFormat } from '#contract/platform/file-formats.ts'
import {
  deliverySorts,
  exportDeliveries,
  listDeliveries,
  watchedStates,
  type DeliverySort,
  type WatchedState,
  resolveDelivery,
} from '#contract/transmissions/deliveries.ts'
import {
  deliveryStates,
  type Delivery,
  type DeliveryState,
  type Transmission,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { fetchFile } from '#web/api/client.ts'
import { paths } from '#web/paths.ts'
import { useList, useChange } from '#web/api/query.ts'
import { DataTable } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { comingBack } from '#web/layout/back.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { choice } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { rememberPlace } from '#web/ui/browser/focus.ts'
import { formatNumber } from '#web/ui/format.ts'
import { dialogOnDemand, onDemand } from '#web/ui/browser/onDemand.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { RowMenu } from '#web/ui/table/RowMenu.tsx'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { useSelection } from '#web/ui/table/useSelection.ts'
import { tipStop } from '#web/ui/overlays/tips.ts'
import { daysLate, lateText } from './late.ts'
import { isUndelivered } from '../../labels.ts'
import { ToWeave } from './Look.tsx'
import { columnsFor, groupOf, type Group } from './recipientColumns.tsx'
import styles from './Recipients.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { useCounts } from '../useCounts.ts'
import { evidenceLabels } from '#web/evidence/labels.ts'
import { deliveryLabels } from '#web/transmissions/sent/recipients/deliveries.ts'
import { attempt } from '#web/api/attempt.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'

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
  /** These are the milliseconds between two readings; `lively` is used as soon as somebody on the page watches. */
  every: number
  lively: number
}

// Forms are loaded when they are opened, because they are larger than the page itself.
const RevokeDialog = dialogOnDemand(async () => (await import('./RevokeDialog.tsx')).RevokeDialog)
const RecipientsBar = onDemand(async () => (await import('./RecipientsBar.tsx')).RecipientsBar)

const watchedLabels: Record<WatchedState, string> = {
  unopened: 'Not opened',
  opened: 'Opened',
  started: 'Started',
  none: 'Not started',
  part: 'Started, not completed',
  all: 'Completed',
  failed: 'Failed the questions',
  elsewhere: 'Completed another way',
  unfinished: 'Not completed',
  excused: 'Does not owe it',
}

const watchedOptions = watchedStates.map((value) => [value, watchedLabels[value]] as const)
const evidenceOptions = evidenceStates.map((value) => [value, evidenceLabels[value].word] as const)

/** Returns the states that somebody is in, and the one that is chosen. */
const statesIn = ({ counts }: Transmission, chosen: DeliveryState | undefined) =>
  deliveryStates
    .filter((state) => counts[state] > 0 || state === chosen)
    .map((state) => [state, deliveryLabels[state].word, counts[state]] as const)

/** Returns whether somebody is watching, which means that their evidence came in the last half minute. */
const isWatching = ({ lastWatchedAt }: Delivery) =>
  lastWatchedAt !== null && Date.now() - new Date(lastWatchedAt).getTime() < 30_000

export function Recipients({ transmission, query, onChange, every, lively }: Props) {
  const [undecided, setUndecided] = useState<Delivery | null>(null)
  const [revoked, setRevoked] = useState<Delivery | null>(null)
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
  const counts = useCounts(transmission.id)
  if (error) return <NotRead error={error} retry={retry} />
  const hasDaysOnly = page?.items[0]?.coverage === null
  const columns = columnsFor(transmission, hasDaysOnly)
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
  const isWide = page?.items.some(({ linkRevokedAt }) => linkRevokedAt !== null) ?? false
  const ask = (delivery: Delivery, button: Element) => {
    goBack.current = rememberPlace(button)
    setUndecided(delivery)
  }
  const clear = () => onChange({ q: '', state: undefined, watched: undefined, evidence: undefined })
  const close = () => {
    setUndecided(null)
    // A mail that was decided about has no button any more.
    requestAnimationFrame(() => goBack.current?.())
  }
  const inGroups = query.sort === 'progress' || query.sort === '-progress'
  const headed = (key: Group) => ({
    key,
    head: <GroupHead {...{ counts, transmission }} group={key} isWhole={!isFiltered} />,
  })
  const actions = (delivery: Delivery) => (
    <>
      {delivery.linkRevokedAt && <span {...tipStop(delivery.linkRevokedReason)}>Link revoked</span>}
      <RowMenu
        name={delivery.user.name || delivery.user.email}
        acts={[
          delivery.state === 'unknown' && {
            icon: IconMailQuestion,
            label: 'Send again or treat as failed',
            onPress: (button) => ask(delivery, button),
          },
          isUndelivered(delivery.state) && {
            icon: IconMail,
            label: 'Correct the address',
            way: { to: paths.userEdit(transmission.organizationId, delivery.user.id), state: comingBack },
          },
          mayRevoke(delivery) && {
            icon: IconLinkOff,
            label: 'Revoke the personal link',
            isDangerous: true,
            onPress: () => setRevoked(delivery),
          },
        ]}
      />
    </>
  )
  return (
    <section className={styles.recipients} aria-label="Recipients">
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
        updatedAt={updatedAt}
      >
        {!hasDaysOnly && transmission.video && <ToWeave />}
      </ListBar>
      <DataTable
        id="recipients"
        name="Recipients and what they watched"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        isStale={isStale}
        sort={query.sort}
        onSort={(sort) => onChange({ sort: deliverySorts.find((one) => one === sort) ?? 'progress' })}
        groupOf={inGroups ? (delivery) => headed(groupOf(delivery)) : undefined}
        selecting={{ selection, onSelect, nameOf: ({ user }) => user.name || user.email }}
        empty={<Nobody isFiltered={isFiltered} onAll={clear} />}
        actions={actions}
        actionsWidth={isWide ? '136px' : '52px'}
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
      {revoked && (
        <Suspense>
          <RevokeDialog
            transmissionId={transmission.id}
            delivery={revoked}
            onClose={() => setRevoked(null)}
          />
        </Suspense>
      )}
    </section>
  )
}

type DecideProps = { transmissionId: string; delivery: Delivery | null; onClose: () => void }

/** Asks what to do about a mail of which nobody knows whether it arrived. */
function Decide({ transmissionId, delivery, onClose }: DecideProps) {
  const resolve = useChange(resolveDelivery, [readTransmission, listDeliveries])
  const name = delivery?.user.name ?? ''
  const decide = async (decision: 'send_again' | 'treat_as_failed') => {
    await attempt(
      () =>
        resolve.mutateAsync({
          params: { transmissionId, deliveryId: delivery?.id ?? '' },
          body: { decision },
        }),
      decision === 'send_again'
        ? `The mail to ${name} is sent again.`
        : `The mail to ${name} counts as failed.`,
    )
    onClose()
  }
  return (
    <Dialog
      isOpen={delivery !== null}
      title={`Did the mail to ${name} arrive?`}
      onClose={onClose}
      dismiss="Leave it open"
      actions={
        <>
          <Button
            variant="default"
            loading={resolve.isPending}
            onClick={() => void decide('treat_as_failed')}
          >
            Treat as failed
          </Button>
          <Button loading={resolve.isPending} onClick={() => void decide('send_again')}>
            Send again
          </Button>
        </>
      }
    >
      <p>
        The line to the mail server broke while the mail left, so it may have arrived or not. When you send it
        again, it may arrive twice; the personal link stays the same.
      </p>
    </Dialog>
  )
}

/** Returns whether a link can be revoked. Somebody who was left out has none. */
const mayRevoke = ({ state, linkRevokedAt }: Delivery) =>
  linkRevokedAt === null && state !== 'skipped' && state !== 'cancelled'

const groupWords: Record<Group, string> = {
  unfinished: 'Not completed',
  finished: 'Completed',
  excused: 'Do not owe it',
  left: 'Left out',
}

type HeadProps = {
  group: Group
  counts: Record<WatchedState, number>
  transmission: Transmission
  /** It is true when the list shows everybody, so that the figures of the transmission are those of its groups. */
  isWhole: boolean
}

/** Heads a group. It says once for all of them that they are late. */
function GroupHead({ group, counts, transmission, isWhole }: HeadProps) {
  const late = daysLate(transmission.dueAt)
  const n = { unfinished: counts.unfinished, finished: counts.all, excused: counts.excused, left: 0 }[group]
  return (
    <>
      <strong>{groupWords[group]}</strong>
      {isWhole && n > 0 && <span>{formatNumber(n)}</span>}
      {group === 'unfinished' && late !== null && <span className={shapes.late}>{lateText(late)}</span>}
    </>
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
