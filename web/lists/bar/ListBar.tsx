import { Button } from '@mantine/core'
import { IconFilter, IconChevronDown, IconX } from '@tabler/icons-react'
import { useLocation } from '@tanstack/react-router'
import { useRef, useState, type ComponentProps, type ReactNode, Suspense } from 'react'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { FlyoutButton } from '#web/ui/overlays/Flyout.tsx'
import { formatNumber } from '#web/ui/format.ts'
import { SearchField } from '#web/ui/fields/SearchField.tsx'
import { Updated } from '#web/ui/Time.tsx'
import type { UniformWords } from '../uniform.ts'
import { ViewsMenu } from '../ViewsMenu.tsx'
import { isChosen, useTableChoice } from '#web/ui/table/choice.ts'
import { usePhone } from '#web/ui/browser/usePhone.ts'
import { FilterPanel, ChipPanel } from './FilterPanel.tsx'
import type { Filter } from './filters.ts'
import { ListMenu, type ListMenuProps } from './ListMenu.tsx'
import classes from './ListBar.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Found = { total: number; totalIsMinimum?: boolean | undefined; approximate?: boolean | undefined }

type Props = ListMenuProps & {
  /** What everything below depends on, so that it stands first: the period of a report. */
  start?: ReactNode
  search?: ComponentProps<typeof SearchField> | undefined
  filters?: readonly Filter[]
  /** Shows everything again. */
  onClear?: (() => void) | undefined
  /** What the list has found, once it is what the filters ask for. */
  found?: Found | undefined
  /** What is the same in every row. */
  uniform?: UniformWords | undefined
  /** When it was read, in milliseconds since 1970. */
  updatedAt?: number | undefined
  /** What is used so often that it stands before the menu. */
  children?: ReactNode
}

const none: readonly Filter[] = []

/** So many questions have a chip before they are answered; a phone has room for none. */
const mostInSight = 3

/**
 * The one line above a list: its search, a chip for each of the first questions and for each that is answered, the other questions
 * behind one button, and a menu with everything else.
 */
export function ListBar({ uniform: uniformWords, ...props }: Props) {
  const { start, search, filters = none, onClear, found, updatedAt, children, ...menu } = props
  const stored = useTableChoice(menu.table?.table)
  const uniform = isChosen((menu.table?.look ?? stored).columns) ? undefined : uniformWords
  const bar = useRef<HTMLDivElement>(null)
  const isPhone = usePhone()
  const asked = filters.filter(({ field }) => field !== null && field !== false)
  const inSight = asked.slice(0, isPhone ? 0 : mostInSight)
  const further = asked.slice(inSight.length)
  const on = filters.filter(({ chosen }) => chosen !== null)
  const chips = [...inSight, ...on.filter((filter) => !inSight.includes(filter))]
  const count = useCount(found, on.length > 0 || Boolean(search?.value))
  const hasView = useLocation({ select: (location) => 'view' in location.search })
  // What had the focus is gone then: a question that keeps its chip has it next, else what leads to all of them.
  const remove = (clear: () => void, chip?: HTMLElement) => {
    const opens = bar.current?.querySelectorAll<HTMLElement>('[aria-haspopup="dialog"]')
    const keepsChip = inSight.some((filter) => filter.clear === clear)
    const behindChips =
      isPhone || further.length === 0 ? 0 : chips.filter(({ field }) => field !== null).length
    const next = keepsChip ? chip?.querySelector('button') : opens?.[behindChips]
    next?.focus()
    clear()
  }
  const moreName = inSight.length > 0 ? 'More filters' : 'Filters'
  const more = further.length > 0 && (
    <FlyoutButton icon={<IconFilter size={16} aria-hidden />} label={moreName}>
      {(id) => (
        <FilterPanel
          id={id}
          label={moreName}
          filters={further}
          onClear={on.length > 0 ? onClear : undefined}
        />
      )}
    </FlyoutButton>
  )
  return (
    <FilterBar className={classes.bar ?? ''} ref={bar}>
      {start}
      {search && <SearchField {...search} />}
      {isPhone && more}
      {chips.length > 0 && (
        <ul className={classes.chips}>
          {chips.map((filter) => (
            <FilterChip key={filter.label} filter={filter} onClear={(chip) => remove(filter.clear, chip)} />
          ))}
        </ul>
      )}
      {!isPhone && more}
      {onClear && on.length > 1 && (
        <Button variant="subtle" size="compact-sm" onClick={() => remove(onClear)}>
          Clear all
        </Button>
      )}
      <div className={`${shapes.row} ${shapes.end}`}>
        {(count ?? uniform) && (
          <span
            className={`${shapes.unit} ${shapes.updated} ${uniform ? '' : classes.aside}`}
            data-part={uniform && 'uniform'}
          >
            {uniform ? `${count ?? uniform.count}, ${uniform.words}` : count}
          </span>
        )}
        {children}
        {hasView && menu.views && <ViewsMenu {...menu.views} />}
        {updatedAt !== undefined && (
          <span className={classes.aside}>
            <Updated at={updatedAt} />
          </span>
        )}
        <ListMenu {...menu} />
      </div>
    </FilterBar>
  )
}

/** One question to a list: opens what it can be set to, says what it is set to, and lets everything through again by its x. */
function FilterChip({ filter, onClear }: { filter: Filter; onClear: (chip: HTMLElement) => void }) {
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

/** "13 of 118": of how many is known where the list was seen with all of them. */
function useCount(found: Found | undefined, isNarrowed: boolean): string | undefined {
  const list = useLocation({ select: ({ pathname, search }) => listOf(pathname, search) })
  const [seen, see] = useState({ list, total: -1 })
  if (found && !isNarrowed && (found.total !== seen.total || list !== seen.list))
    see({ list, total: found.total })
  if (!found || !isNarrowed || found.totalIsMinimum || found.approximate) return undefined
  const total = formatNumber(found.total)
  const isKnown = seen.list === list && seen.total >= found.total
  return isKnown ? `${total} of ${formatNumber(seen.total)}` : `${total} found`
}

/** A superadmin looks at the same page for one organization or another. */
const listOf = (pathname: string, search: object) =>
  'organization' in search ? `${pathname} ${String(search.organization)}` : pathname
