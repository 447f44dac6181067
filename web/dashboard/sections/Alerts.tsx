import { readDashboardAlerts } from '#contract/dashboard.ts'
import { useEndpoint } from '../../api/query.ts'
import { useUser } from '../../session/useSession.ts'
import { TodoList } from '../../ui/TodoList.tsx'
import { todosOf } from '../alerts.ts'
import { addressOf, type OrganizationPlace } from './place.ts'
import { rhythm } from './rhythm.ts'
import { useHiding } from './useHiding.ts'

type Props = OrganizationPlace & {
  /** Nothing to do is not worth a word. */
  isQuiet?: boolean
}

/** What needs attention, each matter with the way to where something is done about it. */
export function Alerts({ orgId, isQuiet = false }: Props) {
  const { role } = useUser()
  const { items } = useEndpoint(readDashboardAlerts, addressOf(orgId), { every: rhythm.calm })
  const hiding = useHiding(orgId)
  if (isQuiet && items.length === 0) return null
  return <TodoList todos={todosOf(items, { orgId, role })} {...hiding} />
}
