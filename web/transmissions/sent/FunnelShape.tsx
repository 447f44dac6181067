import shapes from '#web/ui/look/shapes.module.css'
import styles from './FunnelShape.module.css'

const height = 16
const width = 100

/**
 * Draws each part as high as its people, thinning towards the next. The figures above say the same, and where there is nobody, nothing is
 * drawn.
 */
export function FunnelShape({ parts }: { parts: readonly number[] }) {
  const most = Math.max(...parts)
  if (!parts[0]) return null
  const half = (n: number) => Math.max((n / most) * height, 2) / 2
  const middle = height / 2
  return (
    <svg
      className={`${shapes.flip} ${styles.shape}`}
      viewBox={`0 0 ${width * parts.length} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {parts.map((n, at) => {
        const [from, to] = [half(n), half(parts[at + 1] ?? n)]
        const [start, end] = [at * width, (at + 1) * width - 2]
        return (
          <path
            key={start}
            d={`M${start} ${middle - from}H${end - 18}L${end} ${middle - to}V${middle + to}L${end - 18} ${middle + from}H${start}Z`}
          />
        )
      })}
    </svg>
  )
}
