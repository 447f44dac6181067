import { IconTable } from '@tabler/icons-react'
import { useState } from 'react'
import type { AudienceCurves } from '#contract/audience/audience.ts'
import { language } from '#contract/platform/language.ts'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { formatClock, formatNumber, formatShare } from '#web/ui/format.ts'
import { unchanged } from '#web/ui/table/choice.ts'
import styles from './Audience.module.css'
import shapes from '#web/ui/shapes.module.css'

type Props = { curves: AudienceCurves; durationMs: number; who: string }
type Bin = Record<'fromMs' | 'toMs' | 'seen' | 'share' | 'again' | 'left' | 'out' | 'in' | 'paused', number>

const digits = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })

/** The figures behind the plots as a table; drawn only when it is asked for, because it may have 600 rows. */
export function Numbers({ curves, durationMs, who }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.numbers} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={`${shapes.link} ${shapes.row}`} data-screen-only>
        <IconTable size={16} aria-hidden />
        The figures behind the plot
      </summary>
      {isOpen && (
        <DataTable
          name="Retention, leaving and skipping over the time of the video"
          look={{ density: 'compact', columns: unchanged }}
          columns={columnsFor(who)}
          rows={binsOf(curves, durationMs)}
          rowKey={({ fromMs }) => String(fromMs)}
          empty={null}
        />
      )}
    </details>
  )
}

function binsOf(curves: AudienceCurves, durationMs: number): Bin[] {
  const length = curves.binSeconds * 1_000
  return curves.covered.map((seen, bin) => ({
    fromMs: bin * length,
    toMs: Math.min(durationMs, (bin + 1) * length),
    seen,
    share: seen / curves.base,
    again: curves.again[bin] ?? 0,
    left: curves.exits[bin] ?? 0,
    out: curves.seekOut[bin] ?? 0,
    in: curves.seekIn[bin] ?? 0,
    paused: curves.pauses[bin] ?? 0,
  }))
}

function columnsFor(who: string): Column<Bin>[] {
  const figure = (key: keyof Bin, header: string, format: (value: number) => string): Column<Bin> => ({
    key,
    header,
    align: 'end',
    cell: (bin) => format(bin[key]),
  })
  return [
    {
      key: 'time',
      header: 'Time',
      isName: true,
      width: '128px',
      cell: ({ fromMs, toMs }) => `${formatClock(fromMs)}–${formatClock(toMs)}`,
    },
    figure('seen', who === 'viewers' ? 'Viewers' : 'Plays', (value) => digits.format(value)),
    figure('share', 'Share', formatShare),
    figure('again', 'Rewatched', (value) => digits.format(value)),
    figure('left', 'Left', formatNumber),
    figure('out', 'Skipped from', formatNumber),
    figure('in', 'Skipped to', formatNumber),
    figure('paused', 'Paused', formatNumber),
  ]
}
