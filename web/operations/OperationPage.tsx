import { Button } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import {
  cancelOperation,
  listOperationRows,
  readOperation,
  rowOutcomes,
  undoOutcomes as undoCodes,
  type Operation,
  type OperationRow,
} from '#contract/operations.ts'
import { authorName } from '#contract/directory/members.ts'
import { useBusy } from '#web/api/attempt.ts'
import { prefetch, refreshAll, useChange, useEndpoint, useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { useProgress } from '../lists/operations/progress.ts'
import { takeBack } from '../lists/operations/undo.ts'
import { isWorking, titleOf } from '../lists/operations/titles.ts'
import { outcomes, reasonOf, states, summaryOf, undoOutcomes } from '../lists/operations/labels.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '../layout/page.ts'
import { DataTable, type Column } from '../ui/table/DataTable.tsx'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { formatDateTime, formatNumber } from '../ui/format.ts'
import { NativeChoice } from '../ui/fields/NativeChoice.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { Pager } from '../ui/table/Pager.tsx'
import { StatusBadge } from '../ui/figures/StatusBadge.tsx'
import shapes from '#web/ui/look/shapes.module.css'

export const search = z.object({
  outcome: z.catch(z.optional(z.enum(rowOutcomes)), undefined),
  undo: z.catch(z.optional(z.enum(undoCodes)), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

export function load({ params, search: given }: LoadInput<'/recently-removed/$operationId'>) {
  const address = { params: { operationId: params.operationId } }
  const query = readSearch(search, given)
  return Promise.all([prefetch(readOperation, address), prefetch(listOperationRows, { ...address, query })])
}

const columns: readonly Column<OperationRow>[] = [
  { key: 'name', header: 'Name', isName: true, cell: ({ label }) => label },
  {
    key: 'outcome',
    header: 'Result',
    width: '144px',
    cell: ({ outcome }) =>
      outcome && <StatusBadge tone={outcomes[outcome].tone}>{outcomes[outcome].word}</StatusBadge>,
  },
  {
    key: 'undo',
    header: 'Undo',
    width: '160px',
    cell: ({ undo }) =>
      undo && <StatusBadge tone={undoOutcomes[undo].tone}>{undoOutcomes[undo].word}</StatusBadge>,
  },
  { key: 'reason', header: 'Why', dimmed: true, cell: ({ reason }) => reason && reasonOf(reason) },
]

const all = { value: '', label: 'All rows' }

/** One bulk change or removal: how far it is, and what has become of each row. */
export function OperationPage() {
  const { operationId } = usePathParams('/recently-removed/$operationId')
  const first = useEndpoint(readOperation, { params: { operationId } })
  const { operation = first } = useProgress(operationId)
  const [query, change] = usePageSearch(search)
  const every = isWorking(operation) && 2_000
  const address = { params: { operationId }, query }
  const { page, isStale, error, retry } = useList(listOperationRows, address, { every })
  if (error) return <NotRead error={error} retry={retry} />
  const wasUndone = Object.keys(operation.undoCounts).length > 0
  return (
    <>
      <PageHead
        title={titleOf(operation)}
        lead={<Lead operation={operation} />}
        crumbs={<Link to={paths.recentlyRemoved()}>Recently removed</Link>}
        actions={<Actions operation={operation} />}
      />
      <FilterBar>
        <NativeChoice
          aria-label="Result"
          data={[all, ...Object.entries(operation.counts).map(([value, n]) => option(value, outcomes, n))]}
          value={query.outcome ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ outcome: readSearch(search, { outcome: value }).outcome })
          }
        />
        {wasUndone && (
          <NativeChoice
            aria-label="Undo"
            data={[
              { value: '', label: 'Undone or not' },
              ...Object.entries(operation.undoCounts).map(([value, n]) => option(value, undoOutcomes, n)),
            ]}
            value={query.undo ?? ''}
            onChange={({ currentTarget: { value } }) =>
              change({ undo: readSearch(search, { undo: value }).undo })
            }
          />
        )}
      </FilterBar>
      <DataTable
        name={titleOf(operation)}
        columns={wasUndone ? columns : columns.filter(({ key }) => key !== 'undo')}
        rows={page?.items}
        rowKey={({ position }) => String(position)}
        isStale={isStale}
        empty={<EmptyState title="No row has this result" />}
      />
      {page && <Pager {...page} onOffset={(offset) => change({ offset })} />}
    </>
  )
}

function option(value: string, words: Readonly<Record<string, { word: string }>>, count: number) {
  return { value, label: `${words[value]?.word ?? value} (${formatNumber(count)})` }
}

function Lead({ operation }: { operation: Operation }) {
  const { state, done, total, createdBy, createdAt, undoUntil, undoneBy } = operation
  const progress = isWorking(operation)
    ? `${formatNumber(done)} of ${formatNumber(total)}`
    : summaryOf(operation)
  const until = undoUntil && ` Can be undone until ${formatDateTime(undoUntil)}.`
  return (
    <span className={shapes.row}>
      <StatusBadge tone={states[state].tone}>{states[state].word}</StatusBadge>
      <span role="status">
        {progress} · {authorName(createdBy)}, {formatDateTime(createdAt)}
        {undoneBy && ` · undone by ${undoneBy}`}.{until}
      </span>
      {isWorking(operation) && <progress value={done} max={Math.max(total, 1)} aria-label="Progress" />}
    </span>
  )
}

function Actions({ operation }: { operation: Operation }) {
  const { id, state, undoUntil } = operation
  const cancel = useChange(cancelOperation, [readOperation])
  const [isBusy, run] = useBusy()
  const undo = () =>
    run(async () => {
      await takeBack(id)
      await refreshAll([readOperation])
    })
  if (state === 'queued' || state === 'running')
    return (
      <Button
        variant="default"
        loading={isBusy}
        onClick={() => void run(() => cancel.mutateAsync({ params: { operationId: id } }))}
      >
        Stop
      </Button>
    )
  if (undoUntil === null) return null
  return (
    <Button
      leftSection={<IconArrowBackUp size={16} aria-hidden />}
      loading={isBusy}
      onClick={() => void undo()}
    >
      Undo
    </Button>
  )
}
