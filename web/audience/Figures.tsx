import type { VideoAudience } from '#contract/audience/audience.ts'
import { language } from '#contract/platform/language.ts'
import { Figure, Figures as Row } from '#web/ui/Figure.tsx'
import { dash, formatDuration, formatNumber, formatShare, plural } from '#web/ui/format.ts'
import { ShareBar } from '#web/ui/ShareBar.tsx'
import styles from './Audience.module.css'
import shapes from '#web/ui/shapes.module.css'
import figureClasses from '#web/ui/Figure.module.css'

const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
const shareOr = (share: number | null) => (share === null ? dash : formatShare(share))

/** The key figures; what each of them means stands below (`words.ts`). */
export function Figures({ audience: { figures, relative } }: { audience: VideoAudience }) {
  const { impressions, plays, playRate, viewers, named, watchMs, attentionMs, completed } = figures
  return (
    <Row>
      <Figure label="Impressions" value={formatNumber(impressions)} hint="The player was in sight" />
      <Figure
        label="Plays"
        value={formatNumber(plays)}
        hint={playRate === null ? 'No impressions yet' : `Play rate ${formatShare(playRate)}`}
      />
      <Figure label="Viewers" value={formatNumber(viewers)} hint={`${formatNumber(named)} known by name`} />
      <Figure
        label="Time watched"
        value={formatDuration(watchMs)}
        hint={`${formatDuration(attentionMs)} of attention`}
      />
      <Figure
        label="Engagement"
        value={shareOr(figures.engagement)}
        hint={figures.intensity === null ? undefined : `Intensity ${percent.format(figures.intensity)}`}
      />
      <Figure
        label="Completed"
        value={formatNumber(completed)}
        hint={viewers === 0 ? undefined : `${formatShare(completed / viewers)} of viewers`}
      />
      <Figure label="Compared" value={comparedOf(relative)} hint={comparedHint(relative)} />
      <div className={`${shapes.card} ${figureClasses.figure} ${styles.quartiles}`}>
        <h3 className={shapes.hint}>Reached</h3>
        <Quartiles plays={plays} quartiles={figures.quartiles} />
      </div>
    </Row>
  )
}

function comparedOf(relative: VideoAudience['relative']): string {
  const percentile = relative?.percentile ?? null
  return percentile === null ? dash : `${Math.round(percentile * 100)} of 100`
}

function comparedHint(relative: VideoAudience['relative']): string {
  if (!relative) return 'Not enough viewers'
  const { videos, percentile } = relative
  if (percentile === null) return 'Not enough videos of similar length'
  return `Holds better than ${formatShare(percentile)} of ${plural(videos, 'video')}`
}

const points = ['25%', '50%', '75%', 'End'] as const

type QuartilesProps = { plays: number; quartiles: VideoAudience['figures']['quartiles'] }

function Quartiles({ plays, quartiles }: QuartilesProps) {
  return (
    <ul>
      {points.map((point, index) => {
        const share = plays === 0 ? 0 : (quartiles[index] ?? 0) / plays
        return (
          <li key={point}>
            <span>{point}</span>
            <ShareBar parts={[{ tone: 'watched', value: share, label: formatShare(share) }]} total={1} />
            <span>{formatShare(share)}</span>
          </li>
        )
      })}
    </ul>
  )
}
