import { formatNumber } from '../ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { name: string; done: number; total: number }

/** How far something has come, as a bar and in figures. */
export function Meter({ name, done, total }: Props) {
  return (
    <div className={shapes.stack}>
      <progress aria-label={name} value={Math.min(done, total)} max={Math.max(total, 1)} />
      <p>
        {name}: {formatNumber(done)} of {formatNumber(total)}
      </p>
    </div>
  )
}
