import { formatShare } from '#web/ui/format.ts'
import classes from './Progress.module.css'

/** A bar from 0 to 1 with its name; the share stands beside it as text where there is room. */
export function Progress({ name, share, isIdle = false }: { name: string; share: number; isIdle?: boolean }) {
  const percent = Math.round(Math.min(Math.max(share, 0), 1) * 1000) / 10
  return (
    <div
      className={classes.progress}
      role="progressbar"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(percent)}
      aria-valuetext={formatShare(share)}
      data-idle={isIdle || undefined}
    >
      <span style={{ width: `${percent}%` }} />
    </div>
  )
}
