import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { IconButton } from '../IconButton.tsx'
import { formatNumber } from '../format.ts'
import { NativeChoice } from '../fields/NativeChoice.tsx'
import { pageSizes, type PageSize } from './choice.ts'
import classes from './Pager.module.css'
import shapes from '../look/shapes.module.css'

/** Where a page begins; beyond what can be counted off it stands behind or before a row. */
export type Position = { offset: number; after?: string | undefined; before?: string | undefined }

type Props = {
  items: readonly unknown[]
  total: number
  /** The server stopped counting at `total`. */
  totalIsMinimum?: boolean | undefined
  offset: number
  limit: number
  /** Paths of the API to the pages beside this one, where there are any. */
  next: string | null
  /** Lists that can be read in both directions go on where rows can no longer be counted off. */
  previous?: string | null
  onOffset: (offset: number, position: Position) => void
  onLimit?: (rows: PageSize) => void
}

/** Rows that the server counts off; what lies deeper is read from a row on. */
const deepest = 10_000

function cursorIn(path: string | null | undefined, name: 'after' | 'before'): string | undefined {
  return new URLSearchParams(path?.split('?')[1]).get(name) ?? undefined
}

/** "26–50 of 312" with a step back and a step on. */
export function Pager(props: Props) {
  const { items, total, totalIsMinimum, offset, limit, next, previous, onOffset, onLimit } = props
  if (total === 0) return null
  const last = offset + items.length
  const isFirst = offset === 0 && !previous
  const isLast = next === null
  const move = (to: number, cursor: Partial<Position>) =>
    onOffset(to, { offset: to, ...(to > deepest ? cursor : {}) })
  const back = () => move(Math.max(0, offset - limit), { before: cursorIn(previous, 'before') })
  const onward = () => move(offset + limit, { after: cursorIn(next, 'after') })
  return (
    <nav className={`${shapes.spaceBetween} ${shapes.unit} ${classes.pager}`} data-room aria-label="Pages">
      <p aria-live="polite">
        {items.length === 0 ? 'Nothing here any more' : `${formatNumber(offset + 1)}–${formatNumber(last)}`}{' '}
        of {totalIsMinimum ? 'more than ' : ''}
        {formatNumber(total)}
      </p>
      <div data-screen-only>
        {onLimit && total > pageSizes[0] && (
          <NativeChoice
            aria-label="Rows on a page"
            data={pageSizes.map((size) => ({ value: String(size), label: `${size} rows` }))}
            value={String(limit)}
            onChange={({ currentTarget: { value } }) =>
              onLimit(pageSizes.find((size) => `${size}` === value) ?? 25)
            }
          />
        )}
        {!(isFirst && isLast) && (
          <>
            <IconButton
              isBordered
              size={36}
              icon={IconChevronLeft}
              iconClass={shapes.flip}
              label="Previous page"
              cannot={isFirst && 'This is the first page'}
              onClick={back}
            />
            <IconButton
              isBordered
              size={36}
              icon={IconChevronRight}
              iconClass={shapes.flip}
              label="Next page"
              cannot={isLast && 'This is the last page'}
              onClick={onward}
            />
          </>
        )}
      </div>
    </nav>
  )
}
