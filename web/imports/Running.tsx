import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { readImport, type Import } from '#contract/imports/imports.ts'
import { cancelOperation, readOperation } from '#contract/operations.ts'
import { listUsers } from '#contract/directory/users.ts'
import { attempt } from '#web/api/attempt.ts'
import { refreshAll, useChange, useEndpoint } from '../api/query.ts'
import { Meter } from './Meter.tsx'
import shapes from '#web/ui/shapes.module.css'

/** The import at work; the page can be left and found again. */
export function Running({ file }: { orgId: string; file: Import }) {
  const operation = useEndpoint(readOperation, { params: { operationId: file.id } }, { every: 1_000 })
  const cancel = useChange(cancelOperation, [readOperation])
  const isOver = !['draft', 'queued', 'running', 'cancelling'].includes(operation.state)
  useEffect(() => {
    if (isOver) void refreshAll([readImport, listUsers])
  }, [isOver])
  const stop = () => attempt(() => cancel.mutateAsync({ params: { operationId: file.id } }))
  return (
    <div className={`${shapes.card} ${shapes.pad} ${shapes.stack}`}>
      <Meter name="Rows imported" done={operation.done} total={operation.total} />
      <p role="status">
        {operation.state === 'cancelling'
          ? 'It stops after the rows that it is working on.'
          : 'You can leave this page: the import goes on, and you find it again here.'}
      </p>
      <Button
        variant="default"
        loading={cancel.isPending || operation.state === 'cancelling'}
        onClick={() => void stop()}
      >
        Stop the import
      </Button>
    </div>
  )
}
