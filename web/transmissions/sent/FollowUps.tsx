import { Button } from '@mantine/core'
import { IconBellRinging } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  listTransmissions,
  previewAudience,
  type FollowUpPart,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { call } from '#web/api/client.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { formatNumber, plural } from '#web/ui/format.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import styles from './FollowUps.module.css'
import {
  followUpLabels,
  isActive,
  nameOf,
  recipientsOf,
  sentOf,
  stateWordsOf,
  undeliveredOf,
} from '../labels.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { transmission: Transmission }

type BeginProps = { id: string; part: FollowUpPart; isFirst?: boolean; children: ReactNode }

/** Opens the composer for some of its people. */
export function Begin({ id, part, isFirst = false, children }: BeginProps) {
  return (
    <Button
      {...(isFirst
        ? { leftSection: <IconBellRinging size={16} aria-hidden /> }
        : { variant: 'default', size: 'sm' })}
      renderRoot={(props) => (
        <Link to={paths.transmissionCreate()} search={{ follows: id, part }} {...props} />
      )}
    >
      {children}
    </Button>
  )
}

/** Returns how many of an earlier transmission would get another one; undefined until they are counted. */
function useFollowUpCount(
  { id, organizationId, completed }: Transmission,
  part: FollowUpPart,
  isAsked: boolean,
): number | undefined {
  const body = { accountId: organizationId, audience: { of: { transmissionId: id, part } } }
  const { data } = useQuery({
    // It is counted anew when more people have completed it.
    queryKey: [previewAudience.name, body, completed],
    queryFn: ({ signal }) => call(previewAudience, { body, signal }),
    enabled: isAsked,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  })
  return data?.recipients
}

/** Offers the next step when all mails of a transmission without a day have left, which is to write to those who have not watched it. */
export function WriteAgain({ transmission }: Props) {
  const { id, resting, completed } = transmission
  const unfinished = Math.max(0, sentOf(transmission) + resting - completed)
  const isAsked = unfinished > 0 && !isActive(transmission)
  // Somebody who has watched it by another way is not among them.
  const count = useFollowUpCount(transmission, 'not_watched', isAsked) ?? unfinished
  if (!isAsked || count === 0) return null
  return (
    <Begin isFirst id={id} part="not_watched">
      Write to {plural(count, 'person', 'people')} again
    </Begin>
  )
}

/** Says whom it has not reached, and leads to them: their mail was not delivered or never left, or they came later. */
export function Unreached({ transmission }: Props) {
  const { counts, audienceTotal } = transmission
  const isOver = !isActive(transmission) && audienceTotal > 0
  const joined = useFollowUpCount(transmission, 'joined_since', isOver) ?? 0
  if (!isOver) return null
  const parts = [
    {
      part: 'failed',
      n: undeliveredOf(counts),
      says: (n: number) => `${plural(n, 'mail was', 'mails were')} not delivered`,
      way: 'Send it to them anew',
    },
    {
      part: 'cancelled',
      n: counts.cancelled,
      says: (n: number) =>
        `${plural(n, 'mail was', 'mails were')} cancelled before ${n === 1 ? 'it' : 'they'} left`,
      way: counts.cancelled === 1 ? 'Write to this person' : 'Write to them',
    },
    {
      part: 'joined_since',
      n: joined,
      says: (n: number) => `${plural(n, 'person has', 'people have')} joined since`,
      way: joined === 1 ? 'Send it to this person too' : 'Send it to them too',
    },
  ] as const
  return parts.map(
    ({ part, n, says, way }) =>
      n > 0 && (
        <span key={part} data-tone={part === 'failed' ? 'warning' : undefined}>
          {says(n)} ·{' '}
          <Link to={paths.transmissionCreate()} search={{ follows: transmission.id, part }}>
            {way}
          </Link>
        </span>
      ),
  )
}

/** Says how many mails may have arrived or not, which somebody has to decide. */
export function Uncertain({ counts: { unknown } }: Pick<Transmission, 'counts'>) {
  if (unknown === 0) return null
  return (
    <span data-tone="warning">
      {plural(unknown, 'mail')} may not have arrived ·{' '}
      <Link to="." search={{ state: 'unknown' }}>
        Show {unknown === 1 ? 'it' : 'them'} and decide
      </Link>
    </span>
  )
}

const mostShown = 10

/** Lists what was sent to its people since: reminders, and mails that were sent anew. */
export function FollowUps({ transmission }: Props) {
  const { page } = useList(listTransmissions, { query: { follows: transmission.id, limit: mostShown } })
  if (!page || page.items.length === 0) return null
  return (
    <section aria-labelledby="follow-ups" className={shapes.stack}>
      <h2 id="follow-ups">Sent to its people since</h2>
      <ul className={`${shapes.card} ${shapes.ruled} ${styles.list}`}>
        {page.items.map((one) => (
          <li key={one.id}>
            <div>
              <Link to={paths.transmission(one.id)}>{nameOf(one)}</Link>
              <div className={shapes.hint}>{one.follows && followUpLabels[one.follows.part]}</div>
            </div>
            <span>
              {recipientsOf(one) > 0 && (
                <>
                  {formatNumber(one.completed)} of {plural(recipientsOf(one), 'person', 'people')} completed
                  it
                </>
              )}
            </span>
            <StatusBadge tone={stateWordsOf(one).tone}>{stateWordsOf(one).word}</StatusBadge>
            <RelativeTime iso={one.releasedAt ?? one.createdAt} />
          </li>
        ))}
      </ul>
      {page.total > page.items.length && (
        <p className={shapes.hint}>
          {formatNumber(page.total - page.items.length)} earlier ones are not shown.
        </p>
      )}
    </section>
  )
}
