import { Link } from '@tanstack/react-router'
import { readDashboardFigures, type DashboardFigure } from '#contract/dashboard.ts'
import type { Reply } from '#contract/endpoint.ts'
import { figureMeanings } from '#contract/report-figures.ts'
import { useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { Figure, Figures } from '../ui/Figure.tsx'
import { formatDay, formatDuration, formatNumber, formatWatched } from '../ui/format.ts'
import { Sparkline } from '../ui/plot/Sparkline.tsx'
import './boards.css'
import { addressOf, type Place } from './place.ts'

type Figures30 = Reply<typeof readDashboardFigures>['figures'][number]

const meanings = {
  active: figureMeanings.active,
  received: figureMeanings.received,
  opened: figureMeanings.openedOfReceived,
  completed: figureMeanings.completedOfReceived,
  watchedMs: figureMeanings.watched,
} satisfies Record<DashboardFigure, unknown>

/** The last 30 days, each figure with how it went; the report says the same day by day, in a table. */
export function Trends({ orgId }: Place) {
  const { range, figures } = useEndpoint(readDashboardFigures, addressOf(orgId))
  const { from, to } = range
  return (
    <section className="board-trends" aria-labelledby="trends">
      <header>
        <h2 id="trends">
          {formatDay(from)} to {formatDay(to)}
        </h2>
        <Link to={paths.reportUserActivity()} search={orgId === null ? {} : { organization: orgId }}>
          Open the report
        </Link>
      </header>
      <Figures>
        {figures.map(({ key, ...figure }) => (
          <Trend key={key} name={key} from={from} {...figure} />
        ))}
      </Figures>
    </section>
  )
}

type TrendProps = Omit<Figures30, 'key'> & { name: DashboardFigure; from: string }

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
}

function Trend({ name, from, value, before, days }: TrendProps) {
  const { label, value: meaning } = meanings[name]
  const say = name === 'watchedMs' ? formatDuration : formatNumber
  const isTold = value !== null && before !== null
  return (
    <Figure
      label={label}
      value={value === null ? formatWatched(null) : say(value)}
      hint={isTold ? `${say(before)} in the 30 days before` : 'Only completions are recorded'}
      meaning={meaning}
    >
      {days.some((n) => n > 0) && (
        <Sparkline
          name={`${label} per day`}
          values={days}
          labelOf={(at) => formatDay(dayAfter(from, at))}
          format={say}
        />
      )}
    </Figure>
  )
}
