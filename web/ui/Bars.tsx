type Point = { label: string; value: number; text: string }

type Props = {
  /** What is counted: "Minutes watched per day". */
  name: string
  points: readonly Point[]
  labelHead?: string
  valueHead?: string
}

/** Bars over days as plain SVG; the numbers are in a table behind it. */
export function BarDays({ name, points, labelHead = 'Day', valueHead = 'Value' }: Props) {
  const most = Math.max(...points.map(({ value }) => value), 1)
  const share = 100 / Math.max(points.length, 1)
  return (
    <figure className="ui-bars">
      <figcaption className="ui-sr">{name}</figcaption>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden>
        {points.map(({ label, value, text }, index) => {
          const size = value === 0 ? 1 : Math.max((value / most) * 96, 3)
          return (
            <rect
              key={label}
              data-zero={value === 0 || undefined}
              x={index * share + share * 0.15}
              y={100 - size}
              width={share * 0.7}
              height={size}
            >
              <title>{`${label}: ${text}`}</title>
            </rect>
          )
        })}
      </svg>
      <div className="ui-bars-ends" aria-hidden>
        <span>{points[0]?.label}</span>
        <span>{points.at(-1)?.label}</span>
      </div>
      {/* A table itself does not shrink to the hidden size, and would make the page scroll. */}
      <div className="ui-sr">
        <table>
          <caption>{name}</caption>
          <thead>
            <tr>
              <th scope="col">{labelHead}</th>
              <th scope="col">{valueHead}</th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ label, text }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
