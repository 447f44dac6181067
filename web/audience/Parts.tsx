import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import type { VideoAudience, Hotspot } from '#contract/audience/audience.ts'
import { formatNumber, formatShare } from '#web/ui/format.ts'
import styles from './Audience.module.css'
import { namesOf, spanOf } from './Curves.tsx'
import { kindLabels } from './labels.ts'
import shapes from '#web/ui/shapes.module.css'

type Props = { audience: VideoAudience; onPlay?: ((ms: number) => void) | undefined }

/** The parts that stand out, as a list to play. */
export function Parts({ audience: { hotspots, period }, onPlay }: Props) {
  const who = period === 'all' ? 'viewers' : 'plays'
  return (
    <section
      className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${styles.parts}`}
      aria-labelledby="parts-title"
    >
      <h2 id="parts-title">Parts that stand out</h2>
      {hotspots.length === 0 ? (
        <p>None: the curves stay close to their mean over the whole video.</p>
      ) : (
        <ul className={shapes.ruled}>
          {namesOf(hotspots).map(({ spot, name }) => (
            <li key={name}>
              <b data-plot={kindLabels[spot.kind].tone}>{name}</b>
              <p className={shapes.grow}>
                <strong>
                  {kindLabels[spot.kind].word}, {spanOf(spot)}
                </strong>
                <span className={shapes.hint}>{meaningOf(spot, who)}</span>
              </p>
              {onPlay && (
                <Button
                  variant="default"
                  size="xs"
                  leftSection={<IconPlayerPlay size={14} aria-hidden />}
                  onClick={() => onPlay(spot.fromMs)}
                  aria-label={`Play ${name}, ${spanOf(spot)}`}
                >
                  Play
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function meaningOf({ kind, value, mean }: Hotspot, who: string): string {
  if (kind !== 'again')
    return who === 'viewers'
      ? `${formatShare(value)} of viewers; ${formatShare(mean)} over the whole video`
      : `${formatShare(value)} of plays; ${formatShare(mean)} over the whole video`
  const passes = (share: number) => formatNumber(Math.round(share * 100))
  return who === 'viewers'
    ? `${passes(value)} further passes for every 100 viewers; ${passes(mean)} over the whole video`
    : `${passes(value)} further passes for every 100 plays; ${passes(mean)} over the whole video`
}
