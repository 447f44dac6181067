import { IconChevronDown, IconX } from '@tabler/icons-react'
import { Suspense } from 'react'
import { FlyoutButton } from '#web/ui/Flyout.tsx'
import { ChipPanel } from './FilterPanel.tsx'
import type { Filter } from './filters.ts'
import classes from './ListBar.module.css'
import shapes from '#web/ui/shapes.module.css'

/** One question to a list: opens what it can be set to, says what it is set to, and lets everything through again by its x. */
export function FilterChip({ filter, onClear }: { filter: Filter; onClear: (chip: HTMLElement) => void }) {
  const { label, chosen, field } = filter
  const isOn = chosen !== null
  const said = (
    <span className={classes.said}>
      {label}
      {isOn && (
        <>
          : <Suspense fallback="…">{chosen}</Suspense>
        </>
      )}
    </span>
  )
  return (
    <li data-chip={isOn || undefined}>
      {field === null || field === false ? (
        said
      ) : (
        <FlyoutButton
          label={
            <>
              {said}
              {!isOn && <IconChevronDown size={14} aria-hidden />}
            </>
          }
        >
          {(id) => <ChipPanel id={id} filter={filter} />}
        </FlyoutButton>
      )}
      {isOn && (
        <button
          type="button"
          className={classes.clear}
          onClick={({ currentTarget }) => onClear(currentTarget.closest('li') ?? currentTarget)}
        >
          <span className={shapes.sr}>
            Remove the filter {label}: <Suspense fallback="…">{chosen}</Suspense>
          </span>
          <IconX size={14} aria-hidden />
        </button>
      )}
    </li>
  )
}
