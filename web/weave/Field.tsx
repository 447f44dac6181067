import { useId } from 'react'
import type { Thread, Weave } from '#contract/audience/weave.ts'
import { formatClock } from '#web/ui/format.ts'
import { ticksOf } from '#web/ui/plot/shapes.ts'
import { useWidth } from '#web/ui/useWidth.ts'
import ink from '#web/ui/ink.module.css'
import shapes from '#web/ui/shapes.module.css'
import { Picture } from './Picture.tsx'
import type { usePlace } from './usePlace.ts'
import styles from './Weave.module.css'

type Props = {
  weave: Weave
  place: ReturnType<typeof usePlace>
  /** What is true of the second or the part that is looked at. */
  said: string | null
  /** Who lacks something of what is chosen. */
  chosen: readonly Thread[] | null
}

/** The picture over the time of the video, and what is looked at in it. */
export function Field({ weave, place: { at, count, looked, handlers }, said, chosen }: Props) {
  const { seconds, durationMs } = weave
  const { ref, width } = useWidth(800)
  const how = useId()
  const percent = (second: number) => `${(second / seconds) * 100}%`
  return (
    <div dir="ltr">
      <div
        ref={ref}
        className={`${styles.cloth} ${ink.ink}`}
        role="slider"
        tabIndex={0}
        aria-label="Second of the video"
        aria-describedby={how}
        aria-valuemin={0}
        aria-valuemax={count - 1}
        aria-valuenow={at ?? 0}
        aria-valuetext={said ?? formatClock((looked?.from ?? 0) * 1_000)}
        {...handlers}
      >
        <Picture weave={weave} lacking={chosen} />
        {looked && (
          <span
            className={styles.column}
            style={{ insetInlineStart: percent(looked.from), inlineSize: percent(looked.to - looked.from) }}
          />
        )}
      </div>
      <p id={how} className={shapes.sr} dir="auto">
        The arrow keys move by a second, with Shift they choose a part, and Enter reminds whoever lacks it, or
        begins a message to them.
      </p>
      <div className={`${shapes.hint} ${styles.times}`} aria-hidden>
        {ticksOf(durationMs, width).map((ms) => (
          <span key={ms} style={{ insetInlineStart: percent(ms / 1_000) }}>
            {formatClock(ms)}
          </span>
        ))}
      </div>
    </div>
  )
}
