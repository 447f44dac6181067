import { Link } from '@tanstack/react-router'
import { readDashboardFigures, type DashboardFigure } from '#contract/dashboard.ts'
import type { Reply } from '#contract/endpoint.ts'
import { figureMeanings } from '#contract/reports/report-figures.ts'
import { useEndpoint } from '../../api/query.ts'
import { paths } from '../../paths.ts'
import { formatDay, formatDuration, formatNumber, formatWatched } from '../../ui/format.ts'
import { PlotTable } from '../../ui/plot/PlotTable.tsx'
import { Sparkline } from '../../ui/plot/Sparkline.tsx'
import { Numbers, type FigureTile } from './Numbers.tsx'
import { addressOf, rhythm, type OrganizationPlace } from './place.ts'

type Figures30 = Reply<typeof readDashboardFigures>['figures'][number]

const meanings = {
  active: figureMeanings.active,
  received: figureMeanings.received,
  opened: figureMeanings.openedOfReceived,
  completed: figureMeanings.completedOfReceived,
  watchedMs: figureMeanings.watched,
} satisfies Record<DashboardFigure, unknown>

/** The last 30 days, each figure with how it went, and all days beneath in a table. */
export function Trends({ orgId }: OrganizationPlace) {
  const { range, figures } = useEndpoint(readDashboardFigures, addressOf(orgId), { every: rhythm.figures })
  const { from, to } = range
  const drawn = figures.filter(({ days }) => days.some((n) => n > 0))
  return (
    <Numbers
      id="trends"
      title={`${formatDay(from)} to ${formatDay(to)}`}
      way={
        <Link
          data-screen-only
          to={paths.reportUserActivity()}
          search={orgId === null ? {} : { organization: orgId }}
        >
          Open the report
        </Link>
      }
      numbers={figures.map((figure) => trendOf(figure, from))}
    >
      {drawn.length > 0 && (
        <PlotTable
          name="The last 30 days"
          label="Show the days as a table"
          heads={['Day', ...drawn.map(({ key }) => meanings[key].label)]}
          rows={(drawn[0]?.days ?? []).map((_day, at) =>
            [formatDay(dayAfter(from, at))].concat(
              drawn.map(({ key, days }) => wordsFor(key)(days[at] ?? 0)),
            ),
          )}
        />
      )}
    </Numbers>
  )
}

const wordsFor = (name: DashboardFigure) => (name === 'watchedMs' ? formatDuration : formatNumber)

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
}

function trendOf({ key, value, before, days }: Figures30, from: string): FigureTile {
  const { label, value: meaning } = meanings[key]
  const say = wordsFor(key)
  const isVisible = value !== null && before !== null
  return {
    label,
    meaning,
    value: value === null ? formatWatched(null) : say(value),
    hint: isVisible ? `${say(before)} before` : 'Only completions are recorded',
    picture: days.some((n) => n > 0) && (
      <Sparkline
        name={`${label} per day`}
        values={days}
        labelOf={(at) => formatDay(dayAfter(from, at))}
        format={say}
      />
    ),
  }
}
