import {
  readDashboardAttention,
  readDashboardFigures,
  readDashboardWork,
  readInstallation,
} from '#contract/dashboard.ts'
import { readDashboard } from '#contract/organizations.ts'
import type { Role } from '#contract/roles.ts'
import { prefetch, useList } from '../api/query.ts'
import { Attention } from '../boards/Attention.tsx'
import '../boards/boards.css'
import { FirstSteps } from '../boards/FirstSteps.tsx'
import { Part, soon } from '../boards/Part.tsx'
import { addressOf } from '../boards/place.ts'
import { Trends } from '../boards/Trends.tsx'
import { Work } from '../boards/Work.tsx'
import { session } from '../api/session.ts'
import { useUser } from '../shell/useSession.ts'
import { PageHead } from '../ui/PageHead.tsx'
import './dashboard.css'
import { Installation } from './Installation.tsx'
import { ProtectAccount } from './ProtectAccount.tsx'
import { Days, Totals } from './Totals.tsx'

export function load() {
  const { user } = session.read()
  const place = addressOf(user?.organizationId ?? null)
  return soon([
    prefetch(readDashboard, {}),
    prefetch(readDashboardAttention, place),
    prefetch(readDashboardFigures, place),
    prefetch(readDashboardWork, place),
    ...(user?.role === 'superadmin' ? [prefetch(readInstallation, {})] : []),
  ])
}

const leads: Record<Role, string> = {
  superadmin: 'All organizations together.',
  admin: 'Everything in your organization.',
  groupadmin: 'The groups that you administer and the people in them.',
}

/** How things stand, for each role as far as it sees; every part waits and fails alone. */
export function DashboardPage() {
  const { role, organizationId: orgId } = useUser()
  const { page: numbers } = useList(readDashboard, {})
  const isNew = numbers?.transmissions === 0
  return (
    <>
      <PageHead title="Dashboard" lead={leads[role]} />
      <div className="board">
        <ProtectAccount />
        {isNew && <FirstSteps orgId={orgId} numbers={numbers} />}
        <Part title="Needs attention">
          <Attention orgId={orgId} isQuiet={isNew} />
        </Part>
        {!isNew && (
          <Part title="The last 30 days">
            <Trends orgId={orgId} />
          </Part>
        )}
        <div className="board-pair">
          <Part title="In progress">
            <Work orgId={orgId} />
          </Part>
          {!isNew && (
            <Part title="Time watched">
              <Days />
            </Part>
          )}
        </div>
        {role === 'superadmin' && (
          <Part title="Installation" lines={6}>
            <Installation />
          </Part>
        )}
        <Part title="Since the beginning" lines={3}>
          <Totals />
        </Part>
      </div>
    </>
  )
}
