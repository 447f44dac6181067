import type { VideoAudience, AudienceCurves, AudienceVersion, Hotspot } from '#contract/audience.ts'
import { language } from '#contract/language.ts'
import { formatClock, formatNumber, formatShare, plural } from '#web/ui/format.ts'
import { roundMax } from '#web/ui/plot/shapes.ts'
import { PlotLegend, type Layer, type Panel } from '#web/ui/plot/Drawing.tsx'
import { TimePlot, type Mark } from '#web/ui/plot/TimePlot.tsx'
import { Numbers } from './Numbers.tsx'
import { kindLabels } from './labels.ts'

type Props = {
  audience: VideoAudience
  version: AudienceVersion
  curves: AudienceCurves
  storyboard: string | null
  onPlay?: ((ms: number) => void) | undefined
  playingMs: number | null
}

const percentMarks = (max: number) =>
  [0, 0.5, 1, ...(max > 1 ? [max] : [])].map((value) => ({ value, label: `${Math.round(value * 100)}%` }))

/** How the video holds its viewers, second by second, and where they leave and jump. */
export function Curves({ audience, version, curves, storyboard, onPlay, playingMs }: Props) {
  const { hotspots, figures, period } = audience
  const { binSeconds, base } = curves
  const shares = curves.covered.map((n) => n / base)
  const again = curves.again.map((n) => n / base)
  const held: Layer[] = [
    {
      name: period === 'all' ? 'Share of viewers' : 'Share of plays',
      kind: 'area',
      tone: 'primary',
      values: shares,
    },
    { name: 'Rewatched', kind: 'hatched', tone: 'warning', values: again },
  ]
  const leaving: Layer[] = [
    { name: 'Left here', kind: 'bars', tone: 'danger', values: curves.exits },
    { name: 'Skipped from here', kind: 'dashed', tone: 'info', values: curves.seekOut },
    { name: 'Skipped to here', kind: 'dotted', tone: 'primary', values: curves.seekIn },
  ]
  // A line along the ground says nothing, but for the one that everybody looks for.
  const left = leaving.filter(({ kind, values }) => kind === 'bars' || values.some((n) => n > 0))
  const top = roundMax(again, 1)
  // Who leaves at the end would press everybody else flat; that bar is cut, and its figure stands in words.
  const most = roundMax([...curves.exits.slice(0, -1), ...curves.seekIn, ...curves.seekOut], 1)
  const panels: Panel[] = [
    { name: 'Retention', max: top, marks: percentMarks(top), layers: held, height: 160 },
    {
      name: 'Leaving',
      max: most,
      marks: [0, most].map((value) => ({ value, label: formatNumber(value) })),
      layers: left,
      height: 64,
    },
  ]
  const atEnd = curves.exits.at(-1) ?? 0
  const who = period === 'all' ? 'viewers' : 'plays'

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
    <section className="ui-card ui-card-pad audience-curves" aria-labelledby="curves-title">
      <header>
        <h2 id="curves-title">Second by second</h2>
        <PlotLegend layers={[...held, ...left]} />
      </header>
      <TimePlot
        name="Moment of the video"
        durationMs={version.durationMs}
        binMs={binSeconds * 1_000}
        panels={panels}
        marks={marksOf(hotspots)}
        describe={describe}
        storyboard={storyboard}
        onPlay={onPlay}
        playingMs={playingMs}
      />
      <p className="audience-note">
        {atEnd > 0 && `${formatShare(atEnd / figures.plays)} of plays ended at the end of the video. `}
        {binSeconds > 1 &&
          `Each step stands for ${plural(binSeconds, 'second')}: curves show their mean, counts their sum.`}
      </p>
      <Numbers curves={curves} durationMs={version.durationMs} who={who} />
    </section>
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
