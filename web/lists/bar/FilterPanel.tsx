import { Button } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { Suspense, type ReactNode } from 'react'
import { closeFlyout, Flyout } from '#web/ui/overlays/Flyout.tsx'
import { formatNumber } from '#web/ui/format.ts'
import rows from '#web/ui/overlays/menu.module.css'
import { walk } from '#web/ui/overlays/menuKeys.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { valuesOf, type Filter, type Values } from './filters.ts'
import classes from './ListBar.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type ChipProps = {
  /** From the button that opened it. */
  id: string
  filter: Filter
}

/** What one question can be answered by; a choice takes effect at once. */
export function ChipPanel({ id, filter }: ChipProps) {
  const values = valuesOf(filter)
  return (
    <Flyout id={id} label={filter.label} at="start">
      {values ? (
        <ValueRows id={id} label={filter.label} {...values} />
      ) : (
        <div className={classes.fields}>
          <Suspense>
            <Field {...filter} />
          </Suspense>
        </div>
      )}
    </Flyout>
  )
}

function ValueRows({ id, label, none, options, value, onChoose }: Values & { id: string; label: string }) {
  return (
    <div className={classes.menu} role="menu" tabIndex={-1} aria-label={label} onKeyDown={walk}>
      {[['', none, undefined] as const, ...options].map(([one, words, count]) => (
        <button
          key={one}
          type="button"
          className={rows.row}
          role="menuitemradio"
          aria-checked={one === value}
          tabIndex={one === value ? 0 : -1}
          value={one}
          onClick={() => {
            closeFlyout(id)
            onChoose(one)
          }}
        >
          <IconCheck size={16} aria-hidden visibility={one === value ? undefined : 'hidden'} />
          <span className={shapes.grow}>{words}</span>{' '}
          <span className={shapes.unit}>
            <Suspense>{typeof count === 'number' ? formatNumber(count) : count}</Suspense>
          </span>
        </button>
      ))}
    </div>
  )
}

type Props = {
  id: string
  label: string
  filters: readonly Filter[]
  onClear: (() => void) | undefined
}

/** Further questions, each with its field. */
export function FilterPanel({ id, label, filters, onClear }: Props) {
  return (
    <Flyout id={id} label={label} at="start" isWide={filters.length > 4}>
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
          Close
        </Button>
      </footer>
    </Flyout>
  )
}

function Field(filter: Filter) {
  const values = valuesOf(filter)
  if (!values) return filter.field as Exclude<Filter['field'], Values>
  const { none, options, value, onChoose } = values
  const said = (words: string, count: ReactNode) =>
    typeof count === 'number' ? `${words} (${formatNumber(count)})` : words
  return (
    <NativeChoice
      label={filter.label}
      data={[
        { value: '', label: none },
        ...options.map(([one, words, count]) => ({ value: one, label: said(words, count) })),
      ]}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    />
  )
}
