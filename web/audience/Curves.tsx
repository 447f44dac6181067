import type { VideoAudience, AudienceCurves, AudienceVersion, Hotspot } from '#contract/audience/audience.ts'
import { language } from '#contract/platform/text/language.ts'
import { formatClock, formatNumber, formatShare, plural } from '#web/ui/format.ts'
import { roundMax } from '#web/ui/plot/shapes.ts'
import type { Panel } from '#web/ui/plot/Drawing.tsx'
import { TimePlot, type Mark } from '#web/ui/plot/TimePlot.tsx'
import styles from './Audience.module.css'
import { kindLabels } from './labels.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { IconTable } from '@tabler/icons-react'
import { useState } from 'react'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { unchanged } from '#web/ui/table/choice.ts'

type Props = {
  audience: VideoAudience
  version: AudienceVersion
  curves: AudienceCurves
  storyboard: string | null
  onPlay?: ((ms: number) => void) | undefined
  playingMs: number | null
  /** Everybody who watched stands in the weave, so that the silhouette of them would be a second one. */
  isWoven: boolean
}

type NumbersProps = { curves: AudienceCurves; durationMs: number; who: string }
type Bin = Record<'fromMs' | 'toMs' | 'seen' | 'share' | 'again' | 'left' | 'out' | 'in' | 'paused', number>

const digits = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })

/** The figures behind the plots as a table; drawn only when it is asked for, because it may have 600 rows. */
function Numbers({ curves, durationMs, who }: NumbersProps) {
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

/** How the video holds its viewers, second by second, and where they leave and jump. */
export function Curves({ audience, version, curves, storyboard, onPlay, playingMs, isWoven }: Props) {
  const { hotspots, chapters, figures, period } = audience
  const { binSeconds, base } = curves
  const who = period === 'all' ? 'viewers' : 'plays'
  const most = tallest(curves)
  const crowd = { seen: curves.covered, again: curves.again }
  const silhouette: Panel = {
    name: 'Retention',
    title: who === 'viewers' ? 'Viewers' : 'Plays',
    max: most.value,
    // As thick as many of them.
    marks: [{ value: most.value / 2, label: rounded(most.value) }],
    layers: [],
    crowd,
    height: 48,
  }
  const atEnd = curves.exits.at(-1) ?? 0

  const panels = isWoven ? leaving(curves) : [silhouette, ...leaving(curves)]

  function describe(bin: number): string {
    const seen = curves.covered[bin] ?? 0
    const further = curves.again[bin] ?? 0
    return [
      who === 'viewers'
        ? `${formatShare(seen / base)} of viewers (${rounded(seen)} of ${formatNumber(base)})`
        : `${formatShare(seen / base)} of plays (${rounded(seen)} of ${formatNumber(base)})`,
      further > 0 && `rewatched ${rounded(further)} ${further === 1 ? 'time' : 'times'}`,
      some(curves.exits[bin], 'left here'),
      some(curves.seekOut[bin], 'skipped from here'),
      some(curves.seekIn[bin], 'skipped to here'),
    ]
      .filter(Boolean)
      .join(', ')
  }

  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="curves-title">
      <header className={shapes.spaceBetween}>
        <h2 id="curves-title">Watching and leaving</h2>
        {!isWoven && <Key hotspots={hotspots} />}
      </header>
      <p className={shapes.hint}>
        {!isWoven &&
          most.value > 0 &&
          `Tallest at ${formatClock(most.bin * binSeconds * 1_000)}: ${describe(most.bin)}.`}
      </p>
      <TimePlot
        name="Moment of the video"
        durationMs={version.durationMs}
        binMs={binSeconds * 1_000}
        panels={panels}
        marks={isWoven ? [] : marksOf(hotspots)}
        chapters={chapters}
        describe={describe}
        storyboard={storyboard}
        onPlay={onPlay}
        playingMs={playingMs}
      />
      <p className={shapes.hint}>
        {atEnd > 0 && `${formatShare(atEnd / figures.plays)} of plays ended at the end of the video. `}
        {binSeconds > 1 &&
          `Each step stands for ${plural(binSeconds, 'second')}: curves show their mean, counts their sum.`}
      </p>
      <Numbers curves={curves} durationMs={version.durationMs} who={who} />
    </section>
  )
}

/** Where the silhouette is highest, which is what it is scaled to. */
function tallest({ covered, again }: AudienceCurves): { bin: number; value: number } {
  const all = covered.map((n, bin) => n + (again[bin] ?? 0))
  const value = Math.max(1, ...all)
  return { bin: Math.max(0, all.indexOf(value)), value }
}

const small = 32

/** Where they leave and jump, each small and below the other; those of which there is nothing are left out, but for leaving. */
function leaving({ exits, seekOut, seekIn }: AudienceCurves): Panel[] {
  const counted = [
    { title: 'Left here', tone: 'danger', values: exits },
    { title: 'Skipped from here', tone: 'info', values: seekOut },
    { title: 'Skipped to here', tone: 'info', values: seekIn },
  ] as const
  return counted.flatMap(({ title, tone, values }, at) => {
    if (at > 0 && values.every((n) => n === 0)) return []
    // Who leaves at the end would press everybody else flat; that bar is cut, and its figure stands in words.
    const max = roundMax(at === 0 ? values.slice(0, -1) : values, 1)
    return {
      name: title,
      title,
      max,
      marks: [max, 0].map((value) => ({ value, label: formatNumber(value) })),
      layers: [{ name: title, kind: 'bars', tone, values }],
      height: small,
    }
  })
}

/** What the parts of the silhouette mean, and the letters above it. */
function Key({ hotspots }: Pick<VideoAudience, 'hotspots'>) {
  return (
    <ul className={`${shapes.row} ${shapes.hint} ${styles.key}`} aria-label="Legend">
      <li className={shapes.row} data-kind="seen">
        seen
      </li>
      <li className={shapes.row} data-kind="again">
        seen again
      </li>
      <li className={shapes.row} data-kind="nobody">
        by nobody
      </li>
      {[...new Set(hotspots.map(({ kind }) => kind))].map((kind) => (
        <li key={kind}>
          <b>{kindLabels[kind].letter}</b> {kindLabels[kind].word.toLowerCase()}
        </li>
      ))}
    </ul>
  )
}

const oneDigit = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
const rounded = (value: number) => oneDigit.format(value)
const some = (count: number | undefined, words: string) =>
  count !== undefined && count > 0 && `${formatNumber(count)} ${words}`

/** Parts are called by the letter of their kind and their number, in the plot as in the list. */
export function namesOf(hotspots: readonly Hotspot[]): { spot: Hotspot; name: string }[] {
  const counts = new Map<string, number>()
  return hotspots.map((spot) => {
    const { letter } = kindLabels[spot.kind]
    const number = (counts.get(letter) ?? 0) + 1
    counts.set(letter, number)
    return { spot, name: `${letter}${number}` }
  })
}

function marksOf(hotspots: readonly Hotspot[]): Mark[] {
  return namesOf(hotspots).map(({ spot: { kind, fromMs, toMs }, name }) => {
    return { name, fromMs, toMs, tone: kindLabels[kind].tone }
  })
}

export const spanOf = ({ fromMs, toMs }: Pick<Hotspot, 'fromMs' | 'toMs'>) =>
  `${formatClock(fromMs)} to ${formatClock(toMs)}`
