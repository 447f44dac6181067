import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import {
  listImportRows,
  readImport,
  rehearseImport,
  restoreForImport,
  startImport,
  updateImport,
  type Import,
} from '#contract/imports/imports.ts'
import { language } from '#contract/platform/text/language.ts'
import { listOperations } from '#contract/operations.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '../api/query.ts'
import { usePageSearch } from '../layout/page.ts'
import { ConfirmDialog } from '../ui/overlays/ConfirmDialog.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { Notice } from '../ui/feedback/Notice.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { userEndpoints } from '../people/RemoveUser.tsx'
import { CancelDraft } from './CancelDraft.tsx'
import { search } from './search.ts'
import { ImportRows } from './ImportRows.tsx'
import { Meter } from './Meter.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { orgId: string; file: Import }

const names = new Intl.ListFormat(language)

/** Ten thousand rows on a busy server. */
const timeout = 60_000

/** What would become of every row; nothing has been changed yet. */
export function Check({ orgId, file }: Props) {
  const params = { orgId, importId: file.id }
  const { mutateAsync } = useChange(rehearseImport, [readImport, listImportRows])
  const [problem, setProblem] = useState<unknown>(null)
  const { rehearsed, total } = file
  const isComplete = rehearsed >= total
  useEffect(() => {
    if (isComplete || problem !== null) return
    let isGone = false
    const look = async () => {
      const { rehearsed: seen, total: all } = await mutateAsync({
        params: { orgId, importId: file.id },
        timeout,
      })
      if (seen < all && !isGone) await look()
    }
    look().catch((error: unknown) => setProblem(error))
    return () => {
      isGone = true
    }
  }, [isComplete, problem, mutateAsync, orgId, file.id])
  if (problem !== null) return <NotRead error={problem} retry={() => setProblem(null)} />
  if (!isComplete)
    return (
      <div className={`${shapes.card} ${shapes.pad}`}>
        <Meter name="Rows checked" done={rehearsed} total={total} />
      </div>
    )
  return (
    <>
      <p>
        <strong>{file.fileName}</strong> Nothing has been changed yet. This is what will happen to each row
        when you import it:
      </p>
      {file.missingGroups.length > 0 && <MissingGroups orgId={orgId} file={file} />}
      {file.removed > 0 && <Removed orgId={orgId} file={file} />}
      <ImportRows {...params} counts={file.counts} warned={file.warned} phase="before" />
      <Actions orgId={orgId} file={file} />
    </>
  )
}

/** Where rows are left out for want of a group, the groups can be had at once. */
function MissingGroups({ orgId, file: { id, mapping, options, missingGroups } }: Props) {
  const update = useChange(updateImport, [readImport, listImportRows])
  const [, change] = usePageSearch(search)
  const create = () =>
    attempt(async () => {
      await update.mutateAsync({
        params: { orgId, importId: id },
        body: { mapping, options: { ...options, createGroups: true } },
      })
      // Every row is judged anew: none of those that were chosen may be left.
      change({ outcome: undefined })
    })
  const count = plural(missingGroups.length, 'group')
  return (
    <Notice
      tone="neutral"
      role="status"
      action={
        <Button loading={update.isPending} onClick={() => void create()}>
          {missingGroups.length === 1 ? 'Add the group' : `Add the ${count}`}
        </Button>
      }
    >
      The file names {count} that {missingGroups.length === 1 ? 'does' : 'do'} not exist here:{' '}
      {names.format(missingGroups)}. Rows with a missing group cannot be imported. You can let the import
      create what is missing; undoing the import removes it again.
    </Notice>
  )
}

/** Rows about people who were removed wait for a word about them. */
function Removed({ orgId, file: { id, mapping, options, removed } }: Props) {
  const params = { orgId, importId: id }
  const restore = useChange(restoreForImport, [readImport, listImportRows, ...userEndpoints])
  const update = useChange(updateImport, [readImport, listImportRows])
  const isOne = removed === 1
  const [, change] = usePageSearch(search)
  const settle = (work: () => Promise<unknown>) =>
    attempt(async () => {
      await work()
      change({ outcome: undefined })
    })
  const body = { mapping, options: { ...options, removed: 'add' as const } }
  return (
    <Notice
      tone="neutral"
      role="status"
      action={
        <div className={shapes.row}>
          <Button
            loading={restore.isPending}
            onClick={() => void settle(() => restore.mutateAsync({ params, timeout: 180_000 }))}
          >
            {isOne ? 'Bring the person back' : 'Bring them back'}
          </Button>
          <Button
            variant="default"
            loading={update.isPending}
            onClick={() => void settle(() => update.mutateAsync({ params, body }))}
          >
            {isOne ? 'Add somebody new' : 'Add new people'}
          </Button>
        </div>
      }
    >
      {plural(removed, 'row is about a person', 'rows are about people')} who {isOne ? 'was' : 'were'}{' '}
      removed. Brought back, they have their groups again and everything that they have completed; this
      happens at once, and the rows are checked again. Added as new, they begin with nothing.
    </Notice>
  )
}

function Actions({ orgId, file }: Props) {
  const [isAsking, setAsking] = useState(false)
  const [, change] = usePageSearch(search)
  const start = useChange(startImport, [readImport, listImportRows, listOperations])
  const writes = (file.counts.created ?? 0) + (file.counts.changed ?? 0)
  const mails = file.options.invite ? file.withRole : 0
  const go = () =>
    attempt(async () => {
      await start.mutateAsync({ params: { orgId, importId: file.id } })
      change({ step: undefined, outcome: undefined })
    })
  return (
    <div className={shapes.row}>
      {writes > 0 && (
        <Button data-create onClick={() => setAsking(true)}>
          Import {plural(writes, 'row')}
        </Button>
      )}
      <Button variant="default" onClick={() => change({ step: 'columns', outcome: undefined })}>
        Back to the columns
      </Button>
      <CancelDraft importId={file.id} />
      {writes === 0 && (
        <span className={shapes.hint} role="status">
          There is nothing to import: no row adds or changes anybody.
        </span>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Import ${plural(writes, 'row')}?`}
        confirmLabel="Start the import"
        isDangerous={false}
        onConfirm={go}
        onClose={() => setAsking(false)}
      >
        {plural(file.counts.created ?? 0, 'person', 'people')} will be added and{' '}
        {formatNumber(file.counts.changed ?? 0)} changed.{' '}
        {mails > 0 ? `${plural(mails, 'invitation')} will be mailed.` : 'No mail is sent.'} You can undo all
        of it for 30 days.
      </ConfirmDialog>
    </div>
  )
}
