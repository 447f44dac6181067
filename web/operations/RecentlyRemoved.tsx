import { Button } from '@mantine/core'
import { IconArrowBackUp, IconHistory } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import * as z from 'zod/mini'
import { attentionOf } from '#contract/attention.ts'
import { listOperations, operationAbouts, undoDays, type Operation } from '#contract/operations.ts'
import { explain } from '../api/errors.ts'
import { prefetch, refreshAll, useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { takeBack } from '../shell/operations/takeBack.ts'
import { isWorking, titleOf } from '../shell/operations/titles.ts'
import { states, summaryOf } from '../shell/operations/words.ts'
import { listParts, pageQuery, useListLook } from '../shell/list/search.ts'
import { ViewsMenu } from '../shell/list/ViewsMenu.tsx'
import { readSearch, usePageSearch, type LoadInput } from '../shell/page.ts'
import { useUser } from '../shell/useSession.ts'
import { DataTable, type Column } from '../ui/DataTable.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { plural } from '../ui/format.ts'
import { NativeChoice } from '../ui/NativeChoice.tsx'
import { OnlyThese } from '../ui/OnlyThese.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { Pager } from '../ui/Pager.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { onDemand } from '../ui/onDemand.tsx'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { useSelection } from '#web/ui/table/useSelection.ts'
import { TableView } from '#web/ui/table/TableView.tsx'
import { RelativeTime, Updated } from '../ui/Time.tsx'
import { onlyWords } from '../words/only.ts'
import './operations.css'

const undoButton = (operation: Operation) => <UndoButton operation={operation} />

const shows = ['undoable', 'all'] as const

export const search = z.object({
  ...listParts,
  about: z.catch(z.optional(z.enum(operationAbouts)), undefined),
  show: z.catch(z.enum(shows), 'undoable'),
  /** What a dashboard led to, in one organization or in all. */
  attention: z.catch(z.optional(z.enum(attentionOf.operations)), undefined),
  organization: z.catch(z.optional(z.uuid()), undefined),
})

function filterFrom({ about, show, attention, organization }: z.output<typeof search>) {
  return { about, show, attention, organizationId: organization }
}

function queryFrom(given: z.output<typeof search>) {
  const { before: _none, ...position } = pageQuery(given)
  return { ...filterFrom(given), ...position }
}

const OperationBulk = onDemand(async () => (await import('./OperationBulk.tsx')).OperationBulk)

export function load({ search: given }: LoadInput) {
  return prefetch(listOperations, { query: queryFrom(readSearch(search, given)) })
}

const everything = { about: undefined, attention: undefined, organization: undefined }

const empty = (
  <EmptyState title="Nothing to undo" icon={<IconHistory size={24} />}>
    What is removed, changed in bulk or imported stands here for {undoDays} days and can be brought back.
  </EmptyState>
)

const abouts = { removed: 'Removed', changed: 'Changed in bulk', imported: 'Imported' }

function daysLeft(iso: string): number {
  return Math.max(1, Math.ceil((Date.parse(iso) - Date.now()) / 86_400_000))
}

const columns: readonly Column<Operation>[] = [
  {
    key: 'what',
    header: 'What',
    isName: true,
    cell: (operation) => (
      <Link to={paths.operation(operation.id)} title={titleOf(operation)}>
        {titleOf(operation)}
      </Link>
    ),
  },
  {
    key: 'state',
    header: 'State',
    width: '112px',
    cell: ({ state }) => <StatusBadge tone={states[state].tone}>{states[state].word}</StatusBadge>,
  },
  {
    key: 'result',
    header: 'Result',
    width: '184px',
    from: 'lg',
    dimmed: true,
    cell: (operation) => summaryOf(operation),
  },
  { key: 'who', header: 'By', width: '136px', from: 'md', cell: ({ createdBy }) => createdBy.name },
  {
    key: 'when',
    header: 'When',
    width: '112px',
    dimmed: true,
    cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
  },
  {
    key: 'left',
    header: 'Undo within',
    width: '104px',
    cell: ({ undoUntil }) => undoUntil && plural(daysLeft(undoUntil), 'day'),
  },
]

const where: Column<Operation> = {
  key: 'where',
  header: 'Organization',
  width: '136px',
  from: 'lg',
  dimmed: true,
  cell: ({ organizationName }) => organizationName,
}

const columnsOfAll = columns.toSpliced(3, 0, where)

/** Everything that can still be taken back, and on wish what cannot any more. */
export function RecentlyRemoved() {
  const [query, change] = usePageSearch(search)
  const { role, organizationId } = useUser()
  const isSuperadmin = role === 'superadmin'
  const { page, isStale, error, retry, updatedAt } = useList(
    listOperations,
    { query: queryFrom(query) },
    { every: 5_000 },
  )
  const shown = isSuperadmin ? columnsOfAll : columns
  const { look, view, pager } = useListLook('removed', shown, [query, change])
  const filter = filterFrom(query)
  const [selection, onSelect] = useSelection(filter)
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  const isFiltered = query.about !== undefined || query.attention !== undefined
  const nothingFound = (
    <EmptyState
      title="Nothing of this kind"
      action={
        <Button variant="default" onClick={() => change(everything)}>
          Show all
        </Button>
      }
    />
  )
  return (
    <>
      <PageHead
        title="Recently removed"
        crumbs={<Link to={paths.settings()}>Settings</Link>}
        lead={`What was removed, changed in bulk or imported can be undone for ${undoDays} days.`}
      />
      <FilterBar>
        <NativeChoice
          aria-label="What"
          data={[
            { value: '', label: 'All changes' },
            ...operationAbouts.map((value) => ({ value, label: abouts[value] })),
          ]}
          value={query.about ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ about: readSearch(search, { about: value }).about })
          }
        />
        <NativeChoice
          aria-label="Which"
          data={[
            { value: 'undoable', label: 'Can be undone' },
            { value: 'all', label: 'Everything of the last 90 days' },
          ]}
          value={query.show}
          onChange={({ currentTarget: { value } }) =>
            change({ show: readSearch(search, { show: value }).show })
          }
        />
        <div className="ui-filters-end">
          <Updated at={updatedAt} />
          <ViewsMenu list="removed" orgId={organizationId ?? undefined} drawn={view} />
          <TableView {...view} />
        </div>
      </FilterBar>
      {query.attention && <OnlyThese says={onlyWords[query.attention]} onAll={() => change(everything)} />}
      <DataTable
        look={look}
        name="Recently removed"
        columns={shown}
        rows={page?.items}
        rowKey={({ id }) => id}
        isStale={isStale}
        empty={isFiltered ? nothingFound : empty}
        actions={undoButton}
        actionsWidth="124px"
        selecting={{ selection, onSelect, nameOf: titleOf }}
      />
      {page && <Pager {...page} {...pager} />}
      {page && selection !== nothingSelected && (
        <Suspense>
          <OperationBulk {...page} {...{ filter, selection, onSelect }} />
        </Suspense>
      )}
    </>
  )
}

function UndoButton({ operation }: { operation: Operation }) {
  const [isBusy, setBusy] = useState(false)
  if (operation.undoUntil === null || isWorking(operation)) return null
  const undo = async () => {
    setBusy(true)
    await takeBack(operation.id)
    await refreshAll([listOperations])
    setBusy(false)
  }
  return (
    <Button
      variant="default"
      size="compact-md"
      leftSection={<IconArrowBackUp size={16} aria-hidden />}
      loading={isBusy}
      aria-label={`Undo: ${titleOf(operation)}`}
      onClick={() => void undo()}
    >
      Undo
    </Button>
  )
}
