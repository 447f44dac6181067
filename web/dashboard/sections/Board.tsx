import type { ComponentProps, ReactNode } from 'react'
import { Behind } from './Behind.tsx'
import styles from './Board.module.css'
import { FirstSteps } from './FirstSteps.tsx'
import { Part, Waiting } from './Part.tsx'
import { type OrganizationPlace, addressOf, rhythm } from './place.ts'
import { Trends } from './Trends.tsx'
import { Work } from './Work.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import type { AlertKind } from '#contract/platform/alerts.ts'
import { hideAlert, readDashboardAlerts, showAlert } from '#contract/dashboard.ts'
import { sentence } from '../../api/errors.ts'
import { useChange, useEndpoint } from '../../api/query.ts'
import { useUser } from '../../session/useSession.ts'
import { TodoList } from '../../ui/TodoList.tsx'
import { toast } from '../../ui/feedback/toasts.ts'
import { todosOf } from '../alerts.ts'

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

type AlertsProps = OrganizationPlace & {
  /** Nothing to do is not worth a word. */
  isQuiet?: boolean
}

/** For so many days somebody hides a matter from themselves. */
const days = 7
const onError = (error: Error) => toast.failure(sentence(error))

/** What needs attention, each matter with the way to where something is done about it. */
function Alerts({ orgId, isQuiet = false }: AlertsProps) {
  const { role } = useUser()
  const { items } = useEndpoint(readDashboardAlerts, addressOf(orgId), { every: rhythm.calm })
  const hide = useChange(hideAlert, [readDashboardAlerts])
  const show = useChange(showAlert, [readDashboardAlerts])
  const query = addressOf(orgId).query ?? {}
  // Who is late stands above, by training.
  const listed = items.filter(({ kind }) => kind !== 'overdue_people')
  if (isQuiet && listed.length === 0) return null
  return (
    <TodoList
      todos={todosOf(listed, { orgId, role })}
      isBusy={hide.isPending || show.isPending}
      onHide={(kind: AlertKind) => hide.mutate({ params: { kind }, body: { ...query, days } }, { onError })}
      onShow={(kind: AlertKind) => show.mutate({ params: { kind }, query }, { onError })}
    />
  )
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
