import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WatchedState } from '#contract/transmissions/deliveries.ts'
import type { Transmission } from '#contract/transmissions/transmissions.ts'
import { formatNumber } from '#web/ui/format.ts'
import styles from './Funnel.module.css'
import { FunnelShape } from './FunnelShape.tsx'
import { daysLate } from './recipients/late.ts'
import { openOf, sentOf, troubledOf } from '../labels.ts'
import { useCounts } from './useCounts.ts'
import shapes from '#web/ui/look/shapes.module.css'

/** Shows how far the message came, in four figures that open their people, drawn as one shape that thins. */
export function Funnel({ transmission }: { transmission: Transmission }) {
  const { id, opened, started, dueAt } = transmission
  const counts = useCounts(id)
  const sent = sentOf(transmission)
  const isLate = daysLate(dueAt) !== null
  return (
    <div className={`${shapes.card} ${styles.funnel}`} role="group" aria-label="How far it came">
      <ul>
        <Stage word="sent" n={sent}>
          {notSentText(transmission)}
          {counts.excused > 0 && (
            <Missing watched="excused">
              {counts.excused === 1 ? '1 does not owe it' : `${formatNumber(counts.excused)} do not owe it`}
            </Missing>
          )}
        </Stage>
        <Stage word="opened" n={opened} watched="opened">
          {counts.unopened > 0 && (
            <Missing watched="unopened" isLate={isLate}>
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
          {counts.unfinished > 0 && (
            <Missing watched="unfinished" isLate={isLate}>
              {formatNumber(counts.unfinished)} not completed
            </Missing>
          )}
          {counts.elsewhere > 0 && (
            <Missing watched="elsewhere">{formatNumber(counts.elsewhere)} another way</Missing>
          )}
          {counts.failed > 0 && <Missing watched="failed">{formatNumber(counts.failed)} failed</Missing>}
        </Stage>
      </ul>
      <FunnelShape parts={[sent, opened, started, counts.all]} />
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
  /** This says what became of them, after the figure. */
  word: string
  n: number
  /** The figure opens these people; without it, everybody. */
  watched?: WatchedState
  children: ReactNode
}

function Stage({ word, n, watched, children }: StageProps) {
  return (
    <li data-stage={word}>
      <Link to="." search={watched ? { watched } : {}} resetScroll={false}>
        <strong>{formatNumber(n)}</strong> {word}
      </Link>
      <p className={`${shapes.row} ${shapes.hint}`}>{children}</p>
    </li>
  )
}

type MissingProps = { watched: WatchedState; isLate?: boolean; children: ReactNode }

function Missing({ watched, isLate = false, children }: MissingProps) {
  return (
    <Link to="." search={{ watched }} resetScroll={false}>
      {isLate ? <span className={shapes.late}>{children}</span> : children}
    </Link>
  )
}
