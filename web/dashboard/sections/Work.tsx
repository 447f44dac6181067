import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { readDashboardWork } from '#contract/dashboard.ts'
import type { Reply } from '#contract/endpoint.ts'
import type { OperationKind, OperationState } from '#contract/operations.ts'
import { useEndpoint } from '../../api/query.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/useSession.ts'
import { formatNumber, formatShare, plural } from '../../ui/format.ts'
import { ShareBar } from '../../ui/figures/ShareBar.tsx'
import { StatusBadge } from '../../ui/figures/StatusBadge.tsx'
import { FunnelShape } from '../../transmissions/sent/FunnelShape.tsx'
import { reasonLabels, transmissionLabels, waitingLabels } from '../../transmissions/sent/sent-labels.ts'
import { addressOf, rhythm, type OrganizationPlace } from './place.ts'
import { whole } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'
import partClasses from '#web/ui/look/part.module.css'

type Works = Reply<typeof readDashboardWork>

const kindLabels: Record<OperationKind, string> = {
  'users.import': 'Import of people',
  'users.change': 'Change of people',
  'users.remove': 'Removal of people',
  'users.add_to_group': 'Adding people to a group',
  'users.remove_from_group': 'Taking people out of a group',
  'users.invite': 'Inviting people',
  'groups.remove': 'Removal of groups',
  'waivers.remove': 'Taking back a waiver',
  'waivers.give': 'Waiving trainings',
  'waivers.end': 'Taking back waivers',
  'organizations.change': 'Change of organizations',
  'organizations.remove': 'Removal of organizations',
  'videos.change': 'Change of videos',
  'videos.move': 'Moving videos',
  'videos.tag': 'Tagging videos',
  'videos.untag': 'Taking a tag from videos',
  'videos.remove': 'Removal of videos',
  'captions.remove': 'Removal of captions',
  'transmissions.cancel': 'Cancelling transmissions',
  'barred_addresses.lift': 'Lifting bars on addresses',
}
const stateLabels: Partial<Record<OperationState, string>> = {
  queued: 'Waiting',
  running: 'Running',
  cancelling: 'Being cancelled',
  undoing: 'Being undone',
}

const totalOf = ({ transmissions, operations, videos }: Works) =>
  transmissions.total + operations.total + videos.total

/** What has begun and not ended: it is being sent, changed or prepared. */
export function Work({ orgId }: OrganizationPlace) {
  const { role } = useUser()
  const data = useEndpoint(readDashboardWork, addressOf(orgId), {
    every: (work) => (totalOf(work) > 0 ? rhythm.work : rhythm.calm),
  })
  const { transmissions, operations, videos } = data
  const total = totalOf(data)
  // Where everything is of one organization, its name would say nothing.
  const named = orgId === null ? {} : { organizationName: null }
  const shown = transmissions.items.length + operations.items.length + videos.items.length
  return (
    <section className={`${shapes.card} ${partClasses.part}`} aria-labelledby="work">
      <header className={shapes.spaceBetween}>
        <h2 id="work">In progress</h2>
        {total > shown && (
          <p>
            {shown} of {formatNumber(total)}
          </p>
        )}
      </header>
      {total === 0 ? (
        <p className={`${shapes.row} ${partClasses.calm}`}>
          Nothing is being sent, imported or prepared right now.
        </p>
      ) : (
        <ul>
          {transmissions.items.map((one) => (
            <Transmission key={one.id} {...one} {...named} />
          ))}
          {operations.items.map((one) => (
            <Operation key={one.id} {...one} {...named} />
          ))}
          {videos.items.map((one) => (
            <Video key={one.id} {...one} {...named} />
          ))}
        </ul>
      )}
      <footer className={`${shapes.spaceBetween} ${partClasses.line}`} data-screen-only>
        {role !== 'groupadmin' && <Link to={paths.transmissions()}>All transmissions</Link>}
        <Link to={paths.recentlyRemoved()}>Recently removed</Link>
      </footer>
    </section>
  )
}

type RowProps = {
  to: string
  name: string
  badge: ReactNode
  /** Parts of `total`. */
  done: number
  troubled?: number
  total: number
  says: string
  organizationName: string | null
  /** How far it came, in place of the bar. */
  funnel?: readonly number[] | null
}

function Row({ to, name, badge, done, troubled = 0, total, says, organizationName, funnel }: RowProps) {
  const { role } = useUser()
  const parts = [
    { tone: 'success', value: done, label: says },
    { tone: 'danger', value: troubled, label: plural(troubled, 'problem') },
  ] as const
  return (
    <li>
      <div className={`${shapes.spaceBetween} ${partClasses.line}`}>
        <Link className={shapes.cut} to={to} {...whole}>
          {name}
        </Link>
        {badge}
      </div>
      {funnel && <FunnelShape parts={funnel} />}
      {funnel === undefined && <ShareBar parts={parts} total={total} />}
      <p>
        {says}
        {troubled > 0 && `, ${plural(troubled, 'problem')}`}
        {role === 'superadmin' && organizationName && ` · ${organizationName}`}
      </p>
    </li>
  )
}

type Named<Item> = Omit<Item, 'organizationName'> & { organizationName: string | null }

function Transmission(one: Named<Works['transmissions']['items'][number]>) {
  const { id, subject, state, reason, sent, troubled, audienceTotal, opened, completed, organizationName } =
    one
  const { word, tone, means } = reason === 'video_not_ready' ? waitingLabels : transmissionLabels[state]
  return (
    <Row
      to={paths.transmission(id)}
      name={subject}
      badge={
        <StatusBadge tone={tone} title={reason ? reasonLabels[reason] : means}>
          {word}
        </StatusBadge>
      }
      done={sent}
      troubled={troubled}
      total={audienceTotal}
      says={funnelText(one)}
      // Where nothing has left there is no way to be drawn.
      funnel={sent > 0 ? [audienceTotal, sent, opened, completed] : null}
      organizationName={organizationName}
    />
  )
}

type Counts = Pick<
  Works['transmissions']['items'][number],
  'state' | 'sent' | 'audienceTotal' | 'opened' | 'completed'
>

function funnelText({ state, sent, audienceTotal, opened, completed }: Counts) {
  const people = plural(audienceTotal, 'person', 'people')
  if (audienceTotal === 0) return 'Nothing sent yet'
  if (sent === 0)
    return state === 'pending_approval'
      ? `For ${people}, waits for approval`
      : `For ${people}, nothing sent yet`
  const begun = `${formatNumber(sent)} of ${formatNumber(audienceTotal)} sent`
  return opened + completed === 0
    ? begun
    : `${begun}, ${formatNumber(opened)} opened, ${formatNumber(completed)} completed`
}

function Operation(one: Works['operations']['items'][number]) {
  const { id, kind, state, subject, done, total, organizationName } = one
  return (
    <Row
      to={paths.operation(id)}
      name={subject ? `${kindLabels[kind]}: ${subject}` : kindLabels[kind]}
      badge={<StatusBadge tone="running">{stateLabels[state] ?? 'Running'}</StatusBadge>}
      done={done}
      total={total}
      says={`${formatNumber(done)} of ${formatNumber(total)} done`}
      organizationName={organizationName}
    />
  )
}

function Video({ id, title, progress, organizationName }: Named<Works['videos']['items'][number]>) {
  return (
    <Row
      to={paths.video(id)}
      name={title}
      badge={<StatusBadge tone="running">Being prepared</StatusBadge>}
      done={progress}
      total={1}
      says={`${formatShare(progress)} of the present step`}
      organizationName={organizationName}
    />
  )
}
