import { Link } from '@tanstack/react-router'
import {
  readDashboardAlerts,
  readDashboardFigures,
  readDashboardLate,
  readDashboardWork,
} from '#contract/dashboard.ts'
import type { Reply } from '#contract/endpoint.ts'
import { readOrganizationDashboard } from '#contract/directory/organizations.ts'
import { readOrganizationOverview, type Trend, type Viewed } from '#contract/directory/overview.ts'
import { zoneText } from '#contract/platform/text/time-zones.ts'
import { NotRead } from '../../api/NotRead.tsx'
import { prefetch, soon, useEndpoint, useList } from '../../api/query.ts'
import { useReading } from '../../api/reading.ts'
import { Part } from '../sections/Part.tsx'
import { addressOf, rhythm } from '../sections/place.ts'
import board from '../sections/Board.module.css'
import { Board as Sections } from '../sections/Board.tsx'
import { Numbers } from '../sections/Numbers.tsx'
import { sentNumber, shareOfMessages } from '../sections/totals.ts'
import { useAnswer } from '../sections/useAnswer.ts'
import { useUser } from '../../session/useSession.ts'
import {
  formatDuration,
  formatNumber,
  formatWatched,
  plural,
  formatDay,
  formatReached,
} from '../../ui/format.ts'
import { Freshness } from '../../ui/figures/Freshness.tsx'
import styles from './Overview.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import partClasses from '#web/ui/look/part.module.css'
import { paths } from '../../paths.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { RelativeTime } from '../../ui/Time.tsx'
import { tip, whole } from '#web/ui/overlays/tips.ts'

type Facts = Reply<typeof readOrganizationOverview>
type Of = { orgId: string }

const useNumbers = (orgId: string) =>
  useEndpoint(readOrganizationDashboard, { params: { orgId } }, { every: rhythm.figures })
const useFacts = (orgId: string) =>
  useEndpoint(readOrganizationOverview, { params: { orgId } }, { every: rhythm.calm })

const reads = [
  readOrganizationDashboard,
  readOrganizationOverview,
  readDashboardAlerts,
  readDashboardFigures,
  readDashboardLate,
  readDashboardWork,
]

/** For loaders; each part tells by itself what could not be read. */
export function loadOverview(orgId: string) {
  return soon([
    prefetch(readOrganizationDashboard, { params: { orgId } }),
    prefetch(readOrganizationOverview, { params: { orgId } }),
    prefetch(readDashboardAlerts, addressOf(orgId)),
    prefetch(readDashboardFigures, addressOf(orgId)),
    prefetch(readDashboardLate, addressOf(orgId)),
    prefetch(readDashboardWork, addressOf(orgId)),
  ])
}

type OverviewProps = Of & {
  /** Its domain, and the time zone whose days every figure counts. */
  about: { domain: string | null; timeZone: string } | undefined
}

/** How an organization is doing, what is under way in it, and what somebody should do; every part waits and fails alone. */
export function Overview({ orgId, about }: OverviewProps) {
  return (
    <Part title="Overview">
      <Board orgId={orgId} about={about} />
    </Part>
  )
}

function Board({ orgId, about }: OverviewProps) {
  const { role } = useUser()
  const { page: numbers, error, retry } = useList(readOrganizationDashboard, { params: { orgId } })
  const reading = useReading(reads)
  const isNew = role !== 'groupadmin' && numbers?.transmissions === 0
  const { answer, isLost } = useAnswer(orgId, isNew)
  if (isLost && error) return <NotRead error={error} retry={retry} />
  return (
    <div className={shapes.stack}>
      <header>
        <h2 className={styles.answer}>{answer}</h2>
        <p className={shapes.row}>
          {about && [about.domain, zoneText(about.timeZone)].filter(Boolean).join(' · ')}
          <Freshness {...reading} isLive />
        </p>
      </header>
      <Sections orgId={orgId} numbers={isNew ? numbers : undefined} />
      <Part title="Since the beginning" lines={2}>
        <KeyFigures orgId={orgId} />
      </Part>
      <div className={`${shapes.stack} ${board.board}`}>
        <Part title="Newest viewing" lines={6}>
          <Newest orgId={orgId} />
        </Part>
        <div className={`${shapes.stack} ${board.side}`}>
          <Part title="People" lines={6}>
            <People orgId={orgId} />
          </Part>
        </div>
      </div>
    </div>
  )
}

function Newest({ orgId }: Of) {
  return <NewestViewing orgId={orgId} items={useFacts(orgId).newest} />
}

/** Who watched what last. */
function NewestViewing({ orgId, items }: { orgId: string; items: readonly Viewed[] }) {
  return (
    <section className={`${shapes.card} ${partClasses.part}`} aria-labelledby="newest">
      <header className={shapes.spaceBetween}>
        <h2 id="newest">Newest viewing</h2>
      </header>
      {items.length === 0 ? (
        <p className={`${shapes.row} ${partClasses.calm}`}>Nobody has watched anything yet.</p>
      ) : (
        <ul>
          {items.map(({ user, video, share, isCompleted, lastAt }) => (
            <li key={`${user?.id ?? ''} ${video.id} ${lastAt}`} className={styles.viewed}>
              <Avatar name={user?.name ?? '?'} picture={user?.avatar} size={32} />
              <div>
                <p>
                  {user ? (
                    <Link
                      to={paths.evidence(orgId, user.id, video.id)}
                      {...tip(`What ${user.name} watched, and how that is known`)}
                    >
                      {user.name}
                    </Link>
                  ) : (
                    'A visitor'
                  )}
                </p>
                <p className={`${shapes.spaceBetween} ${partClasses.line}`}>
                  <Link className={shapes.cut} to={paths.video(video.id)} {...whole}>
                    {video.title}
                  </Link>
                </p>
              </div>
              <div>
                <p>
                  {isCompleted && user ? (
                    <Link
                      to={paths.person(orgId, user.id)}
                      search={{ tab: 'certificates' }}
                      aria-label={`Completed: certificates of ${user.name}`}
                    >
                      Completed
                    </Link>
                  ) : isCompleted || share === null ? (
                    'Completed'
                  ) : (
                    `${formatReached(share)} seen`
                  )}
                </p>
                <p>{share === null ? formatDay(lastAt.slice(0, 10)) : <RelativeTime iso={lastAt} />}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** This month and the one before, as they are: a share of a small number would say little. */
function comparison({ now, before }: Trend, say: (value: number) => string): string {
  return `${say(now)} in 30 days, ${say(before)} in the 30 before`
}

function KeyFigures({ orgId }: Of) {
  const numbers = useNumbers(orgId)
  const { recipients, opened, completed, watchedMs } = numbers
  const facts = useFacts(orgId)
  const { people, messages } = facts
  return (
    <Numbers
      id="totals"
      title="Since the beginning"
      numbers={[
        {
          label: 'People',
          value: formatNumber(people.total),
          hint: `New: ${comparison(people.added, formatNumber)}`,
        },
        sentNumber(numbers, comparison(messages, formatNumber)),
        { label: 'Opened', value: formatNumber(opened), hint: shareOfMessages(opened, recipients) },
        { label: 'Completed', value: formatNumber(completed), hint: shareOfMessages(completed, recipients) },
        {
          label: 'Time watched',
          value: formatWatched(watchedMs),
          hint: facts.watchedMs
            ? comparison(facts.watchedMs, formatDuration)
            : 'Only completions are recorded',
        },
      ]}
    />
  )
}

/** Each number leads to the people whom it counts. */
function People({ orgId }: Of) {
  const { total, byState, admins, groupadmins }: Facts['people'] = useFacts(orgId).people
  const rows = [
    { label: 'Active', n: byState.active, search: { state: 'active' } },
    { label: 'Invited', n: byState.invited, search: { state: 'invited' } },
    { label: 'Disabled', n: byState.disabled, search: { state: 'disabled' } },
    { label: 'Administrators', n: admins, search: { role: 'admin' } },
    { label: 'Group administrators', n: groupadmins, search: { role: 'groupadmin' } },
    { label: 'Without a role', n: total - admins - groupadmins, search: { role: 'none' } },
  ]
  return (
    <section className={`${shapes.card} ${partClasses.part}`} aria-labelledby="people">
      <header className={shapes.spaceBetween}>
        <h2 id="people">People</h2>
        <p>{plural(total, 'person', 'people')}</p>
      </header>
      <dl className={styles.people}>
        {rows.map(({ label, n, search }) => (
          <div key={label} className={`${shapes.spaceBetween} ${partClasses.line}`}>
            <dt>{label}</dt>
            <dd>
              {n > 0 ? (
                <Link to="." search={{ tab: 'users', ...search }} aria-label={`${label}: ${formatNumber(n)}`}>
                  {formatNumber(n)}
                </Link>
              ) : (
                formatNumber(n)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
