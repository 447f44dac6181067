import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { FlyoutButton } from '../Flyout.tsx'
import { onDemand } from '../onDemand.tsx'
import { tables, usual, useTableChoice, type Look } from './choice.ts'
import type { Choosable } from './Panel.tsx'

const Panel = onDemand(async () => (await import('./Panel.tsx')).Panel)

type Props = {
  /** The `id` of the table. */
  table: string
  columns: readonly Choosable[]
  /** Where the address of the page says how the table looks, and has to be told. */
  look?: Look
  onLook?: (look: Partial<Look>) => void
}

/** Opens the choice of density and columns; stands at the end of the line of filters. */
export function TableView({ table, columns, look, onLook }: Props) {
  const stored = useTableChoice(table)
  const change = (next: Partial<Look>) => {
    if (next === usual) tables.reset(table)
    else if (next.density) tables.setDensity(next.density)
    else if (next.columns) tables.setColumns(table, next.columns)
    onLook?.(next)
  }
  return (
    <FlyoutButton icon={<IconAdjustmentsHorizontal size={16} aria-hidden />} label="View">
      {(id) => <Panel id={id} columns={columns} look={look ?? stored} onLook={change} />}
    </FlyoutButton>
  )
}
