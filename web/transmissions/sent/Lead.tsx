import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { Transmission } from '#contract/transmissions/transmissions.ts'
import { paths } from '#web/paths.ts'
import { dot, formatDate, formatDateTime, formatNumber, plural } from '#web/ui/format.ts'
import { onDemand, dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { tip } from '#web/ui/overlays/tips.ts'
import { Uncertain, Unreached } from './FollowUps.tsx'
import { followUpLabels, isOver, isUnsent, sentOf } from '../labels.ts'
import styles from './TransmissionPage.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { daysLate, lateText } from './recipients/late.ts'
import { useCounts } from './useCounts.ts'

const DutyLine = onDemand(async () => (await import('./Duty.tsx')).DutyLine)

type Props = { transmission: Transmission }

// The form is loaded when it is opened, because it is larger than the page itself.
const DueDialog = dialogOnDemand(async () => (await import('./DueDialog.tsx')).DueDialog)

type DueDayProps = { transmission: Transmission }

/** Returns whether the day cannot be changed here. Before it is let go, the day is changed with the rest of it. */
const isDueFixed = ({ state }: Transmission) =>
  state === 'draft' || state === 'pending_approval' || state === 'cancelled'

/** Says by when it is to be watched. Once it was sent, the day can be changed here. */
function DueDay({ transmission }: DueDayProps) {
  const [isOpen, setOpen] = useState(false)
  const { dueAt, timeZone } = transmission
  return (
    <>
      {dueAt && (
        <>
          due <time dateTime={dueAt}>{dueText(dueAt, timeZone)}</time>
          {!isUnsent(transmission) && <Outcome transmission={transmission} />}
        </>
      )}
      {!isDueFixed(transmission) && (
        <>
          {dueAt && '\u00A0· '}
          <button type="button" className={styles.change} onClick={() => setOpen(true)}>
            {dueAt ? (
              <>
                Change<span className={shapes.sr}> the due day</span>
              </>
            ) : (
              'Set a due day'
            )}
          </button>
        </>
      )}
      <Suspense>
        {isOpen && <DueDialog transmission={transmission} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}

/** Says what has become of the day: how late the rest is, or that nobody is left. */
function Outcome({ transmission: { id, dueAt } }: DueDayProps) {
  const { unfinished, excused } = useCounts(id)
  const late = daysLate(dueAt)
  if (unfinished === 0) return excused === 0 ? ', everybody has completed it' : ', nobody owes it any more'
  return late !== null && <span className={shapes.late}>, {lateText(late)}</span>
}

/** Says the facts of a transmission in one line: when it went to how many, by when it is due, and what it is about. */
export function Lead({ transmission }: Props) {
  const { video, duty, dueAt, organizationId, createdAt, resting } = transmission
  const waits = isUnsent(transmission)
  return (
    <>
      {waits || resting > 0 ? (
        <>
          Written <DateTime iso={createdAt} />
        </>
      ) : (
        <Sent transmission={transmission} />
      )}
      {(dueAt !== null || !isDueFixed(transmission)) && (
        <>
          {dot}
          <DueDay transmission={transmission} />
        </>
      )}
      {duty && (
        <>
          {dot}
          <Link to={paths.assignment(organizationId, duty.id)}>Its assignment</Link>
        </>
      )}
      {video && (
        <>
          {dot}
          <Link to={paths.video(video.id)}>{video.title}</Link>
        </>
      )}
    </>
  )
}

/** Says when it was sent, which is its state once all has left; nothing else says so. */
function Sent({ transmission }: Props) {
  const iso = transmission.releasedAt ?? transmission.createdAt
  return (
    <span data-sending={isOver(transmission) ? transmission.state : undefined}>
      Sent{' '}
      <time dateTime={iso} {...tip(formatDateTime(iso))}>
        {formatDate(iso)}
      </time>{' '}
      to {formatNumber(sentOf(transmission))}
    </span>
  )
}

/** Tells what few people ask for: who wrote it and to whom it goes on, how it reminds, and who came too late for it. */
export function Further({ transmission }: Props) {
  const { sender, channel, follows, approval, duty } = transmission
  return (
    <div className={`${shapes.row} ${shapes.unit} ${styles.further}`}>
      <span>
        By {sender.name}
        {channel === 'webhook' && ', by SMS or chat'}
        {follows && (
          <>
            , to people of <Link to={paths.transmission(follows.id)}>{follows.subject}</Link>:{' '}
            {followUpLabels[follows.part].toLowerCase()}
          </>
        )}
      </span>
      {approval?.state === 'approved' && approval.decidedAt && (
        <span>
          Approved by {approval.decidedBy} on <DateTime iso={approval.decidedAt} /> for{' '}
          {plural(approval.decidedFor ?? 0, 'person', 'people')}
        </span>
      )}
      {!isUnsent(transmission) && (
        <>
          <Suspense>{duty && <DutyLine transmission={transmission} assignmentId={duty.id} />}</Suspense>
          <Uncertain {...transmission} />
          <Unreached transmission={transmission} />
        </>
      )}
    </div>
  )
}
