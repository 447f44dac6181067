import { Button } from '@mantine/core'
import { IconChecks, IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import {
  assignmentSorts,
  assignmentStates,
  listAssignments,
  type Assignment,
} from '#contract/assignments/assignments.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useList } from '#web/api/query.ts'
import { usePageSearch } from '#web/layout/page.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { all, useUniform } from '#web/lists/uniform.ts'
import { ChooseOrganization } from '#web/lists/ChooseOrganization.tsx'
import { OrganizationFilter } from '#web/lists/organizationFilter/OrganizationFilter.tsx'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/session/useSession.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { Poster } from '#web/ui/figures/Poster.tsx'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import share from '#web/ui/figures/ShareBar.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { tip } from '#web/ui/overlays/tips.ts'
import two from '#web/ui/look/twoLines.module.css'
import { assignmentLabels, dueText, drawnOf, owingOf } from '#web/duty/labels.ts'

const search = z.object({
  q: z.catch(z.string(), ''),
  state: z.catch(z.optional(z.enum(assignmentStates)), undefined),
  organization: z.catch(z.optional(z.uuid()), undefined),
  sort: z.catch(z.enum(assignmentSorts), '-createdAt'),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})
type Search = z.output<typeof search>

const create = (
  <Button
    renderRoot={(props) => <Link to={paths.assignmentCreate()} {...props} />}
    data-create
    leftSection={<IconPlus size={16} aria-hidden />}
  >
    Add an assignment
  </Button>
)

/** Lists what people owe, by when, and how far they are with it. */
export function AssignmentsPage() {
  const { organizationId } = useUser()
  const [state, change] = usePageSearch(search)
  const orgId = organizationId ?? state.organization
  return (
    <>
      <PageHead
        title="Assignments"
        lead="Who has to see what, by when. Reminders go only to whoever still owes it."
        actions={create}
      />
      {orgId ? (
        <Listed key={orgId} {...{ orgId, state, change }} isOpen={organizationId === null} />
      ) : (
        <ChooseOrganization why="Each organization assigns for itself." />
      )}
    </>
  )
}

const counted = (total: number) => plural(total, 'assignment')
const allColumns: readonly Column<Assignment>[] = [
  {
    key: 'name',
    header: 'Assignment',
    sort: 'name',
    isName: true,
    cell: ({ id, organizationId, name, state, video, waitsFor }) => (
      <span className={shapes.named}>
        <Poster src={video.poster} />
        <span className={two.lines}>
          <Link to={paths.assignment(organizationId, id)} {...tip(`${name} (video: ${video.title})`)}>
            {name}
          </Link>
          {state === 'active' && video.state !== 'ready' ? (
            <span>nothing is sent: video {video.state}</span>
          ) : (
            waitsFor && <span>after {waitsFor.name}</span>
          )}
        </span>
      </span>
    ),
  },
  {
    key: 'state',
    header: 'State',
    sort: 'state',
    phone: 'end',
    width: '112px',
    uniformWord: ({ state }) => all(assignmentLabels[state].word),
    cell: ({ state }) => (
      <StatusBadge tone={assignmentLabels[state].tone} title={assignmentLabels[state].means}>
        {assignmentLabels[state].word}
      </StatusBadge>
    ),
  },
  {
    key: 'people',
    header: 'Completed',
    phone: 'line',
    width: '184px',
    // Nobody owes a draft.
    cell: (one) =>
      one.state !== 'draft' && (
        <span className={share.progress}>
          <ShareBar parts={drawnOf(one)} total={one.people} />
          <span>
            {formatNumber(one.counts.done)} of {formatNumber(owingOf(one))}
          </span>
        </span>
      ),
  },
  {
    key: 'overdue',
    header: 'Late',
    align: 'end',
    width: '88px',
    from: 'md',
    cell: ({ state, counts }) => state !== 'draft' && formatNumber(counts.overdue),
  },
  { key: 'due', header: 'Due', width: '160px', from: 'lg', dimmed: true, cell: ({ due }) => dueText(due) },
  {
    key: 'created',
    header: 'Created',
    sort: 'createdAt',
    phone: 'end',
    width: '112px',
    from: 'lg',
    dimmed: true,
    cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
  },
]

type Listing = { orgId: string; state: Search; change: (patch: Partial<Search>) => void; isOpen: boolean }

function Listed({ orgId, state, change, isOpen }: Listing) {
  const { q, state: chosen, sort, offset } = state
  const list = useList(
    listAssignments,
    { params: { orgId }, query: { q: q || undefined, state: chosen, sort, offset } },
    { every: 5_000 },
  )
  const { page, isStale, error, retry, updatedAt } = list
  const { columns, uniform } = useUniform({ ...list, of: orgId, columns: allColumns, counted })
  if (error) return <NotRead error={error} retry={retry} />
  const isFiltered = q !== '' || chosen !== undefined
  const clear = () => change({ q: '', state: undefined, offset: 0 })
  return (
    <>
      <ListBar
        search={{
          label: 'Search assignments',
          value: q,
          onSearch: (words) => change({ q: words, offset: 0 }),
        }}
        filters={[
          choice({
            label: 'State',
            none: 'All states',
            options: assignmentStates.map((one) => [one, assignmentLabels[one].word] as const),
            value: chosen,
            onChange: (value) => change({ state: value, offset: 0 }),
          }),
        ]}
        onClear={clear}
        found={isStale ? undefined : page}
        {...{ uniform, updatedAt }}
        table={{ table: 'assignments', columns }}
      >
        {isOpen && (
          <OrganizationFilter
            value={orgId}
            onChange={(id) => change({ organization: id || undefined, offset: 0 })}
          />
        )}
      </ListBar>
      <DataTable
        id="assignments"
        name="Assignments"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        isStale={isStale}
        sort={sort}
        onSort={(wanted) => change({ sort: assignmentSorts.find((one) => one === wanted) ?? '-createdAt' })}
        empty={
          isFiltered ? (
            <EmptyState
              title="No assignment fits"
              action={
                <Button variant="default" onClick={clear}>
                  Show all assignments
                </Button>
              }
            />
          ) : (
            <EmptyState title="Nothing is assigned yet" icon={<IconChecks size={24} />} action={create}>
              An assignment asks people to watch a video by a day, reminds only those who still owe it, takes
              newcomers in, and asks again when it has expired.
            </EmptyState>
          )
        }
      />
      {page && <Pager {...page} offset={offset} onOffset={(at) => change({ offset: at })} />}
    </>
  )
}
