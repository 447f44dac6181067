import { Notice } from '#web/ui/feedback/Notice.tsx'
import { useMatch } from '@tanstack/react-router'
import { useState } from 'react'
import { readDashboard } from '#contract/directory/organizations.ts'
import { prefetch, useEndpoint } from '../../api/query.ts'
import { demoLayouts, layoutPageAt } from '../demo/demoLayouts.ts'
import { aboutPages } from './about.ts'
import { SentFigure, ViewingFigures, ViewingPlot, WatchedPlot } from '../../ui/figures/KeyFigures.tsx'
import { LayoutHead, SubItemsHead, ToolsHead } from './LayoutHead.tsx'
import classes from './LayoutPage.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import {
  formatDay,
  formatNumber,
  formatShare,
  formatWatched,
  notShown,
  formatDuration,
  plural,
} from '../../ui/format.ts'
import { ShareBar } from '../../ui/figures/ShareBar.tsx'
import tableClasses from '#web/ui/table/DataTable.module.css'
import { TextInput } from '@mantine/core'
import '../../ui/fields/fields.ts'

export function load() {
  return prefetch(readDashboard, {})
}

/** All pages below /layouts; `about.ts` says what they are called, and `../demo/DemoLayout.tsx` shows their layout. */
export function LayoutPage() {
  const { fullPath } = useMatch({ strict: false })
  const numbers = useEndpoint(readDashboard, {})
  const { days, recipients, resting } = numbers
  const [range, setRange] = useState(wholeRange(days))
  const page = layoutPageAt(fullPath)
  if (!page) return null
  const { label, group, sentence, extra } = aboutPages[page]
  const hasLayout = Object.keys(demoLayouts[page]).length > 0
  return (
    <>
      {extra === 'sub-items' && <SubItemsHead title={label} />}
      {extra === 'tools' && (
        <ToolsHead title={label} tools={<RangeField days={days} range={range} onChange={setRange} />} />
      )}
      {extra !== 'sub-items' && extra !== 'tools' && <LayoutHead title={label} group={group} />}
      <div className={`${shapes.stack} ${classes.page}`} data-extra={extra}>
        <div role="note">
          <Notice tone="info">
            {sentence} {hasLayout && 'It lasts while this page is open; your own choices stay.'}
          </Notice>
        </div>
        <ViewingFigures
          numbers={numbers}
          before={<SentFigure recipients={recipients} resting={resting} hint="One for each recipient" />}
        />
        {extra === 'tools' ? <RangePlot days={days} range={range} /> : <ViewingPlot days={days} />}
        {extra === 'tall' && <DayTable days={days} />}
      </div>
    </>
  )
}

type Day = { day: string; watchedMs: number | null; viewers: number | null }
/** Days such as 2026-11-20; both belong to it. */
type Range = { from: string; to: string }

function wholeRange(days: readonly Day[]): Range {
  return { from: days[0]?.day.slice(0, 10) ?? '', to: days.at(-1)?.day.slice(0, 10) ?? '' }
}

function within(days: readonly Day[], { from, to }: Range): readonly Day[] {
  return days.filter(({ day }) => day.slice(0, 10) >= from && day.slice(0, 10) <= to)
}

type FieldProps = { days: readonly Day[]; range: Range; onChange: (range: Range) => void }

/** First and last day of what is shown, within the last 30. */
function RangeField({ days, range, onChange }: FieldProps) {
  const { from, to } = wholeRange(days)
  const ends = [
    { end: 'from', label: 'From', min: from, max: range.to },
    { end: 'to', label: 'to', min: range.from, max: to },
  ] as const
  return (
    <fieldset className={shapes.row}>
      <legend className={shapes.sr}>Days to show</legend>
      {ends.map(({ end, label, min, max }) => (
        <label key={end} className={shapes.row}>
          {label}
          <TextInput
            type="date"
            value={range[end]}
            min={min}
            max={max}
            required
            onChange={({ target: { value } }) => value && onChange({ ...range, [end]: value })}
          />
        </label>
      ))}
    </fieldset>
  )
}

/** Time watched on each day of the range. */
function RangePlot({ days, range }: Omit<FieldProps, 'onChange'>) {
  const shown = within(days, range)
  const total = shown.reduce((sum, { watchedMs }) => sum + (watchedMs ?? 0), 0)
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="range-title">
      <header className={shapes.spaceBetween}>
        <h2 id="range-title">Time watched</h2>
        <p role="status">
          {formatDuration(total)} on {plural(shown.length, 'day')}
        </p>
      </header>
      <WatchedPlot days={shown} />
    </section>
  )
}

/** Every day in a line of its own: long enough to scroll. */
function DayTable({ days }: { days: readonly Day[] }) {
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
