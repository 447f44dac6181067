import { Suspense } from 'react'
import { readDashboardAttention, readDashboardFigures, readDashboardWork } from '#contract/dashboard.ts'
import { readDashboard } from '#contract/organizations.ts'
import type { Role } from '#contract/roles.ts'
import { prefetch, useEndpoint } from '../api/query.ts'
import { useHiding } from '../shell/useHiding.ts'
import { useUser } from '../shell/useSession.ts'
import { Figure } from '../ui/Figure.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { ViewingFigures, ViewingPlot } from '../ui/KeyFigures.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { TodoList } from '../ui/TodoList.tsx'
import { todosOf } from '../words/attention.ts'
import './dashboard.css'
import { FirstSteps } from './FirstSteps.tsx'
import { Installation } from './Installation.tsx'
import { ProtectAccount } from './ProtectAccount.tsx'
import { Trends } from './Trends.tsx'
import { Work } from './Work.tsx'

export function load() {
  return Promise.all([
    prefetch(readDashboard, {}),
    prefetch(readDashboardAttention, {}),
    prefetch(readDashboardFigures, {}),
    prefetch(readDashboardWork, {}),
  ])
}

/** The page keeps itself up to date. */
const liveMs = 10_000

const leads: Record<Role, string> = {
  superadmin: 'All organizations together.',
  admin: 'Everything in your organization.',
  groupadmin: 'The groups that you administer and the people in them.',
}

export function DashboardPage() {
  const user = useUser()
  const { role, organizationId } = user
  const numbers = useEndpoint(readDashboard, {})
  const attention = useEndpoint(readDashboardAttention, {}, { every: liveMs * 3 }).items
  const figures = useEndpoint(readDashboardFigures, {})
  const work = useEndpoint(readDashboardWork, {}, { every: liveMs })
  const hiding = useHiding(organizationId)
  const { organizations, users, groups, videos, transmissions, recipients } = numbers
  const people = plural(groups, 'group')
  const isNew = transmissions === 0
  return (
    <>
      <PageHead title="Dashboard" lead={leads[user.role]} />
      <ProtectAccount />
      {isNew && <FirstSteps numbers={numbers} />}
      <div className="dashboard">
        {(!isNew || attention.length > 0) && (
          <TodoList todos={todosOf(attention, { orgId: organizationId, role })} {...hiding} />
        )}
        {!isNew && <Trends {...figures} />}
        <div className="dashboard-pair">
          <Work {...work} />
          {role === 'superadmin' && (
            <Suspense>
              <Installation />
            </Suspense>
          )}
        </div>
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
