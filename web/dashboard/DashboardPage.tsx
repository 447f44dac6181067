import { readDashboard } from '#contract/organizations.ts'
import type { Role } from '#contract/roles.ts'
import { prefetch, useEndpoint } from '../api/query.ts'
import { useUser } from '../shell/useSession.ts'
import { Figure } from '../ui/Figure.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { ViewingFigures, ViewingPlot } from '../ui/KeyFigures.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import './dashboard.css'
import { FirstSteps } from './FirstSteps.tsx'
import { ProtectAccount } from './ProtectAccount.tsx'

export function load() {
  return prefetch(readDashboard, {})
}

const leads: Record<Role, string> = {
  superadmin: 'All organizations together.',
  admin: 'Everything in your organization.',
  groupadmin: 'The groups that you administer and the people in them.',
}

export function DashboardPage() {
  const user = useUser()
  const numbers = useEndpoint(readDashboard, {})
  const { organizations, users, groups, videos, transmissions, recipients } = numbers
  const people = plural(groups, 'group')
  return (
    <>
      <PageHead title="Dashboard" lead={leads[user.role]} />
      <ProtectAccount />
      {transmissions === 0 && <FirstSteps numbers={numbers} />}
      <div className="dashboard">
        <ViewingFigures
          numbers={numbers}
          before={
            <>
              <Figure
                label="Users"
                value={formatNumber(users)}
                hint={
                  user.role === 'superadmin'
                    ? `${people} in ${plural(organizations, 'organization')}`
                    : people
                }
              />
              <Figure
                label="Videos"
                value={formatNumber(videos)}
                hint={plural(transmissions, 'transmission')}
              />
              <Figure label="Messages sent" value={formatNumber(recipients)} hint="One for each recipient" />
            </>
          }
        />
        <ViewingPlot days={numbers.days} />
      </div>
    </>
  )
}
