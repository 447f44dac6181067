import { Button } from '@mantine/core'
import { IconArrowBackUp, IconHistory } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { alertsOf } from '#contract/platform/alerts.ts'
import { authorName } from '#contract/directory/members.ts'
import { capitalized } from '#contract/platform/text/text.ts'
import { listOperations, operationAbouts, undoDays, type Operation } from '#contract/operations.ts'
import { useBusy } from '../api/attempt.ts'
import { prefetch, refreshAll, soon, useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { takeBack } from '../lists/operations/undo.ts'
import { isWorking, titleOf } from '../lists/operations/titles.ts'
import { states, summaryOf } from '../lists/operations/labels.ts'
import { listParts, pageQuery } from '../lists/search.ts'
import { readSearch, usePageSearch, type LoadInput } from '../layout/page.ts'
import { useUser } from '../session/useSession.ts'
import { type Column } from '../ui/table/DataTable.tsx'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'
import { plural } from '../ui/format.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { StatusBadge } from '../ui/figures/StatusBadge.tsx'
import { onDemand } from '../ui/browser/onDemand.tsx'
import { RelativeTime } from '../ui/Time.tsx'
import { RecordList } from '#web/lists/RecordList.tsx'
import { all } from '#web/lists/uniform.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { whole } from '#web/ui/overlays/tips.ts'

const undoButton = (operation: Operation) => <UndoButton operation={operation} />

const shows = ['undoable', 'all'] as const

export const search = z.object({
  ...listParts,
  about: z.catch(z.optional(z.enum(operationAbouts)), undefined),
  show: z.catch(z.enum(shows), 'undoable'),
  /** What a dashboard led to, in one organization or in all. */
  attention: z.catch(z.optional(z.enum(alertsOf.operations)), undefined),
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
  return soon([prefetch(listOperations, { query: queryFrom(readSearch(search, given)) })])
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
      <Link to={paths.operation(operation.id)} {...whole}>
        {titleOf(operation)}
      </Link>
    ),
  },
  {
    key: 'state',
    header: 'State',
    phone: 'end',
    width: '112px',
    uniformWord: ({ state }) => all(states[state].word),
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
  {
    key: 'who',
    header: 'By',
    phone: 'line',
    width: '136px',
    from: 'md',
    cell: ({ createdBy }) => capitalized(authorName(createdBy)),
  },
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
    phone: 'end',
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

const aboutOptions = operationAbouts.map((value) => [value, abouts[value]] as const)

/** Everything that can still be taken back, and on wish what cannot any more. */
export function RecentlyRemoved() {
  const [state, change] = usePageSearch(search)
  const { role, organizationId } = useUser()
  const found = useList(listOperations, { query: queryFrom(state) }, { every: 5_000 })
  const filter = filterFrom(state)
  return (
    <>
      <PageHead
        title="Recently removed"
        crumbs={<Link to={paths.settings()}>Settings</Link>}
        lead={`What was removed, changed in bulk or imported can be undone for ${undoDays} days.`}
      />
      <RecordList
        list="removed"
        name="Recently removed"
        counted={(total) => plural(total, 'change')}
        orgId={organizationId ?? undefined}
        columns={role === 'superadmin' ? columnsOfAll : columns}
        {...{ change, found, filter, empty }}
        state={state}
        narrowed={
          state.about || state.attention
            ? { all: everything, nothing: 'Nothing of this kind', showAll: 'Show all' }
            : null
        }
        filters={[
          choice({
            label: 'What',
            none: 'All changes',
            options: aboutOptions,
            value: state.about,
            onChange: (about) => change({ about }),
          }),
          choice({
            label: 'Which',
            none: 'Can be undone',
            options: [['all', 'Everything of the last 90 days']],
            value: state.show === 'all' ? 'all' : '',
            onChange: (show) => change({ show: show ?? 'undoable' }),
          }),
        ]}
        actions={undoButton}
        actionsWidth="124px"
        bulk={{ nameOf: titleOf, renderBar: (chosen) => <OperationBulk {...chosen} filter={filter} /> }}
      />
    </>
  )
}

function UndoButton({ operation }: { operation: Operation }) {
  const [isBusy, run] = useBusy()
  if (operation.undoUntil === null || isWorking(operation)) return null
  const undo = () =>
    run(async () => {
      await takeBack(operation.id)
      await refreshAll([listOperations])
    })
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
