import { Button } from '@mantine/core'
import { IconUsers, IconShieldLock } from '@tabler/icons-react'
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
import { prefetch, soon, useList, useEndpoint } from '../api/query.ts'
import { useReading } from '../api/reading.ts'
import { session } from '../api/session.ts'
import { useUser } from '../session/useSession.ts'
import { plural, formatNumber, formatWatched } from '../ui/format.ts'
import { Freshness } from '../ui/figures/Freshness.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { Installation } from './Installation.tsx'
import { wayToLate } from './sections/Behind.tsx'
import { Board, BoardComing } from './sections/Board.tsx'
import { Part } from './sections/Part.tsx'
import { addressOf, rhythm } from './sections/place.ts'
import { useAnswer } from './sections/useAnswer.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { paths } from '../paths.ts'
import styles from './ProtectAccount.module.css'
import { Numbers } from './sections/Numbers.tsx'
import { sentNumber, shareOfMessages } from './sections/totals.ts'

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

/** Everything since the beginning. */
function Totals() {
  const { role } = useUser()
  const numbers = useEndpoint(readDashboard, {}, { every: rhythm.figures })
  const { organizations, users, groups, videos, transmissions, recipients, opened, completed } = numbers
  const people = plural(groups, 'group')
  return (
    <Numbers
      id="totals"
      title="Since the beginning"
      numbers={[
        {
          label: 'People',
          value: formatNumber(users),
          hint: role === 'superadmin' ? `${people} in ${plural(organizations, 'organization')}` : people,
        },
        { label: 'Videos', value: formatNumber(videos), hint: plural(transmissions, 'transmission') },
        sentNumber(numbers, 'One for each recipient'),
        { label: 'Opened', value: formatNumber(opened), hint: shareOfMessages(opened, recipients) },
        { label: 'Completed', value: formatNumber(completed), hint: shareOfMessages(completed, recipients) },
        { label: 'Time watched', value: formatWatched(numbers.watchedMs), hint: 'Repeats counted' },
      ]}
    />
  )
}

/** A thing to do, until the reader has a second factor. */
function ProtectAccount() {
  if (useUser().mfa.enrolled) return null
  return (
    <section className={`${shapes.row} ${styles.protect}`} data-screen-only aria-labelledby="protect-title">
      <IconShieldLock size={16} aria-hidden />
      <h2 id="protect-title" className={`${shapes.grow} ${shapes.unit}`}>
        Nothing but a password protects your account.
      </h2>
      <Link to={paths.settings()} search={{ tab: 'security' }}>
        Add a second step
      </Link>
    </section>
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
