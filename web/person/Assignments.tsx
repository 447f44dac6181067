import { IconBellRinging, IconHistory } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import {
  listObligations,
  listOwedBy,
  readAssignment,
  remindObligation,
  type Obligation,
} from '#contract/assignments/assignments.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import type { User } from '#contract/directory/users.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { attempt } from '#web/api/attempt.ts'
import { useChange, useEndpoint, useList } from '#web/api/query.ts'
import { obligationLabels, owingStates } from '#web/duty/labels.ts'
import { paths } from '#web/paths.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { RowMenu } from '#web/ui/table/RowMenu.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { KeptTime } from '#web/ui/fields/KeptTime.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { whole } from '#web/ui/overlays/tips.ts'

const History = dialogOnDemand(async () => (await import('#web/assignments/History.tsx')).History)

const columnsIn = (orgId: string, timeZone: string): readonly Column<Obligation>[] => [
  {
    key: 'asked',
    header: 'Asked for by',
    isName: true,
    cell: ({ assignment }) => (
      <Link to={paths.assignment(orgId, assignment.id)} {...whole}>
        {assignment.name}
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
  { key: 'video', header: 'Video', phone: 'line', cell: ({ video }) => video.title },
  {
    key: 'since',
    header: 'Since',
    width: '128px',
    dimmed: true,
    isExtra: true,
    cell: ({ since }) => <RelativeTime iso={since} />,
  },
  {
    key: 'due',
    header: 'Due',
    width: '152px',
    from: 'md',
    cell: ({ dueAt }) => dueAt && dueText(dueAt, timeZone),
  },
  {
    key: 'done',
    header: 'Completed',
    width: '128px',
    dimmed: true,
    from: 'md',
    cell: ({ doneAt }) => doneAt && <KeptTime iso={doneAt} />,
  },
]

/** Everything that this person owes and has owed, the newest first. */
export function Assignments({ orgId, user }: { orgId: string; user: User }) {
  const { timeZone } = useEndpoint(readOrganization, { params: { orgId } })
  const [looked, setLooked] = useState<Obligation | null>(null)
  const remind = useChange(remindObligation, [listOwedBy, listObligations, readAssignment])
  const { page, error, retry } = useList(
    listOwedBy,
    { params: { orgId, userId: user.id } },
    { every: 10_000 },
  )
  if (error) return <NotRead error={error} retry={retry} />
  const remindOf = (one: Obligation) =>
    attempt(
      () => remind.mutateAsync({ params: { orgId, assignmentId: one.assignment.id, userId: user.id } }),
      `A reminder to ${user.name} is on its way.`,
    )
  const mayRemind = (one: Obligation) => one.assignment.state === 'active' && owingStates.has(one.state)
  const actions = (one: Obligation) => (
    <RowMenu
      name={one.assignment.name}
      acts={[
        mayRemind(one) && {
          icon: IconBellRinging,
          label: 'Remind',
          onPress: () => void remindOf(one),
        },
        { icon: IconHistory, label: 'History', onPress: () => setLooked(one) },
      ]}
      direct={
        mayRemind(one) && {
          label: 'Remind',
          name: `Remind ${user.name} of ${one.assignment.name}`,
          onPress: () => void remindOf(one),
        }
      }
    />
  )
  return (
    <>
      <DataTable
        id="owed"
        name={`What ${user.name} owes`}
        columns={columnsIn(orgId, timeZone)}
        rows={page?.items}
        rowKey={({ id }) => id}
        isStale={false}
        actions={actions}
        empty={<EmptyState title="Nothing is asked of this person" />}
      />
      <Suspense>
        {looked && (
          <History orgId={orgId} obligation={looked} timeZone={timeZone} onClose={() => setLooked(null)} />
        )}
      </Suspense>
    </>
  )
}
