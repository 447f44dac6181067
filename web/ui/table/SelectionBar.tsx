import { Button } from '@mantine/core'
import { IconDots, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Flyout, FlyoutButton } from '../overlays/Flyout.tsx'
import { formatNumber } from '../format.ts'
import { IconButton } from '../IconButton.tsx'
import { usePhone } from '../browser/usePhone.ts'
import { countSelected, everythingSelected, mostIds, nothingSelected, type Selection } from './selection.ts'
import shapes from '../look/shapes.module.css'
import classes from './SelectionBar.module.css'

type Props = {
  selection: Selection
  onSelect: (next: Selection) => void
  /** How many the list finds; at least so many when the server stopped counting. */
  total: number
  totalIsMinimum?: boolean | undefined
  /** What can be done with them. */
  children: ReactNode
}

/** Side by side; on a phone, where that would be several lines, behind a button. */
function Actions({ children }: Pick<Props, 'children'>) {
  const actions = <div className={`${shapes.row} ${classes.actions}`}>{children}</div>
  if (!usePhone()) return actions
  return (
    <FlyoutButton icon={<IconDots size={18} aria-hidden />} name="Actions">
      {(id) => (
        <Flyout id={id} label="Actions">
          {actions}
        </Flyout>
      )}
    </FlyoutButton>
  )
}

/** Stands at the lower edge as long as something is selected: how many, all of them, none of them, and what can be done. */
export function SelectionBar({ selection, onSelect, total, totalIsMinimum, children }: Props) {
  const count = countSelected(selection, total)
  const about = totalIsMinimum ? 'more than ' : ''
  const isTooLong = selection.ids.size > mostIds
  return (
    <section
      className={`${shapes.row} ${shapes.rise} ${classes.selection}`}
      data-part="selection"
      aria-label="Selection"
    >
      <p role="status">
        <strong>
          {selection.isAll ? about : ''}
          {formatNumber(count)}
        </strong>{' '}
        selected
      </p>
      {!selection.isAll && count < total && (
        <Button variant="subtle" size="sm" onClick={() => onSelect(everythingSelected)}>
          Select all {about}
          {formatNumber(total)}
          <span className={classes.matching}> matching</span>
        </Button>
      )}
      {isTooLong ? (
        <p>
          At most {formatNumber(mostIds)} can be picked one by one. Narrow the list with filters and select
          all.
        </p>
      ) : (
        <Actions>{children}</Actions>
      )}
      <IconButton
        tone="quiet"
        icon={IconX}
        label="Clear"
        size={36}
        onClick={() => onSelect(nothingSelected)}
      />
    </section>
  )
}
