import { ActionIcon } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { formatNumber } from './format.ts'

type Props = {
  total: number
  /** The server stopped counting at `total`. */
  totalIsMinimum?: boolean | undefined
  offset: number
  limit: number
  onOffset: (offset: number) => void
}

/** "26–50 of 312" with a step back and a step on. */
export function Pager({ total, totalIsMinimum, offset, limit, onOffset }: Props) {
  if (total === 0) return null
  const last = Math.min(offset + limit, total)
  const isFirst = offset === 0
  const isLast = last >= total && !totalIsMinimum
  return (
    <nav className="ui-pager" aria-label="Pages">
      <p aria-live="polite">
        {formatNumber(offset + 1)}–{formatNumber(last)} of {totalIsMinimum ? 'more than ' : ''}
        {formatNumber(total)}
      </p>
      {!(isFirst && isLast) && (
        <div>
          <ActionIcon
            variant="default"
            size={36}
            aria-label="Previous page"
            title={isFirst ? 'This is the first page' : 'Previous page'}
            aria-disabled={isFirst}
            onClick={() => !isFirst && onOffset(Math.max(0, offset - limit))}
          >
            <IconChevronLeft className="ui-flip" size={18} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={36}
            aria-label="Next page"
            title={isLast ? 'This is the last page' : 'Next page'}
            aria-disabled={isLast}
            onClick={() => !isLast && onOffset(offset + limit)}
          >
            <IconChevronRight className="ui-flip" size={18} aria-hidden />
          </ActionIcon>
        </div>
      )}
    </nav>
  )
}
