import { IconCircleCheck, IconClock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, type ReactNode } from 'react'
import type { WatchedState } from '#contract/deliveries.ts'
import type { Transmission } from '#contract/transmissions.ts'
import { formatNumber, plural } from '#web/ui/format.ts'
import { DueDay } from './DueDay.tsx'
import { onDemand } from '#web/ui/onDemand.tsx'
import styles from './Funnel.module.css'
import { FunnelShape } from './FunnelShape.tsx'
import { daysLate, lateText } from './late.ts'
import { openOf, sentOf, troubledOf, unfinishedOf } from './labels.ts'
import badgeClasses from '#web/ui/StatusBadge.module.css'
import shapes from '#web/ui/shapes.module.css'

const DutyNumbers = onDemand(async () => (await import('./Duty.tsx')).DutyNumbers)

/** How far the message came: four figures that open their people, drawn as one shape that thins, and the due day. */
export function Funnel({ transmission }: { transmission: Transmission }) {
  const { opened, started, completed, notPassed } = transmission
  const sent = sentOf(transmission)
  return (
    <div
      className={`${shapes.card} ${styles.funnel}`}
      role="toolbar"
      aria-label="How far it came"
      data-stop="row"
    >
      <div>
        <ul>
          <Stage word="sent" n={sent}>
            {notSentText(transmission)}
          </Stage>
          <Stage word="opened" n={opened} watched="opened">
            {sent > opened && (
              <Missing watched="unopened" isLate={isLate(transmission)}>
                {sent - opened === 1
                  ? '1 has not opened it'
                  : `${formatNumber(sent - opened)} have not opened it`}
              </Missing>
            )}
          </Stage>
          <Stage word="started" n={started} watched="started">
            {opened > started && (
              <span>
                {opened - started === 1
                  ? '1 opened it only'
                  : `${formatNumber(opened - started)} opened it only`}
              </span>
            )}
            {opened > 0 && opened === started && <span>all who opened it</span>}
          </Stage>
          <Stage word="completed" n={completed} watched="all">
            {started > completed && (
              <Missing watched="part">
                {started - completed === 1
                  ? '1 is under way'
                  : `${formatNumber(started - completed)} are under way`}
              </Missing>
            )}
            {notPassed > 0 && (
              <Missing watched="failed">{formatNumber(notPassed)} failed the questions</Missing>
            )}
          </Stage>
        </ul>
        <FunnelShape parts={[sent, opened, started, completed]} />
      </div>
      <Due transmission={transmission} />
    </div>
  )
}

const isLate = (transmission: Transmission) =>
  daysLate(transmission.dueAt) !== null && unfinishedOf(transmission) > 0

function notSentText({ counts, resting }: Transmission): ReactNode {
  const says = [
    resting > 0 && `${formatNumber(resting)} in the outbox`,
    openOf(counts) > 0 && `${formatNumber(openOf(counts))} waiting`,
    troubledOf(counts) > 0 && `${formatNumber(troubledOf(counts))} not delivered`,
    counts.skipped > 0 && `${formatNumber(counts.skipped)} left out`,
    counts.cancelled > 0 && `${formatNumber(counts.cancelled)} cancelled`,
  ].filter(Boolean)
  return says.length > 0 && <span>{says.join(', ')}</span>
}

type StageProps = {
  /** What became of them, after the figure. */
  word: string
  n: number
  /** Whom the figure opens; without it everybody. */
  watched?: WatchedState
  children: ReactNode
}

function Stage({ word, n, watched, children }: StageProps) {
  return (
    <li data-stage={word}>
      <Link to="." search={watched ? { watched } : {}} resetScroll={false}>
        <strong>{formatNumber(n)}</strong> {word}
      </Link>
      {children}
    </li>
  )
}

type MissingProps = { watched: WatchedState; isLate?: boolean; children: ReactNode }

function Missing({ watched, isLate: late = false, children }: MissingProps) {
  return (
    <Link to="." search={{ watched }} resetScroll={false} data-late={late || undefined}>
      {children}
    </Link>
  )
}

function Due({ transmission }: { transmission: Transmission }) {
  const { dueAt } = transmission
  const missing = unfinishedOf(transmission)
  const late = daysLate(dueAt)
  return (
    <div className={styles.due}>
      {dueAt && missing === 0 && (
        <span className={badgeClasses.badge} data-part="badge" data-tone="success">
          <IconCircleCheck size={14} aria-hidden /> Everybody has completed it
        </span>
      )}
      {late !== null && missing > 0 && (
        <span className={badgeClasses.badge} data-part="badge" data-tone="danger">
          <IconClock size={14} aria-hidden /> {lateText(late)}
        </span>
      )}
      <DueDay transmission={transmission} isAlone />
      {transmission.duty && (
        <Suspense>
          <DutyNumbers transmission={transmission} assignmentId={transmission.duty.id} />
        </Suspense>
      )}
      {!transmission.duty && missing > 0 && (
        <p className={shapes.lead}>
          {missing === 1 ? '1 person has' : `${plural(missing, 'person', 'people')} have`} not completed it.
        </p>
      )}
    </div>
  )
}
