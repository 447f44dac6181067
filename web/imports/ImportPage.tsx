import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { readImport, type Import, listImportRows } from '#contract/imports/imports.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { prefetch, useEndpoint, refreshAll, useChange } from '../api/query.ts'
import { paths } from '../paths.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '../layout/page.ts'
import { organizationsCrumb } from '../organizations/crumbs.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { Check } from './Check.tsx'
import { Columns } from './Columns.tsx'
import classes from './ImportPage.module.css'
import { search } from './search.ts'
import { Upload } from './Upload.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { useEffect, useState } from 'react'
import { cancelOperation, readOperation, undoOperation, type Operation } from '#contract/operations.ts'
import { listUsers } from '#contract/directory/users.ts'
import { attempt } from '#web/api/attempt.ts'
import { Meter } from './Meter.tsx'
import { IconArrowBackUp } from '@tabler/icons-react'
import { listGroups } from '#contract/directory/groups.ts'
import { ConfirmDialog } from '../ui/overlays/ConfirmDialog.tsx'
import { formatDateTime, formatNumber, plural } from '../ui/format.ts'
import { ImportRows } from './ImportRows.tsx'
import { tip } from '#web/ui/overlays/tips.ts'

export function load({
  params,
  search: given,
}: LoadInput<'/organizations/$orgId/users/import'>): Promise<unknown> {
  const { orgId } = params
  const { id } = readSearch(search, given)
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    id && prefetch(readImport, { params: { orgId, importId: id } }),
  ])
}

const steps = ['Upload', 'Match columns', 'Check', 'Import', 'Result'] as const

/** People from a file, in five steps; the address holds the file, so that it is found again. */
export function ImportPage() {
  const { orgId } = usePathParams('/organizations/$orgId/users/import')
  const { name } = useEndpoint(readOrganization, { params: { orgId } })
  const [{ id }] = usePageSearch(search)
  return (
    <>
      <PageHead
        title="Import people"
        lead="Add or change many people at once, from a spreadsheet. You see what will happen to every row before anything is changed."
        crumbs={[
          ...organizationsCrumb(),
          <Link key="one" to={paths.organizationDashboard(orgId)} search={{ tab: 'users' }}>
            {name}
          </Link>,
        ]}
        more={
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link {...props} to={paths.organizationDashboard(orgId)} search={{ tab: 'users' }} />
            )}
          >
            Back to the people
          </Button>
        }
      />
      {id === undefined ? (
        <div className={shapes.stack}>
          <Steps present={0} />
          <Upload orgId={orgId} />
        </div>
      ) : (
        <Started key={id} orgId={orgId} importId={id} />
      )}
    </>
  )
}

function Started({ orgId, importId }: { orgId: string; importId: string }) {
  const file = useEndpoint(readImport, { params: { orgId, importId } })
  const [{ step }] = usePageSearch(search)
  const isCheck = step === 'check' || (step === undefined && file.rehearsed > 0)
  const props = { orgId, file }
  if (file.state === 'draft')
    return (
      <div className={shapes.stack}>
        <Steps present={isCheck ? 2 : 1} />
        {isCheck ? <Check {...props} /> : <Columns {...props} />}
      </div>
    )
  const isWorking = ['queued', 'running', 'cancelling'].includes(file.state)
  return (
    <div className={shapes.stack}>
      <Steps present={isWorking ? 3 : 4} />
      {isWorking ? <Running {...props} /> : <Outcome {...props} />}
    </div>
  )
}

/** What has become of the file, and the way back. */
function Outcome({ orgId, file }: { orgId: string; file: Import }) {
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
  const notUndone = (undoCounts.changed_since ?? 0) + (undoCounts.impossible ?? 0)
  const left =
    notUndone > 0
      ? ` ${plural(notUndone, 'row was', 'rows were')} left as imported, because somebody has changed or used them since.`
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

/** The import at work; the page can be left and found again. */
function Running({ file }: { orgId: string; file: Import }) {
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

function Steps({ present }: { present: number }) {
  return (
    <ol className={`${shapes.row} ${shapes.unit} ${classes.steps}`} aria-label="Steps">
      {steps.map((name, index) => (
        <li
          key={name}
          className={shapes.row}
          aria-current={index === present ? 'step' : undefined}
          data-done={index < present || undefined}
        >
          <span className={shapes.disc} aria-hidden>
            {index + 1}
          </span>
          {name}
          {index < present && <span className={shapes.sr}> (done)</span>}
        </li>
      ))}
    </ol>
  )
}
