import { useState } from 'react'
import { ColumnHeads } from './ColumnHeads.tsx'
import classes from './PlotTable.module.css'

type Props = {
  /** What the plot is about. */
  name: string
  heads: readonly string[]
  /** The first cell of each names it. */
  rows: readonly (readonly string[])[]
  /** What opens it, where several plots stand together. */
  label?: string
}

/** It may be wider than a phone: a keyboard has to be able to scroll it. */
const scrolled = { tabIndex: 0 }

/** Behind a plot, for everybody, and once unfolded on paper beneath it; drawn only then, because it may have many rows. */
export function PlotTable({ name, heads, rows, label = 'Show as a table' }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={classes.table} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && (
        <div role="region" aria-label={`${name}, as a table`} {...scrolled}>
          <table>
            <ColumnHeads heads={heads} />
            <tbody>
              {rows.map(([head = '', ...cells]) => (
                <tr key={head}>
                  <th scope="row">{head}</th>
                  {cells.map((cell, at) => (
                    <td key={heads[at + 1]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}
