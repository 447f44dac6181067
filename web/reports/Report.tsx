import { formatNumber, formatShare } from '#web/ui/format.ts'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import type { Tone } from '#web/ui/figures/StatusBadge.tsx'
import classes from './Report.module.css'
import shapes from '#web/ui/look/shapes.module.css'

/** A share as a bar with its words beside it. How much of a video was watched has the colour that means it everywhere. */
export function Share({ tone, share }: { tone: Tone | 'watched'; share: number }) {
  const text = formatShare(share)
  return (
    <span className={classes.share}>
      <ShareBar parts={[{ tone, value: share, label: text }]} total={1} />
      <span aria-hidden>{text}</span>
    </span>
  )
}

/** A count with its share of the whole, in one piece. */
export function Part({ count, whole }: { count: number; whole: number }) {
  return (
    <span>
      {formatNumber(count)}{' '}
      <span className={`${shapes.hint} ${classes.part}`}>
        {whole === 0 ? null : formatShare(count / whole)}
      </span>
    </span>
  )
}
