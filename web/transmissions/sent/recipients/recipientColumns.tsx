import { Link } from '@tanstack/react-router'
import { statesThat } from '#contract/transmissions/fates.ts'
import { explainReason } from '#contract/transmissions/delivery-reasons.ts'
import type { Delivery, Transmission } from '#contract/transmissions/transmissions.ts'
import { evidenceLabels } from '#web/evidence/labels.ts'
import { paths } from '#web/paths.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import type { Column } from '#web/ui/table/DataTable.tsx'
import { formatDay, formatNumber, formatReached } from '#web/ui/format.ts'
import { Standing } from '#web/ui/figures/Standing.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { Strip } from '#web/ui/figures/Strip.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { Tip } from '#web/ui/overlays/Tip.tsx'
import { tip, tipStop } from '#web/ui/overlays/tips.ts'
import { wordsOf } from './deliveries.ts'
import { daysLate } from './late.ts'
import styles from './Recipients.module.css'
import shapes from '#web/ui/look/shapes.module.css'

export type Group = 'unfinished' | 'finished' | 'excused' | 'left'

/** Groups recipients as the order `progress` has them together. */
export function groupOf({ state, completedAt, excused }: Delivery): Group {
  if (completedAt !== null) return 'finished'
  if (excused) return 'excused'
  return statesThat('asksToWatch').includes(state) ? 'unfinished' : 'left'
}

const arrived: ReadonlySet<Delivery['state']> = new Set(statesThat('hasArrived'))
const hasMail = ({ state, resting }: Delivery) => arrived.has(state) && !resting

const threadOf = (delivery: Delivery, isLate: boolean) => {
  if (!hasMail(delivery)) return 'undelivered'
  return isLate && groupOf(delivery) === 'unfinished' ? 'late' : 'missing'
}

/** Says how far the message itself came, for somebody who has watched nothing of the video. */
function Untouched({ delivery }: { delivery: Delivery }) {
  const { openedAt, coverage, handedBy, completedAt } = delivery
  if (handedBy !== null) return <span {...tip(`On paper, handed over by ${handedBy}.`)}>Handed over</span>
  if (!hasMail(delivery)) return <Mail delivery={delivery} />
  // Where only completions are recorded, nobody knows whether it was opened.
  if (coverage === null || completedAt !== null) return null
  return openedAt === null ? 'Not opened' : 'Opened'
}

/** Says where they stand, as everywhere, with what is true of this message alone. */
function State({ delivery, dueAt }: { delivery: Delivery; dueAt: string | null }) {
  const { standing, completedAt, completedElsewhere, excused } = delivery
  if (!standing) return null
  const besides = excused?.state === 'ended' ? 'does not owe it' : completedElsewhere && 'another way'
  return (
    <span {...tipStop(excused?.reason)}>
      <Standing standing={standing} completedAt={completedAt} besides={besides} saidAlready={dueAt} />
    </span>
  )
}

function Mail({ delivery }: { delivery: Delivery }) {
  const { tone, icon, word, means } = wordsOf(delivery)
  return (
    <StatusBadge tone={tone} icon={icon} title={explainReason(delivery.reason) ?? means}>
      {word}
    </StatusBadge>
  )
}

/** Returns the columns. With `hasDaysOnly` only completions are recorded, so that their day is all that there is to say. */
export function columnsFor(
  { video, organizationId, dueAt }: Transmission,
  hasDaysOnly: boolean,
): readonly Column<Delivery>[] {
  const durationMs = video?.durationMs ?? null
  const isLate = daysLate(dueAt) !== null
  return [
    {
      key: 'name',
      header: 'Name',
      sort: 'name',
      isName: true,
      cell: ({ user }) => (
        <span className={shapes.named}>
          <Avatar name={user.name || user.email} size={24} />
          <Link
            to={paths.evidence(organizationId, user.id, video?.id ?? '')}
            {...tip(`What ${user.name || user.email} watched, and how that is known`)}
          >
            {user.name || user.email}
          </Link>
        </span>
      ),
    },
    {
      key: 'watched',
      header: 'Parts seen',
      phone: 'line',
      width: '25%',
      cell: (delivery) =>
        delivery.coverage?.length ? (
          <Strip watched={delivery.coverage} durationMs={durationMs} thread={threadOf(delivery, isLate)} />
        ) : (
          <Untouched delivery={delivery} />
        ),
    },
    {
      key: 'share',
      header: 'Seen',
      sort: 'share',
      align: 'end',
      width: '96px',
      cell: ({ share, watchedMs }) => (watchedMs && share !== null ? formatReached(share) : null),
    },
    {
      key: 'progress',
      header: 'State',
      phone: 'end',
      sort: 'progress',
      width: '144px',
      cell: (delivery) => <State delivery={delivery} dueAt={dueAt} />,
    },
    {
      key: 'evidence',
      header: 'Evidence',
      width: '112px',
      isExtra: hasDaysOnly,
      dimmed: true,
      from: 'lg',
      cell: ({ evidence, watchedMs }) =>
        evidence !== null &&
        watchedMs !== null &&
        watchedMs > 0 && (
          <Tip
            className={styles.told ?? ''}
            text={evidenceLabels[evidence].means}
            label={`${evidenceLabels[evidence].word}: ${evidenceLabels[evidence].means}`}
          >
            {evidenceLabels[evidence].word}
          </Tip>
        ),
    },
    {
      key: 'seen',
      header: 'Last watched',
      sort: 'lastWatched',
      width: '124px',
      dimmed: true,
      from: 'md',
      cell: ({ lastWatchedAt }) => lastWatchedAt && <RelativeTime iso={lastWatchedAt} />,
    },
    {
      key: 'completed',
      header: 'Completed',
      sort: 'completed',
      width: '124px',
      dimmed: true,
      isExtra: !hasDaysOnly,
      cell: ({ completedAt, watchedMs }) =>
        completedAt &&
        (watchedMs === null ? formatDay(completedAt.slice(0, 10)) : <RelativeTime iso={completedAt} />),
    },
    {
      key: 'state',
      header: 'Mail',
      sort: 'state',
      width: '124px',
      isExtra: true,
      cell: (delivery) => <Mail delivery={delivery} />,
    },
    {
      key: 'opened',
      header: 'Opened',
      sort: 'opened',
      width: '112px',
      dimmed: true,
      isExtra: true,
      cell: ({ openedAt }) => openedAt && <RelativeTime iso={openedAt} />,
    },
    {
      key: 'seconds',
      header: 'Seconds',
      align: 'end',
      width: '80px',
      isExtra: true,
      cell: ({ watchedMs }) =>
        !watchedMs ? null : (
          <span>
            {formatNumber(Math.round(watchedMs / 1_000))} <span className={shapes.unit}>s</span>
          </span>
        ),
    },
  ]
}
