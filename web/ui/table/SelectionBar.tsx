import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatNumber } from '../format.ts'
import { countSelected, everythingSelected, mostIds, nothingSelected, type Selection } from './selection.ts'
import './selection.css'

type Props = {
  selection: Selection
  onSelect: (next: Selection) => void
  /** How many the list finds; at least so many when the server stopped counting. */
  total: number
  totalIsMinimum?: boolean | undefined
  /** What can be done with them. */
  children: ReactNode
}

/** Stands at the lower edge as long as something is selected: how many, all of them, none of them, and what can be done. */
export function SelectionBar({ selection, onSelect, total, totalIsMinimum, children }: Props) {
  const count = countSelected(selection, total)
  const about = totalIsMinimum ? 'more than ' : ''
  const isTooLong = selection.ids.size > mostIds
  return (
    <section className="ui-selection" aria-label="Selection">
      <p role="status">
        <strong>
          {selection.isAll ? about : ''}
          {formatNumber(count)}
        </strong>{' '}
        selected
      </p>
      {!selection.isAll && count < total && (
        <Button variant="subtle" size="compact-sm" onClick={() => onSelect(everythingSelected)}>
          Select all {about}
          {formatNumber(total)} matching
        </Button>
      )}
      <Button variant="subtle" size="compact-sm" color="gray" onClick={() => onSelect(nothingSelected)}>
        Clear
      </Button>
      {isTooLong ? (
        <p>
          At most {formatNumber(mostIds)} can be picked one by one. Narrow the list with filters and select
          all.
        </p>
      ) : (
        <div className="ui-selection-actions">{children}</div>
      )}
    </section>
  )
}
