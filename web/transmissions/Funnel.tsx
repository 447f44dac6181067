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
import { openOf, sentOf, troubledOf } from './labels.ts'
import { useCounts } from './useCounts.ts'
import badgeClasses from '#web/ui/StatusBadge.module.css'
import shapes from '#web/ui/shapes.module.css'

const DutyLine = onDemand(async () => (await import('./Duty.tsx')).DutyLine)

/** How far the message came: four figures that open their people, drawn as one shape that thins, and the due day. */
export function Funnel({ transmission }: { transmission: Transmission }) {
  const { id, opened, started } = transmission
  const counts = useCounts(id)
  const sent = sentOf(transmission)
  return (
    <div className={`${shapes.card} ${styles.funnel}`} role="group" aria-label="How far it came">
      <div>
        <ul>
          <Stage word="sent" n={sent}>
            {notSentText(transmission)}
          </Stage>
          <Stage word="opened" n={opened} watched="opened">
            {counts.unopened > 0 && (
              <Missing watched="unopened" isLate={daysLate(transmission.dueAt) !== null}>
                {counts.unopened === 1
                  ? '1 has not opened it'
                  : `${formatNumber(counts.unopened)} have not opened it`}
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
          <Stage word="completed" n={counts.all} watched="all">
            {counts.elsewhere > 0 && (
              <Missing watched="elsewhere">{formatNumber(counts.elsewhere)} of them another way</Missing>
            )}
            {counts.part > 0 && (
              <Missing watched="part">
                {counts.part === 1 ? '1 is under way' : `${formatNumber(counts.part)} are under way`}
              </Missing>
            )}
            {counts.failed > 0 && (
              <Missing watched="failed">{formatNumber(counts.failed)} failed the questions</Missing>
            )}
          </Stage>
        </ul>
        <FunnelShape parts={[sent, opened, started, counts.all]} />
      </div>
      <Due transmission={transmission} counts={counts} />
    </div>
  )
}

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

type DueProps = { transmission: Transmission; counts: Record<WatchedState, number> }

function Due({ transmission, counts: { unfinished, excused } }: DueProps) {
  const { dueAt } = transmission
  const late = daysLate(dueAt)
  return (
    <div className={styles.due}>
      {dueAt && unfinished === 0 && (
        <span className={badgeClasses.badge} data-part="badge" data-tone="success">
          <IconCircleCheck size={14} aria-hidden />{' '}
          {excused === 0 ? 'Everybody has completed it' : 'Nobody owes it any more'}
        </span>
      )}
      {late !== null && unfinished > 0 && (
        <span className={badgeClasses.badge} data-part="badge" data-tone="danger">
          <IconClock size={14} aria-hidden /> {lateText(late)}
        </span>
      )}
      <DueDay transmission={transmission} isAlone />
      {unfinished > 0 && (
        <Missing watched="unfinished">
          {unfinished === 1 ? '1 person has' : `${plural(unfinished, 'person', 'people')} have`} not completed
          it
        </Missing>
      )}
      {excused > 0 && (
        <Missing watched="excused">
          {excused === 1 ? '1 person does' : `${plural(excused, 'person', 'people')} do`} not owe it
        </Missing>
      )}
      {transmission.duty && (
        <Suspense>
          <DutyLine {...{ transmission, unfinished }} assignmentId={transmission.duty.id} />
        </Suspense>
      )}
    </div>
  )
}
