import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { Flyout, FlyoutButton } from '../overlays/Flyout.tsx'
import { onDemand } from '../browser/onDemand.tsx'
import { tables, usual, useTableChoice, type Look } from './choice.ts'
import type { Choosable } from './Panel.tsx'

const Panel = onDemand(async () => (await import('./Panel.tsx')).Panel)

export type TableViewProps = {
  /** The `id` of the table. */
  table: string
  columns: readonly Choosable[]
  /** Where the address of the page says how the table looks, and has to be told. */
  look?: Look
  onLook?: (look: Partial<Look>) => void
}

/** The choice of density and columns behind a button, for a table without a bar of its own. */
export function TableView(view: TableViewProps) {
  return (
    <FlyoutButton icon={<IconAdjustmentsHorizontal size={16} aria-hidden />} label="View">
      {(id) => (
        <Flyout id={id} label="View of the table">
          <TableChoice id={id} {...view} />
        </Flyout>
      )}
    </FlyoutButton>
  )
}

/** The same inside a flyout that is there. */
export function TableChoice({ id, table, columns, look, onLook }: TableViewProps & { id: string }) {
  const stored = useTableChoice(table)
  const change = (next: Partial<Look>) => {
    if (next === usual) tables.reset(table)
    else if (next.density) tables.setDensity(next.density)
    else if (next.columns) tables.setColumns(table, next.columns)
    onLook?.(next)
  }
  return <Panel id={id} columns={columns} look={look ?? stored} onLook={change} />
}
