import { Button } from '@mantine/core'
import { IconBellRinging, IconHistory, IconUserCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import {
  listObligations,
  obligationSorts,
  obligationStates,
  readAssignment,
  remindObligation,
  type Assignment,
  type Obligation,
  type ObligationState,
} from '#contract/assignments/assignments.ts'
import type { FileFormat } from '#contract/platform/file-formats.ts'
import { lackWords, unsentWords } from '#contract/duty/obligation-labels.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { attempt } from '#web/api/attempt.ts'
import { fetchFile } from '#web/api/client.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useChange, useList } from '#web/api/query.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { useUniform } from '#web/lists/uniform.ts'
import { paths } from '#web/paths.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { formatDay, formatRuntime, plural } from '#web/ui/format.ts'
import { dialogOnDemand, onDemand } from '#web/ui/browser/onDemand.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { RowMenu } from '#web/ui/table/RowMenu.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { useSelection } from '#web/ui/table/useSelection.ts'
import { KeptTime } from '#web/ui/fields/KeptTime.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { whole } from '#web/ui/overlays/tips.ts'
import type { Chosen } from './PeopleSelected.tsx'
import { decisionsFor, obligationLabels, owingStates, unsentMeanings } from '#web/duty/labels.ts'

const Decide = dialogOnDemand(async () => (await import('./Decide.tsx')).Decide)
const History = dialogOnDemand(async () => (await import('./History.tsx')).History)
const PeopleSelected = onDemand(async () => (await import('./PeopleSelected.tsx')).PeopleSelected)

export type Query = {
  q: string
  state?: ObligationState | undefined
  sort: (typeof obligationSorts)[number]
  offset: number
}
type Props = { assignment: Assignment; query: Query; onChange: (patch: Partial<Query>) => void }

const counted = (total: number) => plural(total, 'person', 'people')
const columnsIn = ({ organizationId, timeZone }: Assignment): readonly Column<Obligation>[] => [
  {
    key: 'name',
    header: 'Person',
    sort: 'name',
    isName: true,
    cell: ({ user }) => (
      <Link to={paths.person(organizationId, user.id)} {...whole}>
        {user.name || user.email}
      </Link>
    ),
  },
  {
    key: 'state',
    header: 'State',
    phone: 'end',
    width: '116px',
    cell: ({ state, reason }) => {
      const { word, tone, icon, means } = obligationLabels[state]
      return (
        <StatusBadge tone={tone} icon={icon} title={reason ?? means}>
          {word}
        </StatusBadge>
      )
    },
  },
  {
    key: 'missing',
    header: 'Missing',
    align: 'end',
    width: '112px',
    from: 'md',
    cell: ({ missingMs, lacks, state }) => {
      if (state === 'waived') return ''
      if (lacks !== null && lacks !== 'viewing')
        return <span title={lackWords[lacks].means}>{lackWords[lacks].word}</span>
      return missingMs === null ? '' : formatRuntime(missingMs)
    },
  },
  {
    key: 'due',
    header: 'Due',
    sort: 'dueAt',
    phone: 'line',
    width: '168px',
    cell: ({ dueAt, doneAt }) => {
      // Below “Due” a time alone would be read as its day.
      if (doneAt)
        return (
          <>
            completed <KeptTime iso={doneAt} />
          </>
        )
      return dueAt ? dueText(dueAt, timeZone) : ''
    },
  },
  {
    key: 'last',
    header: 'Last message',
    width: '128px',
    dimmed: true,
    from: 'lg',
    uniformWord: ({ id, lastMessageAt, unsent }) => (lastMessageAt || unsent ? id : ''),
    cell: ({ lastMessageAt, unsent }) => {
      if (unsent) return <span title={unsentMeanings[unsent]}>{unsentWords[unsent]}</span>
      return lastMessageAt && <RelativeTime iso={lastMessageAt} />
    },
  },
  {
    key: 'next',
    header: 'Next message',
    width: '136px',
    dimmed: true,
    from: 'lg',
    uniformWord: ({ id, nextMessageOn }) => (nextMessageOn ? id : ''),
    cell: ({ nextMessageOn }) => nextMessageOn && formatDay(nextMessageOn),
  },
]

/** Lists the people of an assignment, each with where they stand and what can be done. */
export function People({ assignment, query, onChange }: Props) {
  const { id: assignmentId, organizationId: orgId } = assignment
  const [decided, setDecided] = useState<Obligation | null>(null)
  /** A reminder is just being sent to these people. */
  const [reminded, setReminded] = useState<readonly string[]>([])
  const [looked, setLooked] = useState<Obligation | null>(null)
  const { q, state, sort, offset } = query
  const filter = { q: q || undefined, state }
  const [selection, onSelect] = useSelection(filter)
  const list = useList(
    listObligations,
    { params: { orgId, assignmentId }, query: { ...filter, sort, offset } },
    { every: 5_000 },
  )
  const remind = useChange(remindObligation, [listObligations, readAssignment])
  const mayRemind = ({ state: stands }: Obligation) =>
    assignment.state === 'active' && owingStates.has(stands)
  const remindOne = async ({ id, user }: Obligation) => {
    setReminded((before) => [...before, id])
    await attempt(
      () => remind.mutateAsync({ params: { orgId, assignmentId, userId: user.id } }),
      `A reminder to ${user.name} is on its way.`,
    )
    setReminded((before) => before.filter((one) => one !== id))
  }
  const { page, isStale, error, retry, updatedAt } = list
  const { columns, uniform } = useUniform({
    ...list,
    of: assignmentId,
    columns: columnsIn(assignment),
    counted,
  })
  if (error) return <NotRead error={error} retry={retry} />
  // The description of the file comes with the press of its button.
  const files = (chosen: Chosen) => [
    {
      name: 'assignment',
      read: async (format: FileFormat) =>
        fetchFile((await import('#contract/duty/obligations.ts')).exportObligations, {
          params: { orgId, assignmentId },
          body: { ...chosen, sort, format },
        }),
    },
  ]
  const clear = () => onChange({ q: '', state: undefined, offset: 0 })
  const isFiltered = q !== '' || state !== undefined
  const actions = (one: Obligation) => (
    <RowMenu
      name={one.user.name || one.user.email}
      acts={[
        mayRemind(one) && {
          icon: IconBellRinging,
          label: 'Remind',
          onPress: () => void remindOne(one),
        },
        decisionsFor(one).length > 0 && {
          icon: IconUserCheck,
          label: one.state === 'ended' ? 'Oblige again' : 'Excuse or give more time',
          onPress: () => setDecided(one),
        },
        { icon: IconHistory, label: 'History', onPress: () => setLooked(one) },
      ]}
      isBusy={reminded.includes(one.id)}
      direct={
        mayRemind(one) && {
          label: 'Remind',
          name: `Remind ${one.user.name}`,
          onPress: () => void remindOne(one),
        }
      }
    />
  )
  return (
    <section className={shapes.stack} aria-labelledby="people">
      <h2 id="people">People</h2>
      <ListBar
        search={{
          label: 'Search by name or email',
          value: q,
          onSearch: (words) => onChange({ q: words, offset: 0 }),
        }}
        filters={[
          choice({
            label: 'State',
            none: 'All states',
            options: obligationStates.map(
              (one) => [one, obligationLabels[one].word, assignment.counts[one]] as const,
            ),
            value: state,
            onChange: (value) => onChange({ state: value, offset: 0 }),
          }),
        ]}
        onClear={clear}
        found={isStale ? undefined : page}
        table={{ table: 'obligations', columns }}
        files={files({ filter })}
        {...{ uniform, updatedAt }}
      />
      <DataTable
        id="obligations"
        name="People and where they stand"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        isStale={isStale}
        sort={sort}
        onSort={(wanted) => onChange({ sort: obligationSorts.find((one) => one === wanted) ?? 'name' })}
        selecting={{ selection, onSelect, nameOf: ({ user }) => user.name || user.email }}
        actions={actions}
        empty={
          isFiltered ? (
            <EmptyState
              title="Nobody fits"
              action={
                <Button variant="default" onClick={clear}>
                  Show everybody
                </Button>
              }
            />
          ) : (
            <Unobliged assignment={assignment} />
          )
        }
      />
      {page && <Pager {...page} offset={offset} onOffset={(at) => onChange({ offset: at })} />}
      <Suspense>
        {page && selection !== nothingSelected && (
          <PeopleSelected
            {...{ assignment, filter, files, selection, onSelect }}
            total={page.total}
            totalIsMinimum={page.totalIsMinimum}
          />
        )}
        {looked && (
          <History
            orgId={orgId}
            obligation={looked}
            timeZone={assignment.timeZone}
            onClose={() => setLooked(null)}
          />
        )}
        {decided && <Decide orgId={orgId} obligation={decided} onClose={() => setDecided(null)} />}
      </Suspense>
    </section>
  )
}

/** Says why nobody owes it. */
function Unobliged({
  assignment: { state, waitsFor, isPlanned, transmission },
}: {
  assignment: Pick<Assignment, 'state' | 'waitsFor' | 'isPlanned' | 'transmission'>
}) {
  if (state === 'draft')
    return (
      <EmptyState title="Nobody is obliged yet">
        Start it, and everybody whom it is meant for owes it from then on.
      </EmptyState>
    )
  if (transmission && state === 'active')
    return (
      <EmptyState title="Its message has not left yet">
        Its recipients stand here as soon as they are listed.
      </EmptyState>
    )
  if (!isPlanned && state === 'active')
    return <EmptyState title="Its people are being looked up">They stand here in a moment.</EmptyState>
  if (waitsFor === null) return <EmptyState title="It is meant for nobody" />
  return (
    <EmptyState title="Nobody has started yet">
      Everybody whom it is meant for owes it once they have completed “{waitsFor.name}”.
    </EmptyState>
  )
}
