import type { ComponentProps, ReactNode } from 'react'
import { Alerts } from './Alerts.tsx'
import { Behind } from './Behind.tsx'
import styles from './Board.module.css'
import { FirstSteps } from './FirstSteps.tsx'
import { Part, Waiting } from './Part.tsx'
import type { OrganizationPlace } from './place.ts'
import { Trends } from './Trends.tsx'
import { Work } from './Work.tsx'
import shapes from '#web/ui/shapes.module.css'

type Props = OrganizationPlace & {
  /** Of a place where nothing has been sent yet: it has first steps instead of who is late and how it went. */
  numbers: ComponentProps<typeof FirstSteps>['numbers'] | undefined
  /** The head of the page leads to whoever is late. */
  hasWayToLate?: boolean
  /** What else needs care, below what is under way. */
  care?: ReactNode
  /** Between what is to be done and the figures. */
  children?: ReactNode
}

/** What every dashboard says: who is late, what is under way, what needs care, and how it went lately. */
export function Board({ orgId, numbers, hasWayToLate, care, children }: Props) {
  const isNew = numbers !== undefined
  return (
    <>
      {isNew && <FirstSteps orgId={orgId} numbers={numbers} />}
      <div className={`${shapes.stack} ${styles.board}`}>
        {!isNew && (
          <Part title="Who is late" lines={6} hasStrips>
            <Behind orgId={orgId} isAlone={hasWayToLate} />
          </Part>
        )}
        <div className={`${shapes.stack} ${styles.side}`}>
          <Part title="In progress">
            <Work orgId={orgId} />
          </Part>
          {care}
        </div>
        <Part title="Needs attention">
          <Alerts orgId={orgId} isQuiet={isNew} />
        </Part>
      </div>
      {children}
      {!isNew && (
        <Part title="The last 30 days">
          <Trends orgId={orgId} />
        </Part>
      )}
    </>
  )
}

/** In the places of its parts, which most places have. */
export function BoardComing() {
  return (
    <>
      <div className={`${shapes.stack} ${styles.board}`}>
        <Waiting title="Who is late" lines={6} hasStrips />
        <div className={`${shapes.stack} ${styles.side}`}>
          <Waiting title="In progress" />
        </div>
        <Waiting title="Needs attention" />
      </div>
      <Waiting title="The last 30 days" />
    </>
  )
}
