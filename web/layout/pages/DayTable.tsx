import { formatDay, formatNumber, formatShare, formatWatched, notShown } from '../../ui/format.ts'
import { ShareBar } from '../../ui/ShareBar.tsx'
import type { Day } from './range.ts'
import shapes from '#web/ui/shapes.module.css'
import tableClasses from '#web/ui/DataTable.module.css'

/** Every day in a line of its own: long enough to scroll. */
export function DayTable({ days }: { days: readonly Day[] }) {
  const most = Math.max(...days.map(({ watchedMs }) => watchedMs ?? 0), 1)
  return (
    <div className={shapes.card} data-part="table-card">
      <table className={tableClasses.table} data-part="table">
        <caption className={shapes.sr}>The last 30 days, one by one</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col" data-align="end">
              Watched
            </th>
            <th scope="col" data-align="end">
              Viewers
            </th>
            <th scope="col">
              <span className={shapes.sr}>Share of the busiest day</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, watchedMs, viewers }) => (
            <tr key={day}>
              <th scope="row">{formatDay(day)}</th>
              <td data-align="end" data-label="Watched">
                {formatWatched(watchedMs)}
              </td>
              <td data-align="end" data-label="Viewers">
                {viewers === null ? notShown : formatNumber(viewers)}
              </td>
              <td>
                <ShareBar
                  parts={[
                    { tone: 'watched', value: watchedMs ?? 0, label: formatShare((watchedMs ?? 0) / most) },
                  ]}
                  total={most}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
