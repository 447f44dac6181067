import type { ReactNode } from 'react'
import { ColumnHeads } from '../plot/ColumnHeads.tsx'
import classes from './PlainTable.module.css'
import shapes from '../look/shapes.module.css'

type Props = { name: string; heads: readonly string[]; children: ReactNode }

/** A few rows within a card; on a phone each cell is a line, with the name that its `data-label` says. */
export function PlainTable({ name, heads, children }: Props) {
  return (
    <table className={classes.table}>
      <caption className={shapes.sr}>{name}</caption>
      <ColumnHeads heads={heads} />
      <tbody>{children}</tbody>
    </table>
  )
}
