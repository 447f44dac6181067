import {
  readDashboardAlerts,
  readDashboardFigures,
  readDashboardWork,
  readInstallation,
} from '#contract/dashboard.ts'
import { readDashboard } from '#contract/organizations.ts'
import type { Role } from '#contract/roles.ts'
import { prefetch, soon, useList } from '../api/query.ts'
import { useReading } from '../api/reading.ts'
import './sections/sections.css'
import { Part } from './sections/Part.tsx'
import { addressOf } from './sections/place.ts'
import { Opening } from './sections/Opening.tsx'
import { session } from '../api/session.ts'
import { useUser } from '../session/useSession.ts'
import { Freshness } from '../ui/Freshness.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import './dashboard.css'
import { Installation } from './Installation.tsx'
import { ProtectAccount } from './ProtectAccount.tsx'
import { Days, Totals } from './Totals.tsx'

export function load() {
  const { user } = session.read()
  const place = addressOf(user?.organizationId ?? null)
  const parts = [
    prefetch(readDashboard, {}),
    prefetch(readDashboardAlerts, place),
    prefetch(readDashboardFigures, place),
    prefetch(readDashboardWork, place),
    ...(user?.role === 'superadmin' ? [prefetch(readInstallation, {})] : []),
  ]
  return soon(Promise.allSettled(parts))
}

const leads: Record<Role, string> = {
  superadmin: 'All organizations together.',
  admin: 'Everything in your organization.',
  groupadmin: 'The groups that you administer and the people in them.',
}

const reads = [readDashboard, readDashboardAlerts, readDashboardFigures, readDashboardWork, readInstallation]

/** How things stand, for each role as far as it sees; every part waits and fails alone. */
export function DashboardPage() {
  const { role, organizationId: orgId } = useUser()
  const { page: numbers } = useList(readDashboard, {})
  const isNew = numbers?.transmissions === 0
  const reading = useReading(reads)
  return (
    <>
      <PageHead title="Dashboard" lead={leads[role]} actions={<Freshness {...reading} isLive />} />
      <div className="ui-stack board">
        <ProtectAccount />
        <Opening orgId={orgId} numbers={isNew ? numbers : undefined} days={<Days />} />
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
