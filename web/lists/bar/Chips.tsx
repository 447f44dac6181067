import { Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { Suspense } from 'react'
import type { Filter } from './filters.ts'
import classes from './ListBar.module.css'
import shapes from '#web/ui/shapes.module.css'

type Props = {
  filters: readonly Filter[]
  /** Takes one away, or all of them. */
  onRemove: (clear: () => void) => void
  onClear: (() => void) | undefined
}

/** The filters that are on, each with a way out of it. */
export function Chips({ filters, onRemove, onClear }: Props) {
  return (
    <ul className={classes.chips} aria-label="Filters that are on">
      {filters.map(({ label, chosen, clear }) => (
        <li key={label}>
          <button type="button" data-chip onClick={() => onRemove(clear)}>
            <span className={shapes.sr}>Remove the filter </span>
            <span>
              {label}: <Suspense fallback="…">{chosen}</Suspense>
            </span>
            <IconX size={14} aria-hidden />
          </button>
        </li>
      ))}
      {onClear && (
        <li>
          <Button variant="subtle" size="compact-sm" onClick={() => onRemove(onClear)}>
            Clear all
          </Button>
        </li>
      )}
    </ul>
  )
}
