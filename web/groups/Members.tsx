import { BegunHere } from '#web/lists/operations/Operations.tsx'
import { RowMenu, type RowAct } from '#web/ui/table/RowMenu.tsx'
import { Button } from '@mantine/core'
import { IconClipboardText, IconCrown, IconCrownOff, IconUserMinus, IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { removeGroupUser, type Group } from '#contract/directory/groups.ts'
import { listMembers, memberKinds, type Member } from '#contract/directory/members.ts'
import { refreshAll, useChange, useList } from '../api/query.ts'
import { readSearch, usePageSearch } from '../layout/page.ts'
import { useUser } from '../session/useSession.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { DataTable, type Column } from '../ui/DataTable.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { Notice } from '../ui/Notice.tsx'
import { dialogOnDemand, onDemand } from '../ui/onDemand.tsx'
import { Pager } from '../ui/Pager.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { nothingSelected } from '../ui/table/selection.ts'
import { useTold } from '#web/lists/told.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { useSelection } from '../ui/table/useSelection.ts'
import { RelativeTime } from '../ui/Time.tsx'
import { emailColumn, nameColumn, stateColumn } from '../organizations/columns.tsx'
import { memberEndpoints } from './endpoints.ts'
import { Groupadmin } from './Groupadmin.tsx'
import { UserPicker } from './UserPicker.tsx'
import { useRemoval } from '#web/lists/useRemoval.ts'
import shapes from '#web/ui/shapes.module.css'

const sorts = ['name', '-name', 'email', '-email', 'since', '-since'] as const

export const memberSearch = z.object({
  q: z.catch(z.string(), ''),
  show: z.catch(z.enum(memberKinds), 'all'),
  sort: z.catch(z.enum(sorts), 'name'),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

export function memberQuery({ q, show, sort, offset }: z.output<typeof memberSearch>) {
  return { q, show, sort, offset }
}

const counted = (total: number) => plural(total, 'member')

const partColumn: Column<Member> = {
  key: 'part',
  header: 'In this group',
  width: '152px',
  told: ({ groupadmin, byRule }) => (groupadmin ? 'all administer it' : byRule ? 'all by the rule' : ''),
  cell: ({ groupadmin, byRule }) =>
    groupadmin ? <StatusBadge tone="info">Administers it</StatusBadge> : byRule ? 'By the rule' : 'Member',
}

const sinceColumn: Column<Member> = {
  key: 'since',
  header: 'Since',
  sort: 'since',
  width: '128px',
  from: 'lg',
  dimmed: true,
  cell: ({ since }) => <RelativeTime iso={since} />,
}

const columnsIn = (orgId: string): readonly Column<Member>[] => [
  nameColumn(orgId),
  emailColumn,
  partColumn,
  stateColumn,
  sinceColumn,
]

type Props = { orgId: string; group: Group }

/** Who is in a group; adding and removing takes effect at once. */
export function Members({ orgId, group }: Props) {
  const user = useUser()
  const isGroupadmin = user.role === 'groupadmin'
  const [state, change] = usePageSearch(memberSearch)
  const params = { orgId, groupId: group.id }
  const { isSettling } = group
  const list = useList(listMembers, { params, query: memberQuery(state) }, { every: isSettling && 2_000 })
  const { page, isStale, error, retry, updatedAt } = list
  const { columns, told } = useTold({ ...list, of: group.id, columns: columnsIn(orgId), counted })
  // Once more when all is worked out: the last reading may have come before.
  useEffect(() => (isSettling ? () => void refreshAll([listMembers]) : undefined), [isSettling])
  const removal = useRemoval<Member>()
  const [appointed, setAppointed] = useState<Member | null>(null)
  // Every member can be selected at once only where the list shows every member, and a rule's are its own.
  const isSelecting = group.kind === 'static' && state.show === 'all'
  const filter = { groupId: group.id, q: state.q }
  const [selection, onSelect] = useSelection({ orgId, ...filter })
  if (error) return <NotRead error={error} retry={retry} />
  const isFiltered = state.q !== '' || state.show !== 'all'
  const actsOf = (person: Member): readonly (RowAct | false)[] => [
    // Administrators administer every group.
    !isGroupadmin &&
      person.role !== 'admin' && {
        icon: person.groupadmin ? IconCrownOff : IconCrown,
        label: person.groupadmin ? 'No longer group administrator' : 'Make group administrator',
        onPress: () => setAppointed(person),
      },
    group.kind === 'static' &&
      !(isGroupadmin && person.id === user.id) && {
        icon: IconUserMinus,
        label: 'Take out of the group',
        isDangerous: true,
        onPress: (button) => removal.ask(person, { currentTarget: button }),
      },
  ]
  const actions = (person: Member) => <RowMenu name={person.name} acts={actsOf(person)} />
  return (
    <section aria-labelledby="members-title">
      <h2 id="members-title">Members ({formatNumber(group.memberCount)})</h2>
      <Coming orgId={orgId} group={group} />
      {(group.memberCount > 10 || isFiltered) && (
        <ListBar
          search={{ label: 'Search members', value: state.q, onSearch: (q) => change({ q }) }}
          filters={[
            choice({
              label: 'Which members',
              none: 'All members',
              options: showChoices.filter(([value]) => value !== 'byRule' || group.kind === 'rule'),
              value: state.show === 'all' ? '' : state.show,
              onChange: (show) => change({ show: show ?? 'all' }),
            }),
          ]}
          onClear={() => change({ q: '', show: 'all' })}
          found={isStale ? undefined : page}
          {...{ told, updatedAt }}
          table={{ table: 'members', columns }}
        />
      )}
      <DataTable
        id="members"
        name={`Members of ${group.name}`}
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={state.sort}
        onSort={(sort) => change({ sort: readSearch(memberSearch, { sort }).sort })}
        isStale={isStale}
        empty={isFiltered ? <EmptyState title="No member matches" /> : <Nobody group={group} />}
        {...(isGroupadmin && group.kind === 'rule' ? {} : { actions })}
        {...(isSelecting ? { selecting: { selection, onSelect, nameOf: ({ name }: Member) => name } } : {})}
      />
      {page && <Pager {...page} onOffset={(offset) => change({ offset })} />}
      {page && isSelecting && selection !== nothingSelected && (
        <Suspense>
          <UserBulk {...page} {...{ orgId, filter, group, selection, onSelect }} />
        </Suspense>
      )}
      <BegunHere />
      <TakeOut removal={removal} orgId={orgId} group={group} />
      {appointed && (
        <Groupadmin orgId={orgId} group={group} member={appointed} onClose={() => setAppointed(null)} />
      )}
    </section>
  )
}

const showChoices = [
  ['groupadmin', 'Group administrators'],
  ['byHand', 'Put in by hand'],
  ['byRule', 'By the rule'],
] as const

function Nobody({ group }: { group: Group }) {
  if (group.kind === 'rule')
    return (
      <EmptyState title="Nobody matches the rule" icon={<IconUsers size={24} />}>
        People come in as soon as what the rule asks about fits them.
      </EmptyState>
    )
  return (
    <EmptyState title="Nobody is in this group yet" icon={<IconUsers size={24} />}>
      Look for people above and add them, or paste a list of addresses.
    </EmptyState>
  )
}

const UserBulk = onDemand(async () => (await import('../organizations/bulk/UserBulk.tsx')).UserBulk)
const PasteMembers = dialogOnDemand(async () => (await import('./PasteMembers.tsx')).PasteMembers)

/** How people come into the group: by its rule, or by hand. */
function Coming({ orgId, group }: Props) {
  const isGroupadmin = useUser().role === 'groupadmin'
  const [isPasting, setPasting] = useState(false)
  if (group.kind === 'rule')
    return (
      <Notice
        tone="neutral"
        role="status"
        action={
          !isGroupadmin && (
            <Link to="." search={{ tab: 'details' }}>
              See the rule
            </Link>
          )
        }
      >
        {group.isSettling
          ? 'The rule is being worked out for everybody. This takes a few seconds.'
          : 'A rule says who is in this group. People come and leave by themselves.'}
      </Notice>
    )
  return (
    <>
      <p className={shapes.lead}>
        {isGroupadmin
          ? 'You can add people of all the groups that you administer. Takes effect at once.'
          : 'Adding and taking out takes effect at once.'}
      </p>
      <UserPicker orgId={orgId} group={group}>
        <Button
          variant="default"
          leftSection={<IconClipboardText size={16} aria-hidden />}
          onClick={() => setPasting(true)}
        >
          Paste a list
        </Button>
      </UserPicker>
      {isPasting && (
        <Suspense fallback={null}>
          <PasteMembers orgId={orgId} group={group} onClose={() => setPasting(false)} />
        </Suspense>
      )}
    </>
  )
}

type TakeOutProps = { removal: ReturnType<typeof useRemoval<Member>>; orgId: string; group: Group }

function TakeOut({ removal, orgId, group }: TakeOutProps) {
  const takeOut = useChange(removeGroupUser, memberEndpoints)
  const { row } = removal
  if (!row) return null
  const params = { orgId, groupId: group.id, userId: row.id }
  return (
    <ConfirmDialog
      isOpen
      title={`Take ${row.name} out of ${group.name}?`}
      confirmLabel="Take out"
      onConfirm={() =>
        removal.run(() => takeOut.mutateAsync({ params }), `${row.name} is no longer in ${group.name}.`)
      }
      onClose={removal.close}
    >
      They stay in the organization, and what they have watched stays too.
    </ConfirmDialog>
  )
}
