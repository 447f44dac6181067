import { BegunHere } from '#web/lists/operations/Operations.tsx'
import { RowMenu, type RowAct } from '#web/ui/table/RowMenu.tsx'
import { Button, MultiSelect } from '@mantine/core'
import { IconClipboardText, IconCrown, IconCrownOff, IconUserMinus, IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useEffect, useState, type ReactNode } from 'react'
import * as z from 'zod/mini'
import { removeGroupUser, type Group, addGroupUsers } from '#contract/directory/groups.ts'
import { listMembers, memberKinds, type Member, setGroupadmin } from '#contract/directory/members.ts'
import { refreshAll, useChange, useList } from '../api/query.ts'
import { readSearch, usePageSearch } from '../layout/page.ts'
import { useUser } from '../session/useSession.ts'
import { ConfirmDialog } from '../ui/overlays/ConfirmDialog.tsx'
import { DataTable, type Column } from '../ui/table/DataTable.tsx'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { Notice } from '../ui/feedback/Notice.tsx'
import { dialogOnDemand, onDemand } from '../ui/browser/onDemand.tsx'
import { Pager } from '../ui/table/Pager.tsx'
import { StatusBadge } from '../ui/figures/StatusBadge.tsx'
import { nothingSelected } from '../ui/table/selection.ts'
import { useUniform } from '#web/lists/uniform.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { useSelection } from '../ui/table/useSelection.ts'
import { RelativeTime } from '../ui/Time.tsx'
import { emailColumn, nameColumn, stateColumn } from '../organizations/columns.tsx'
import { memberEndpoints } from './endpoints.ts'
import { useRemoval } from '#web/lists/useRemoval.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { attempt } from '#web/api/attempt.ts'
import { readUser, updateUser, listUsers, type User } from '#contract/directory/users.ts'
import { toast } from '../ui/feedback/toasts.ts'
import { useDebouncedValue } from '@mantine/hooks'
import '../ui/fields/fields.ts'
import classes from './UserPicker.module.css'
import { tip } from '#web/ui/overlays/tips.ts'

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
  uniformWord: ({ groupadmin, byRule }) =>
    groupadmin ? 'all administer it' : byRule ? 'all by the rule' : '',
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
  const { columns, uniform } = useUniform({ ...list, of: group.id, columns: columnsIn(orgId), counted })
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
          {...{ uniform, updatedAt }}
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

type GroupadminProps = { orgId: string; group: Group; member: Member; onClose: () => void }

/** Lets a member administer the group, or not any more. */
function Groupadmin({ orgId, group, member, onClose }: GroupadminProps) {
  const mark = useChange(setGroupadmin, memberEndpoints)
  const update = useChange(updateUser, [...memberEndpoints, readUser])
  const { id, name, email, groupadmin, role } = member
  const needsRole = !groupadmin && role === null
  const confirm = () =>
    attempt(async () => {
      if (needsRole)
        await update.mutateAsync({ params: { orgId, userId: id }, body: { name, email, role: 'groupadmin' } })
      const params = { orgId, groupId: group.id, userId: id }
      await mark.mutateAsync({ params, body: { groupadmin: !groupadmin } })
      toast.success(
        groupadmin
          ? `${name} no longer administers ${group.name}.`
          : `${name} administers ${group.name} now.`,
      )
    })
  return (
    <ConfirmDialog
      isOpen
      title={groupadmin ? `Take ${group.name} from ${name}?` : `Let ${name} administer ${group.name}?`}
      confirmLabel={
        groupadmin
          ? 'Take it'
          : needsRole
            ? 'Invite and make group administrator'
            : 'Make group administrator'
      }
      isDangerous={groupadmin}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        {groupadmin
          ? `${name} no longer sees the people of this group${group.kind === 'rule' ? ', and leaves it unless the rule says otherwise' : ', but stays a member'}.`
          : `${name} will see the people of this group, add others and take them out.`}
      </p>
      {needsRole && (
        <p>
          They only receive videos so far. {email} gets an invitation to sign in here as group administrator.
        </p>
      )}
    </ConfirmDialog>
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

type Option = Pick<User, 'id' | 'name' | 'email'> & { isMember: boolean }

/** `children`: other ways to add people, beside the button. */
type UserPickerProps = { orgId: string; group: Group; children: ReactNode }

/** Finds people by name or email on the server and puts those chosen into the group. */
function UserPicker({ orgId, group, children }: UserPickerProps) {
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 200)
  const [chosen, setChosen] = useState<Option[]>([])
  const add = useChange(addGroupUsers, memberEndpoints)
  const { page, isStale } = useList(listUsers, { params: { orgId }, query: { q, limit: 25 } })
  // Enter must never choose somebody whom an earlier text has found.
  const isLate = isStale || text.trim() !== q
  const found = (page?.items ?? []).map(({ id, name, email, groups }) => ({
    id,
    name,
    email,
    isMember: groups.some((one) => one.id === group.id),
  }))
  const people = new Map([...found, ...chosen].map((person) => [person.id, person]))
  const submit = async () => {
    const body = { userIds: chosen.map(({ id }) => id), organizationId: orgId, groupId: group.id }
    await attempt(async () => {
      const { added } = await add.mutateAsync({ params: { orgId, groupId: group.id }, body })
      toast.success(`${plural(added, 'person was', 'people were')} added to ${group.name}.`)
      setChosen([])
      setText('')
    })
  }
  return (
    <div className={`${shapes.row} ${classes.picker}`} data-screen-only>
      <MultiSelect
        label="Add people"
        placeholder={chosen.length === 0 ? 'Search by name or email' : ''}
        data={Array.from(people.values(), ({ id, name, isMember }) => ({
          value: id,
          label: name,
          disabled: isMember,
        }))}
        value={chosen.map(({ id }) => id)}
        onChange={(ids) => setChosen(ids.flatMap((id) => people.get(id) ?? []))}
        searchable
        searchValue={text}
        onSearchChange={setText}
        filter={({ options }) => (isLate ? [] : options)}
        hidePickedOptions
        maxDropdownHeight={280}
        renderOption={({ option }) => <Person person={people.get(option.value)} />}
        nothingFoundMessage={isLate ? 'Searching…' : q === '' ? 'Nobody to add' : 'Nobody matches'}
      />
      <Button
        variant={chosen.length === 0 ? 'default' : 'filled'}
        loading={add.isPending}
        aria-disabled={chosen.length === 0}
        {...tip(chosen.length === 0 ? 'Choose people first' : undefined)}
        onClick={() => (chosen.length > 0 ? void submit() : toast.info('Choose people first.'))}
      >
        {chosen.length === 0 ? 'Add to the group' : `Add ${plural(chosen.length, 'person', 'people')}`}
      </Button>
      {children}
    </div>
  )
}

function Person({ person }: { person: Option | undefined }) {
  if (!person) return null
  return (
    <span>
      {person.name}
      <br />
      <small>{person.isMember ? 'Is in the group already' : person.email}</small>
    </span>
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
