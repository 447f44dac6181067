import { IconArrowBackUp, IconTrashX } from '@tabler/icons-react'
import { useState } from 'react'
import { listOperations, readOperation, type OperationFilter } from '#contract/operations.ts'
import { changeOperations, previewOperations, type OperationsAction } from '#contract/videos/record-bulk.ts'
import { useChange } from '#web/api/query.ts'
import { Act } from '#web/lists/bulk/Act.tsx'
import { BulkDialog, type BulkWording } from '#web/lists/bulk/BulkDialog.tsx'
import { previewOf, wantedOf, type BarProps } from '#web/lists/bulk/selected.ts'
import { followAll } from '#web/lists/operations/followAll.ts'
import { plural } from '#web/ui/format.ts'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { SelectionBar } from '#web/ui/table/SelectionBar.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'

type Props = BarProps & { filter: OperationFilter }

const wordings: Record<OperationsAction, BulkWording> = {
  undo: {
    title: 'Undo changes?',
    button: (n) => `Undo ${plural(n, 'change')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'change')}</strong> will be undone.
      </>
    ),
    consequences: (
      <p>
        The newest comes first. What somebody has changed since stays as it is now, and the results say so.
      </p>
    ),
  },
  delete: {
    title: 'Delete for good?',
    button: (n) => `Delete for good: ${plural(n, 'removal')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'removal')}</strong> can no longer be undone.
      </>
    ),
    isDangerous: true,
    consequences: (
      <p>
        The files of the removed videos are deleted from the server, now and for ever. What people have
        watched so far stays in the reports.
      </p>
    ),
  },
}

/** The bar of the list of what can be undone. */
export function OperationBulk({ filter, ...bar }: Props) {
  const { selection, onSelect } = bar
  const [ask, setAsk] = useState<OperationsAction>()
  const change = useChange(changeOperations, [listOperations, readOperation])
  const input = (expected: number, action: OperationsAction) => ({
    body: { selection: wantedOf(selection, filter, expected), action },
  })
  const run = async (expected: number, action: OperationsAction) => {
    const { changing } = await change.mutateAsync(input(expected, action))
    if (action === 'undo') {
      toast.success(`${plural(changing, 'change')} being undone.`)
      void followAll().catch(() => undefined)
    } else toast.success(`${plural(changing, 'removal')} deleted for good.`)
    return null
  }
  return (
    <>
      <SelectionBar {...bar}>
        <Act icon={IconArrowBackUp} label="Undo" onClick={() => setAsk('undo')} />
        <Act icon={IconTrashX} label="Delete for good" isDangerous onClick={() => setAsk('delete')} />
      </SelectionBar>
      {ask && (
        <BulkDialog
          key={ask}
          {...wordings[ask]}
          preview={previewOf(previewOperations, input(0, ask))}
          begin={(expected) => run(expected, ask)}
          onBegun={() => onSelect(nothingSelected)}
          onClose={() => setAsk(undefined)}
        />
      )}
    </>
  )
}
