import { Button } from '@mantine/core'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { Suspense, useId, useState } from 'react'
import { onDemand } from '../onDemand.tsx'
import type { Choosable } from './Panel.tsx'

const Panel = onDemand(async () => (await import('./Panel.tsx')).Panel)

type Props = {
  /** The `id` of the table. */
  table: string
  columns: readonly Choosable[]
}

/** Opens the choice of density and columns; stands at the end of the line of filters. */
export function TableView({ table, columns }: Props) {
  const [isWanted, setWanted] = useState(false)
  const id = useId()
  return (
    <div className="ui-view">
      <Button
        variant="default"
        aria-haspopup="dialog"
        leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
        onClick={() => setWanted(true)}
        // From the second press on the browser itself opens and closes it.
        {...(isWanted ? { popoverTarget: id } : {})}
      >
        View
      </Button>
      {isWanted && (
        <Suspense>
          <Panel id={id} table={table} columns={columns} />
        </Suspense>
      )}
    </div>
  )
}
