import { Button } from '@mantine/core'
import { IconMail, IconPlayerPlay, IconUserEdit, IconUsersGroup } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { explainReason } from '#contract/transmissions/delivery-reasons.ts'
import { deviceName } from '#contract/platform/devices.ts'
import { listPersonHistory, personEventKinds, type PersonEvent } from '#contract/person/person.ts'
import { adminRoles } from '#contract/roles.ts'
import type { User } from '#contract/directory/users.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/session/useSession.ts'
import { Strip } from '#web/ui/figures/Strip.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { formatDate, formatDay, formatDuration, formatTime } from '#web/ui/format.ts'
import { Lines } from '#web/ui/Lines.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { changesOf } from '#web/audit/changes.ts'
import { deliveryLabels } from '#web/transmissions/sent/recipients/deliveries.ts'
import { sentenceOf } from '#web/audit/sentences.ts'
import classes from './History.module.css'
import { membershipSentence, wayText } from './labels.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Kind = PersonEvent['kind']
type Search = { kind?: Kind | undefined; offset: number }
type Of<K extends Kind> = Extract<PersonEvent, { kind: K }>

export function historyQuery({ kind, offset }: Search) {
  return { kind, offset }
}

const kinds: Record<Kind, { label: string; icon: typeof IconMail }> = {
  transmission: { label: 'Sent to them', icon: IconMail },
  viewing: { label: 'Watched', icon: IconPlayerPlay },
  group: { label: 'Groups', icon: IconUsersGroup },
  change: { label: 'Account', icon: IconUserEdit },
}

type Props = { orgId: string; user: User; search: Search; change: (patch: Partial<Search>) => void }

/** What happened to a person, newest first, by day. */
export function History({ orgId, user, search, change }: Props) {
  const isAdmin = adminRoles.includes(useUser().role)
  const address = { params: { orgId, userId: user.id }, query: historyQuery(search) }
  const { page, isStale, error, retry } = useList(listPersonHistory, address)
  if (error) return <NotRead error={error} retry={retry} />
  // Changes of the account belong to administrators.
  const offered = personEventKinds.filter((kind) => isAdmin || kind !== 'change')
  return (
    <section className={shapes.stack} aria-label="History" data-stale={isStale || undefined}>
      <div className={shapes.row} role="group" aria-label="Show">
        {[undefined, ...offered].map((kind) => (
          <Button
            key={kind ?? 'all'}
            size="xs"
            radius="xl"
            variant={search.kind === kind ? 'light' : 'default'}
            aria-pressed={search.kind === kind}
            onClick={() => change({ kind })}
          >
            {kind ? kinds[kind].label : 'Everything'}
          </Button>
        ))}
      </div>
      {!page && <Bone height={320} />}
      {page && page.items.length === 0 && <Nothing kind={search.kind} name={user.name} />}
      {page &&
        byDay(page.items).map(({ day, events }) => (
          <section key={day} className={`${shapes.stack} ${classes.day}`} aria-label={day}>
            <h2 className={shapes.hint}>{day}</h2>
            <Lines isCard>
              {events.map((event) => (
                <Event key={`${event.kind}${event.id}`} event={event} user={user} orgId={orgId} />
              ))}
            </Lines>
          </section>
        ))}
      {page && <Pager {...page} onOffset={(offset) => change({ offset })} />}
    </section>
  )
}

/** Of a completion where nothing finer is recorded only the day is known. */
const isDay = (event: PersonEvent) => event.kind === 'viewing' && event.watchedMs === null

function byDay(events: readonly PersonEvent[]): { day: string; events: PersonEvent[] }[] {
  const days: { day: string; events: PersonEvent[] }[] = []
  for (const event of events) {
    const day = (isDay(event) ? formatDay : formatDate)(event.at)
    const last = days.at(-1)
    if (last?.day === day) last.events.push(event)
    else days.push({ day, events: [event] })
  }
  return days
}

function Nothing({ kind, name }: { kind: Kind | undefined; name: string }) {
  const title = kind === 'viewing' ? `${name} has not watched anything yet` : 'Nothing has happened yet'
  return (
    <div className={shapes.card}>
      <EmptyState title={title}>
        Send a video to {name}; what they watch of it then stands here, second by second.
      </EmptyState>
    </div>
  )
}

type EventProps = { event: PersonEvent; user: User; orgId: string }

function Event(props: EventProps) {
  const { event } = props
  const Icon = kinds[event.kind].icon
  return (
    <li>
      <Icon size={18} aria-hidden />
      <div>{bodyOf(props)}</div>
      {!isDay(event) && <time dateTime={event.at}>{formatTime(Date.parse(event.at))}</time>}
    </li>
  )
}

function bodyOf({ event, user, orgId }: EventProps): ReactNode {
  switch (event.kind) {
    case 'transmission':
      return <Sent event={event} />
    case 'viewing':
      return <Watched event={event} to={paths.evidence(orgId, user.id, event.video.id)} />
    case 'group':
      return <p>{membershipSentence(event)}</p>
    case 'change':
      return <Changed event={event} user={user} />
  }
}

/** Transmissions have pages for administrators only. */
function Message({ transmission: { id, subject } }: Pick<Of<'transmission'>, 'transmission'>) {
  if (!adminRoles.includes(useUser().role)) return <strong>{subject}</strong>
  return <Link to={paths.transmission(id)}>{subject}</Link>
}

function Sent({ event }: { event: Of<'transmission'> }) {
  const { word, tone, icon, means } = deliveryLabels[event.state]
  const reason = explainReason(event.reason)
  return (
    <>
      <p>
        <Message transmission={event.transmission} /> was sent by {event.sender} with the video{' '}
        <strong>{event.video.title}</strong>{' '}
        <StatusBadge tone={tone} icon={icon} title={means}>
          {word}
        </StatusBadge>
      </p>
      {reason && <p className={shapes.hint}>{reason}</p>}
      {event.ways.length > 0 && (
        <p className={shapes.hint}>Reached {event.ways.map(wayText).join(', and ')}.</p>
      )}
    </>
  )
}

function Watched({ event, to }: { event: Of<'viewing'>; to: string }) {
  if (event.watchedMs === null || event.coverage === null)
    return (
      <p>
        Completed <strong>{event.video.title}</strong> from <Message transmission={event.transmission} />
      </p>
    )
  return (
    <>
      <p>
        Watched {formatDuration(event.watchedMs)} of <Link to={to}>{event.video.title}</Link> from{' '}
        <Message transmission={event.transmission} />
      </p>
      <Strip watched={event.coverage} durationMs={event.durationMs || null} />
      {event.browser && (event.browser.browser ?? event.browser.system) !== null && (
        <p className={shapes.hint}>{deviceName(event.browser)}</p>
      )}
    </>
  )
}

function Changed({ event, user }: { event: Of<'change'>; user: User }) {
  const { action, actor, key: keyOf, before, after } = event
  const entry = {
    action,
    actor,
    key: keyOf,
    before,
    after,
    viewingAs: null,
    entity: 'user',
    entityName: user.name,
  }
  const changes = action === 'user.changed' ? changesOf(entry) : []
  return (
    <>
      <p>
        {sentenceOf(entry).map(({ key, text, isName }) =>
          isName ? <strong key={key}>{text}</strong> : <span key={key}>{text}</span>,
        )}
      </p>
      {changes.map(({ field, label, before: was, after: is }) => (
        <p key={field} className={shapes.hint}>
          {label}: <del>{was}</del> <ins>{is}</ins>
        </p>
      ))}
    </>
  )
}
