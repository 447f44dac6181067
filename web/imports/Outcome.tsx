import { Button } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { listGroups } from '#contract/directory/groups.ts'
import { listImportRows, readImport, type Import } from '#contract/imports/imports.ts'
import { readOperation, undoOperation, type Operation } from '#contract/operations.ts'
import { listUsers } from '#contract/directory/users.ts'
import { attempt } from '#web/api/attempt.ts'
import { refreshAll, useChange, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { formatDateTime, formatNumber, plural } from '../ui/format.ts'
import { ImportRows } from './ImportRows.tsx'
import { Meter } from './Meter.tsx'
import { tip } from '#web/ui/tips.ts'
import shapes from '#web/ui/shapes.module.css'

/** What has become of the file, and the way back. */
export function Outcome({ orgId, file }: { orgId: string; file: Import }) {
  const operation = useEndpoint(
    readOperation,
    { params: { operationId: file.id } },
    { every: ({ state: now }) => now === 'undoing' && 1_000 },
  )
  const { state } = operation
  useEffect(() => {
    if (state !== 'undoing') void refreshAll([readImport, listImportRows, listUsers, listGroups])
  }, [state])
  if (state === 'undoing')
    return (
      <div className={`${shapes.card} ${shapes.pad}`}>
        <Meter name="Rows taken back" done={operation.done} total={operation.total} />
      </div>
    )
  return (
    <>
      <p role="status">
        <strong>{file.fileName}</strong> {sentenceOf(operation)}
      </p>
      <ImportRows
        orgId={orgId}
        importId={file.id}
        counts={operation.counts}
        warned={file.warned}
        phase="after"
      />
      <div className={shapes.row}>
        <Button
          renderRoot={(props) => (
            <Link {...props} to={paths.organizationDashboard(orgId)} search={{ tab: 'users' }} />
          )}
        >
          See the people
        </Button>
        <Button variant="default" component={Link} to={paths.userImport(orgId)}>
          Import another file
        </Button>
        <Undo operation={operation} />
      </div>
    </>
  )
}

function sentenceOf({ state, done, total, counts, undoCounts, undoneBy }: Operation): string {
  if (state === 'done') return becomeOf(counts)
  if (state === 'cancelled')
    return `Stopped after ${formatNumber(done)} of ${plural(total, 'row')}. What was imported until then stays.`
  if (state === 'failed')
    return `The import broke off after ${formatNumber(done)} of ${plural(total, 'row')}. What was imported until then stays; import the file again to go on with the rest.`
  const kept = (undoCounts.changed_since ?? 0) + (undoCounts.impossible ?? 0)
  const left =
    kept > 0
      ? ` ${plural(kept, 'row was', 'rows were')} left as imported, because somebody has changed or used them since.`
      : ''
  return `Undone${undoneBy === null ? '' : ` by ${undoneBy}`}: ${plural(undoCounts.undone ?? 0, 'row was', 'rows were')} taken back.${left}`
}

function becomeOf({ created = 0, changed = 0, conflict = 0, failed = 0 }: Operation['counts']): string {
  const left = conflict + failed
  const parts = [
    created > 0 && `${plural(created, 'person was', 'people were')} added.`,
    changed > 0 && `${plural(changed, 'person was', 'people were')} changed.`,
    left > 0 && `${plural(left, 'row was', 'rows were')} not imported.`,
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(' ') : 'Nobody had to be added or changed.'
}

function Undo({ operation }: { operation: Operation }) {
  const [isAsking, setAsking] = useState(false)
  const undo = useChange(undoOperation, [readOperation, readImport])
  if (operation.undoUntil === null) return null
  const go = () => attempt(() => undo.mutateAsync({ params: { operationId: operation.id } }))
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconArrowBackUp className={shapes.flip} size={16} aria-hidden />}
        {...tip(`Possible until ${formatDateTime(operation.undoUntil)}`)}
        onClick={() => setAsking(true)}
      >
        Undo the import
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title="Undo the import?"
        confirmLabel="Undo the import"
        onConfirm={go}
        onClose={() => setAsking(false)}
      >
        People whom this file added are removed, and those whom it changed get back what they had. Whatever
        somebody has changed since stays, and so does whoever was sent something.
      </ConfirmDialog>
    </>
  )
}
