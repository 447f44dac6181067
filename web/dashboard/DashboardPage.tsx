import { Button } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import {
  readDashboardAlerts,
  readDashboardFigures,
  readDashboardLate,
  readDashboardWork,
  readInstallation,
} from '#contract/dashboard.ts'
import { readDashboard } from '#contract/directory/organizations.ts'
import type { Role } from '#contract/roles.ts'
import { NotRead } from '../api/NotRead.tsx'
import { prefetch, soon, useList } from '../api/query.ts'
import { useReading } from '../api/reading.ts'
import { session } from '../api/session.ts'
import { useUser } from '../session/useSession.ts'
import { plural } from '../ui/format.ts'
import { Freshness } from '../ui/Freshness.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { Installation } from './Installation.tsx'
import { ProtectAccount } from './ProtectAccount.tsx'
import { wayToLate } from './sections/Behind.tsx'
import { Board, BoardComing } from './sections/Board.tsx'
import { Part } from './sections/Part.tsx'
import { addressOf } from './sections/place.ts'
import { useAnswer } from './sections/useAnswer.ts'
import { Totals } from './Totals.tsx'
import shapes from '#web/ui/shapes.module.css'

export function load() {
  const { user } = session.read()
  const place = addressOf(user?.organizationId ?? null)
  return soon([
    prefetch(readDashboard, {}),
    prefetch(readDashboardAlerts, place),
    prefetch(readDashboardFigures, place),
    prefetch(readDashboardLate, place),
    prefetch(readDashboardWork, place),
    ...(user?.role === 'superadmin' ? [prefetch(readInstallation, {})] : []),
  ])
}

const leads: Record<Role, string> = {
  superadmin: 'All organizations together.',
  admin: 'Everything in your organization.',
  groupadmin: 'The groups that you administer and the people in them.',
}

const reads = [
  readDashboard,
  readDashboardAlerts,
  readDashboardFigures,
  readDashboardLate,
  readDashboardWork,
  readInstallation,
]

/** How things stand, for each role as far as it sees; every part waits and fails alone. */
export function DashboardPage() {
  const { role, organizationId: orgId } = useUser()
  const { page: numbers, error, retry } = useList(readDashboard, {})
  const isNew = numbers?.transmissions === 0
  const { answer, late, isLost } = useAnswer(orgId, isNew)
  // Of one part alone its own place says so.
  const isGone = isLost && error !== null
  const reading = useReading(reads)
  return (
    <>
      <PageHead
        title="Dashboard"
        answer={answer}
        lead={
          <>
            {leads[role]} {!isGone && <Freshness {...reading} isLive />}
          </>
        }
        actions={orgId !== null && late > 0 && <ToLate orgId={orgId} people={late} />}
      />
      {isGone ? (
        <NotRead error={error} retry={retry} />
      ) : !numbers && !error ? (
        // Before, nobody knows which parts it has.
        <div className={shapes.stack}>
          <BoardComing />
        </div>
      ) : (
        <div className={shapes.stack}>
          <Board orgId={orgId} numbers={isNew ? numbers : undefined} hasWayToLate care={<ProtectAccount />}>
            {role === 'superadmin' && (
              <Part title="Installation" lines={6}>
                <Installation />
              </Part>
            )}
          </Board>
          <Part title="Since the beginning" lines={2}>
            <Totals />
          </Part>
        </div>
      )}
    </>
  )
}

function ToLate({ orgId, people }: { orgId: string; people: number }) {
  return (
    <Button
      renderRoot={(props) => <Link {...props} {...wayToLate(orgId)} />}
      leftSection={<IconUsers size={16} aria-hidden />}
    >
      See {plural(people, 'person', 'people')}
    </Button>
  )
}
