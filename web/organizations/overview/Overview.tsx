import { Link } from '@tanstack/react-router'
import { readOrganizationDashboard } from '#contract/organizations.ts'
import { readOrganizationOverview, type Trend } from '#contract/overview.ts'
import type { Reply } from '#contract/endpoint.ts'
import { useEndpoint } from '../../api/query.ts'
import { paths } from '../../paths.ts'
import { useHiding } from '../../shell/useHiding.ts'
import { useUser } from '../../shell/useSession.ts'
import { Figure, Figures } from '../../ui/Figure.tsx'
import { formatDuration, formatNumber, formatShare, formatWatched, plural } from '../../ui/format.ts'
import { ViewingPlot } from '../../ui/KeyFigures.tsx'
import { Steps } from '../../ui/Steps.tsx'
import { TodoList } from '../../ui/TodoList.tsx'
import { todosOf } from '../../words/attention.ts'
import { NewestViewing } from './NewestViewing.tsx'
import '../../ui/part.css'
import './overview.css'
import { UnderWay } from './UnderWay.tsx'

type Numbers = Reply<typeof readOrganizationDashboard>
type Facts = Reply<typeof readOrganizationOverview>

/** While something is being sent, the page keeps itself up to date. */
const liveMs = 10_000

/** How an organization is doing, what is under way in it, and what somebody should do. */
export function Overview({ orgId }: { orgId: string }) {
  const address = { params: { orgId } }
  const { role } = useUser()
  const isAdmin = role !== 'groupadmin'
  const hiding = useHiding(orgId)
  const numbers = useEndpoint(readOrganizationDashboard, address)
  const facts = useEndpoint(readOrganizationOverview, address, { every: liveMs })
  const isNew = isAdmin && numbers.transmissions === 0
  return (
    <div className="overview">
      {isNew && <Steps title="First steps" steps={stepsOf(orgId, numbers)} />}
      {(!isNew || facts.attention.length > 0) && (
        <TodoList todos={todosOf(facts.attention, { orgId, role })} {...hiding} />
      )}
      <KeyFigures numbers={numbers} facts={facts} />
      <div className="overview-pair">
        <ViewingPlot days={numbers.days} />
        <People people={facts.people} />
      </div>
      <div className="overview-pair" data-loose>
        {isAdmin && <UnderWay {...facts.inFlight} />}
        <NewestViewing orgId={orgId} items={facts.newest} />
      </div>
    </div>
  )
}

function stepsOf(orgId: string, numbers: Numbers) {
  return [
    {
      title: 'Add users',
      detail: 'A name and an email are enough.',
      to: paths.userCreate(orgId),
      isDone: numbers.users > 1,
    },
    {
      title: 'Create a group',
      detail: 'Send to a team or a class at once.',
      to: paths.groupCreate(orgId),
      isDone: numbers.groups > 0,
    },
    {
      title: 'Upload a video',
      detail: 'It becomes ready for every device.',
      to: paths.content(),
      isDone: numbers.videos > 0,
    },
    {
      title: 'Send it',
      detail: 'And see who watched which seconds.',
      to: paths.transmissionCreate(),
      isDone: numbers.transmissions > 0,
    },
  ]
}

/** This month and the one before, as they are: a share of a small number would say little. */
function comparison({ now, before }: Trend, say: (value: number) => string): string {
  return `${say(now)} in 30 days, ${say(before)} in the 30 before`
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? 'Nothing sent yet' : `${formatShare(part / whole)} of messages`
}

function KeyFigures({ numbers, facts }: { numbers: Numbers; facts: Facts }) {
  const { recipients, opened, completed, watchedMs } = numbers
  const { people, messages } = facts
  return (
    <Figures>
      <Figure
        label="People"
        value={formatNumber(people.total)}
        hint={`New: ${comparison(people.added, formatNumber)}`}
      />
      <Figure
        label="Messages sent"
        value={formatNumber(recipients)}
        hint={comparison(messages, formatNumber)}
      />
      <Figure label="Opened" value={formatNumber(opened)} hint={shareOf(opened, recipients)} />
      <Figure
        label="Watched to the end"
        value={formatNumber(completed)}
        hint={shareOf(completed, recipients)}
      />
      <Figure
        label="Time watched"
        value={formatWatched(watchedMs)}
        hint={facts.watchedMs ? comparison(facts.watchedMs, formatDuration) : 'Only completions are recorded'}
      />
    </Figures>
  )
}

/** Each number leads to the people whom it counts. */
function People({ people }: { people: Facts['people'] }) {
  const { total, byState, admins, groupadmins } = people
  const rows = [
    { label: 'Active', n: byState.active, search: { state: 'active' } },
    { label: 'Invited', n: byState.invited, search: { state: 'invited' } },
    { label: 'Disabled', n: byState.disabled, search: { state: 'disabled' } },
    { label: 'Administrators', n: admins, search: { role: 'admin' } },
    { label: 'Group administrators', n: groupadmins, search: { role: 'groupadmin' } },
    { label: 'Recipients', n: total - admins - groupadmins, search: { role: 'none' } },
  ]
  return (
    <section className="ui-card ui-part" aria-labelledby="people">
      <header>
        <h2 id="people">People</h2>
        <p>{plural(total, 'person', 'people')}</p>
      </header>
      <dl className="overview-people">
        {rows.map(({ label, n, search }) => (
          <div key={label}>
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
