import { readDashboard } from '#contract/organizations.ts'
import { useEndpoint } from '../api/query.ts'
import { rhythm } from './sections/place.ts'
import { useUser } from '../session/useSession.ts'
import { Figure } from '../ui/Figure.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { SentFigure, ViewingFigures, ViewingPlot } from '../ui/KeyFigures.tsx'

const useNumbers = () => useEndpoint(readDashboard, {}, { every: rhythm.figures })

/** Everything since the beginning. */
export function Totals() {
  const { role } = useUser()
  const numbers = useNumbers()
  const { organizations, users, groups, videos, transmissions, recipients, resting } = numbers
  const people = plural(groups, 'group')
  return (
    <section className="dashboard-totals" aria-labelledby="totals">
      <h2 id="totals">Since the beginning</h2>
      <ViewingFigures
        numbers={numbers}
        before={
          <>
            <Figure
              label="People"
              value={formatNumber(users)}
              hint={role === 'superadmin' ? `${people} in ${plural(organizations, 'organization')}` : people}
            />
            <Figure
              label="Videos"
              value={formatNumber(videos)}
              hint={plural(transmissions, 'transmission')}
            />
            <SentFigure recipients={recipients} resting={resting} hint="One for each recipient" />
          </>
        }
      />
    </section>
  )
}

export function Days() {
  return <ViewingPlot days={useNumbers().days} />
}
