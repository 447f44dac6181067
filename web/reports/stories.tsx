import { useState } from 'react'
import { storiesOf } from '#web/lists/stories.ts'
import type { Column } from '#web/ui/table/DataTable.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Entry = { id: string; entity: string; entityId: string | null; at: string }

/** One row for each event; its name opens the others of the event below it. */
export function useStories<Row extends Entry>(
  rows: readonly Row[] | undefined,
  columns: readonly Column<Row>[],
) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const stories = storiesOf(rows ?? [])
  const behind = new Map(stories.map(([first, ...others]) => [first?.id, others.length]))
  const toggle = (id: string) => {
    const next = new Set(open)
    if (!next.delete(id)) next.add(id)
    setOpen(next)
  }
  const cell = (column: Column<Row>) => (row: Row) => {
    const count = behind.get(row.id) ?? 0
    if (count === 0) return column.cell(row)
    return (
      <span className={shapes.row}>
        <span>{column.cell(row)}</span>
        <button
          type="button"
          className={shapes.link}
          aria-expanded={open.has(row.id)}
          onClick={() => toggle(row.id)}
        >
          {count} more
        </button>
      </span>
    )
  }
  return {
    rows: rows && stories.flatMap((story) => (story[0] && open.has(story[0].id) ? story : story.slice(0, 1))),
    columns: columns.map((column) => (column.isName ? { ...column, cell: cell(column) } : column)),
  }
}
