import { IconFilter } from '@tabler/icons-react'
import { useLocation } from '@tanstack/react-router'
import { Suspense, useRef, useState, type ComponentProps, type ReactNode } from 'react'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { FlyoutButton } from '#web/ui/Flyout.tsx'
import { formatNumber } from '#web/ui/format.ts'
import { onDemand } from '#web/ui/onDemand.tsx'
import { SearchField } from '#web/ui/SearchField.tsx'
import { Updated } from '#web/ui/Time.tsx'
import type { ToldOfAll } from '../told.ts'
import { isChosen, useTableChoice } from '#web/ui/table/choice.ts'
import { active, type Filter } from './filters.ts'
import { ListMenu, type ListMenuProps } from './ListMenu.tsx'
import classes from './ListBar.module.css'
import shapes from '#web/ui/shapes.module.css'

const Chips = onDemand(async () => (await import('./Chips.tsx')).Chips)
const ViewsMenu = onDemand(async () => (await import('../ViewsMenu.tsx')).ViewsMenu)
const FilterPanel = onDemand(async () => (await import('./FilterPanel.tsx')).FilterPanel)

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
  told?: ToldOfAll | undefined
  /** When it was read, in milliseconds since 1970. */
  updatedAt?: number | undefined
  /** What is used so often that it stands before the menu. */
  children?: ReactNode
}

const none: readonly Filter[] = []

/**
 * The one line above a list: its search, its filters behind one button, those that are on as chips, and a menu with everything else.
 */
export function ListBar({ told: toldOfAll, ...props }: Props) {
  const { start, search, filters = none, onClear, found, updatedAt, children, ...menu } = props
  const stored = useTableChoice(menu.table?.table)
  const told = isChosen((menu.table?.look ?? stored).columns) ? undefined : toldOfAll
  const bar = useRef<HTMLDivElement>(null)
  const on = active(filters)
  const count = useCount(found, on.length > 0 || Boolean(search?.value))
  const hasView = useLocation({ select: (location) => 'view' in location.search })
  const remove = (clear: () => void) => {
    // The chip that had the focus is gone then.
    bar.current?.querySelector<HTMLElement>('[aria-haspopup="dialog"]')?.focus()
    clear()
  }
  return (
    <FilterBar className={classes.bar ?? ''} ref={bar}>
      {start}
      {search && <SearchField {...search} />}
      {filters.some(({ field }) => field !== null) && (
        <FlyoutButton
          icon={<IconFilter size={16} aria-hidden />}
          label={
            <>
              Filter{' '}
              {on.length > 0 && (
                <span className={`${shapes.disc} ${classes.count}`}>
                  {on.length}
                  <span className={shapes.sr}> {on.length === 1 ? 'is on' : 'are on'}</span>
                </span>
              )}
            </>
          }
        >
          {(id) => <FilterPanel id={id} filters={filters} onClear={on.length > 0 ? onClear : undefined} />}
        </FlyoutButton>
      )}
      {on.length > 0 && (
        <Suspense fallback={<span className={classes.chips} />}>
          <Chips filters={on} onRemove={remove} onClear={onClear} />
        </Suspense>
      )}
      <div className={`${shapes.row} ${shapes.end}`}>
        {(count ?? told) && (
          <span
            className={`${shapes.unit} ${shapes.updated} ${told ? '' : classes.aside}`}
            data-part={told && 'told'}
          >
            {told ? `${count ?? told.count}, ${told.words}` : count}
          </span>
        )}
        {children}
        {hasView && menu.views && (
          <Suspense>
            <ViewsMenu {...menu.views} />
          </Suspense>
        )}
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
