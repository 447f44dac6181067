import { formatNumber, formatShare } from '../ui/format.ts'

type Props = { name: string; done: number; total: number }

/** How far something has come, as a bar and in figures. */
export function Meter({ name, done, total }: Props) {
  const share = total === 0 ? 0 : Math.min(done / total, 1)
  return (
    <div className="import-meter">
      <div
        role="progressbar"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        aria-valuetext={formatShare(share)}
      >
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <p>
        {name}: {formatNumber(done)} of {formatNumber(total)}
      </p>
    </div>
  )
}
