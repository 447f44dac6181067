import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { readDashboardLate, type LateTraining } from '#contract/dashboard.ts'
import type { Reply } from '#contract/endpoint.ts'
import { lackWords } from '#contract/duty/obligation-labels.ts'
import { useEndpoint } from '../../api/query.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/useSession.ts'
import { daysLate, lateText } from '../../transmissions/sent/recipients/late.ts'
import { formatDate, formatNumber, formatReached, plural } from '../../ui/format.ts'
import { Strip } from '../../ui/figures/Strip.tsx'
import { dialogOnDemand } from '../../ui/browser/onDemand.tsx'
import { whole } from '../../ui/overlays/tips.ts'
import styles from './Behind.module.css'
import { addressOf, rhythm, type OrganizationPlace } from './place.ts'
import shapes from '#web/ui/look/shapes.module.css'
import partClasses from '#web/ui/look/part.module.css'

const Remind = dialogOnDemand(async () => (await import('#web/duty/Remind.tsx')).Remind)

type Late = Reply<typeof readDashboardLate>

/** What a dashboard says before everything else. */
export function answerOf({ people, trainings }: Pick<Late, 'people' | 'trainings'>): string {
  if (people === 0) return 'Everyone is up to date'
  const are = people === 1 ? 'is' : 'are'
  return `${plural(people, 'person', 'people')} ${are} late with ${plural(trainings, 'training')}`
}

/** To the rows of the training matrix of whoever is late with anything. */
export const wayToLate = (organization: string) => ({
  to: paths.trainingMatrix(),
  search: { organization, state: 'overdue' },
})

type Props = OrganizationPlace & {
  /** The page leads to all of them already. */
  isAlone?: boolean | undefined
}

/** Who is late and with what, each training with those who have been so for longest; nothing where nobody is. */
export function Behind({ orgId, isAlone = false }: Props) {
  const { people, trainings, items } = useEndpoint(readDashboardLate, addressOf(orgId), {
    every: rhythm.figures,
  })
  if (people === 0) return null
  return (
    <section className={`${shapes.card} ${shapes.ruled} ${partClasses.part}`} aria-labelledby="late">
      <header className={shapes.spaceBetween}>
        <h2 id="late">Who is late</h2>
        {trainings > items.length && (
          <p>
            {items.length} of {plural(trainings, 'training')}
          </p>
        )}
        {orgId !== null && !isAlone && (
          <Link {...wayToLate(orgId)}>All {plural(people, 'person', 'people')}</Link>
        )}
      </header>
      {items.map((training) => (
        <Training key={training.id} training={training} isNamed={orgId === null} />
      ))}
    </section>
  )
}

function Training({ training, isNamed }: { training: LateTraining; isNamed: boolean }) {
  const { id, title, late, dueAt, replacedAt, people, organizationId, organizationName } = training
  const { role } = useUser()
  const [isReminding, setReminding] = useState(false)
  const days = daysLate(dueAt)
  const way = { to: paths.trainingMatrix(), search: { organization: organizationId, open: id } }
  return (
    <article className={styles.training} aria-label={title}>
      <header>
        <h3>
          <Link {...way}>{title}</Link>
        </h3>
        <p>
          <strong className={shapes.late}>{formatNumber(late)} late</strong>, due {formatDate(dueAt)}
          {days !== null && days > 0 && `, ${lateText(days)}`}
          {replacedAt !== null && (
            <>
              {' · '}
              <Link to={paths.video(id)}>
                replaced {formatDate(replacedAt)}
                <span className={shapes.sr}>: {title}</span>
              </Link>
            </>
          )}
          {isNamed && ` · ${organizationName}`}
        </p>
        <div className={shapes.row}>
          {role !== 'groupadmin' && (
            <Link to={paths.transmissionCreate()} search={{ videoId: id, late: true }}>
              Write to them<span className={shapes.sr}>: {title}</span>
            </Link>
          )}
          <Button variant="default" size="sm" onClick={() => setReminding(true)}>
            Remind {plural(late, 'person', 'people')}
            <span className={shapes.sr}>: {title}</span>
          </Button>
        </div>
      </header>
      <Suspense>
        {isReminding && (
          <Remind
            orgId={organizationId}
            whom={{ videoIds: [id], late: true }}
            people={late}
            onClose={() => setReminding(false)}
          />
        )}
      </Suspense>
      <ul>
        {people.map((person) => (
          <Person key={person.id} orgId={organizationId} {...person} />
        ))}
        {late > people.length && (
          <li>
            <Link {...way} aria-label={`and ${formatNumber(late - people.length)} more: ${title}`}>
              and {formatNumber(late - people.length)} more
            </Link>
          </li>
        )}
      </ul>
    </article>
  )
}

type PersonProps = LateTraining['people'][number] & { orgId: string }

function Person({ orgId, id, name, coverage, durationMs, lacks }: PersonProps) {
  return (
    <li>
      <Link className={shapes.cut} to={paths.person(orgId, id)} {...whole}>
        {name}
      </Link>
      {coverage && (
        <>
          <Strip watched={coverage} durationMs={durationMs} thread="late" />
          {lacks === null || lacks === 'viewing' ? (
            <span className={shapes.cut}>{seenText(coverage, durationMs)}</span>
          ) : (
            <span className={shapes.cut} title={lackWords[lacks].means}>
              {lackedText[lacks]}
            </span>
          )}
        </>
      )}
    </li>
  )
}

/** Beside a strip that is full, what keeps it from being done. */
const lackedText: Record<keyof typeof lackWords, string> = {
  evidence: 'not proven',
  questions: 'not answered',
  passing: 'not passed',
  confirmation: 'not confirmed',
}

function seenText(coverage: readonly (readonly [number, number])[], durationMs: number | null): string {
  const seen = coverage.reduce((sum, [start, end]) => sum + end - start, 0)
  if (seen === 0 || !durationMs) return 'not started'
  return `${formatReached(Math.min(1, seen / durationMs))} seen`
}
