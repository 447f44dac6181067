import type { AlertKind } from '#contract/platform/alerts.ts'
import { hideAlert, readDashboardAlerts, showAlert } from '#contract/dashboard.ts'
import { sentence } from '../../api/errors.ts'
import { useChange, useEndpoint } from '../../api/query.ts'
import { useUser } from '../../session/useSession.ts'
import { TodoList } from '../../ui/TodoList.tsx'
import { toast } from '../../ui/toasts.ts'
import { todosOf } from '../alerts.ts'
import { addressOf, rhythm, type OrganizationPlace } from './place.ts'

type Props = OrganizationPlace & {
  /** Nothing to do is not worth a word. */
  isQuiet?: boolean
}

/** For so many days somebody hides a matter from themselves. */
const days = 7
const onError = (error: Error) => toast.failure(sentence(error))

/** What needs attention, each matter with the way to where something is done about it. */
export function Alerts({ orgId, isQuiet = false }: Props) {
  const { role } = useUser()
  const { items } = useEndpoint(readDashboardAlerts, addressOf(orgId), { every: rhythm.calm })
  const hide = useChange(hideAlert, [readDashboardAlerts])
  const show = useChange(showAlert, [readDashboardAlerts])
  const query = addressOf(orgId).query ?? {}
  // Who is late stands above, by training.
  const told = items.filter(({ kind }) => kind !== 'overdue_people')
  if (isQuiet && told.length === 0) return null
  return (
    <TodoList
      todos={todosOf(told, { orgId, role })}
      isBusy={hide.isPending || show.isPending}
      onHide={(kind: AlertKind) => hide.mutate({ params: { kind }, body: { ...query, days } }, { onError })}
      onShow={(kind: AlertKind) => show.mutate({ params: { kind }, query }, { onError })}
    />
  )
}
