import { TextInput } from '@mantine/core'
import { formatDuration, plural } from '../../ui/format.ts'
import '../../ui/fields.ts'
import { WatchedPlot } from '../../ui/KeyFigures.tsx'
import { wholeRange, within, type Day, type Range } from './range.ts'
import shapes from '#web/ui/shapes.module.css'

type FieldProps = { days: readonly Day[]; range: Range; onChange: (range: Range) => void }

/** First and last day of what is shown, within the last 30. */
export function RangeField({ days, range, onChange }: FieldProps) {
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
export function RangePlot({ days, range }: Omit<FieldProps, 'onChange'>) {
  const shown = within(days, range)
  const total = shown.reduce((sum, { watchedMs }) => sum + (watchedMs ?? 0), 0)
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="range-title">
      <header className={shapes.apart}>
        <h2 id="range-title">Time watched</h2>
        <p role="status">
          {formatDuration(total)} on {plural(shown.length, 'day')}
        </p>
      </header>
      <WatchedPlot days={shown} />
    </section>
  )
}
