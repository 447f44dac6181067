import { Button } from '@mantine/core'
import { Suspense } from 'react'
import { closeFlyout, Flyout } from '#web/ui/Flyout.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import type { Filter } from './filters.ts'
import classes from './ListBar.module.css'
import shapes from '#web/ui/shapes.module.css'

type Props = {
  /** From the button that opened it. */
  id: string
  filters: readonly Filter[]
  onClear: (() => void) | undefined
}

/** All that a list can be narrowed by; each choice takes effect at once. */
export function FilterPanel({ id, filters, onClear }: Props) {
  return (
    <Flyout id={id} label="Filters" at="start" isWide={filters.length > 4}>
      <div className={`${shapes.grid} ${classes.fields}`}>
        {filters.map((filter) => (
          <Suspense key={filter.label}>
            <Field {...filter} />
          </Suspense>
        ))}
      </div>
      <footer>
        <Button variant="default" size="xs" disabled={!onClear} onClick={() => onClear?.()}>
          Clear all
        </Button>
        <Button variant="default" size="xs" onClick={() => closeFlyout(id)}>
          Done
        </Button>
      </footer>
    </Flyout>
  )
}

function Field({ label, field }: Filter) {
  if (typeof field !== 'object' || field === null || !('options' in field)) return field
  const { none, options, value, onChoose } = field
  return (
    <NativeChoice
      label={label}
      data={[{ value: '', label: none }, ...options.map(([one, words]) => ({ value: one, label: words }))]}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    />
  )
}
