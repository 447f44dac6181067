import { Button } from '@mantine/core'
import { IconPlus, IconUsersGroup } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { alertsOf } from '#contract/platform/alerts.ts'
import { groupKinds, groupSorts, listGroups, type Group } from '#contract/directory/groups.ts'
import { prefetch, useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { listParts, pageQuery } from '../lists/search.ts'
import { readSearch, usePageSearch } from '../layout/page.ts'
import { toSide, useEditKey, useSide } from '../layout/side.ts'
import { type Column } from '../ui/table/DataTable.tsx'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { RelativeTime } from '../ui/Time.tsx'
import { RemoveGroup } from './RemoveGroup.tsx'
import { RowActions } from '../organizations/RowActions.tsx'
import { useRemoval } from '#web/lists/useRemoval.ts'
import { RecordList } from '#web/lists/RecordList.tsx'
import { choice } from '#web/lists/bar/filters.ts'
import { dialogOnDemand, onDemand } from '../ui/browser/onDemand.tsx'
import { tip, whole } from '#web/ui/overlays/tips.ts'

const groupSearch = z.object({
  ...listParts,
  sort: z.catch(z.enum(groupSorts), 'name'),
  kind: z.catch(z.optional(z.enum(groupKinds)), undefined),
  groupadmins: z.catch(z.optional(z.enum(['none', 'some'])), undefined),
  /** What a dashboard led to. */
  attention: z.catch(z.optional(z.enum(alertsOf.groups)), undefined),
})
type Search = z.output<typeof groupSearch>

function groupQuery(search: Search) {
  const { q, sort, kind, groupadmins, attention } = search
  return { q, sort, kind, groupadmins, attention, ...pageQuery(search) }
}

export const loadGroups = (orgId: string, given: unknown) =>
  prefetch(listGroups, { params: { orgId }, query: groupQuery(readSearch(groupSearch, given)) })

const kindOptions = [
  ['static', 'Filled by hand'],
  ['rule', 'Filled by a rule'],
] as const
const administeredOptions = [
  ['some', 'With a group administrator'],
  ['none', 'Without a group administrator'],
] as const
const allGroups = { q: '', kind: undefined, groupadmins: undefined, attention: undefined } as const

const columns: readonly Column<Group>[] = [
  {
    key: 'name',
    header: 'Name',
    sort: 'name',
    isName: true,
    cell: ({ id, organizationId, name }) => (
      <Link to={paths.groupEdit(organizationId, id)} {...whole}>
        {name}
      </Link>
    ),
  },
  {
    key: 'description',
    header: 'Description',
    phone: 'line',
    dimmed: true,
    from: 'md',
    uniformWord: ({ description }) => description ?? '',
    cell: ({ description }) => description,
  },
  {
    key: 'members',
    header: 'Members',
    phone: 'end',
    sort: 'members',
    align: 'end',
    width: '112px',
    cell: ({ id, organizationId, memberCount }) =>
      memberCount === 0 ? (
        '0'
      ) : (
        <Link
          to={paths.organizationDashboard(organizationId)}
          search={{ group: id }}
          {...tip('Show the members')}
        >
          {formatNumber(memberCount)}
        </Link>
      ),
  },
  {
    key: 'created',
    header: 'Created',
    sort: 'createdAt',
    width: '144px',
    dimmed: true,
    from: 'lg',
    cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
  },
]

/** Fetched by loaders while the pointer is on its way to a form. */
export const fetchGroupSide = () => import('./GroupSide.tsx')
const GroupBulk = onDemand(async () => (await import('../organizations/bulk/GroupBulk.tsx')).GroupBulk)
const GroupSide = dialogOnDemand(async () => (await fetchGroupSide()).GroupSide)

/** The groups of an organization, as far as the reader administers them. */
export function GroupList({ orgId }: { orgId: string }) {
  const [state, change] = usePageSearch(groupSearch)
  const found = useList(listGroups, { params: { orgId }, query: groupQuery(state) })
  const removal = useRemoval<Group>()
  const side = useSide()
  useEditKey()
  const { q, kind, groupadmins, attention } = state
  const filter = { q, kind, groupadmins, attention }
  const isNarrowed = Object.values(filter).some(Boolean)
  const actions = (group: Group) => (
    <RowActions
      name={group.name}
      edits={group.id}
      onRemove={(button) => removal.ask(group, { currentTarget: button })}
    />
  )
  return (
    <section aria-label="Groups">
      <RecordList
        list="groups"
        name="Groups"
        counted={(total) => plural(total, 'group')}
        {...{ orgId, columns, state, change, found, filter }}
        narrowed={
          isNarrowed
            ? {
                all: allGroups,
                nothing: q ? `No group has “${q}” in its name` : 'No group matches',
                showAll: 'Show all groups',
              }
            : null
        }
        empty={<NoGroup />}
        search="Search groups"
        filters={[
          choice({
            label: 'Kind',
            none: 'All kinds',
            options: kindOptions,
            value: kind,
            onChange: (value) => change({ kind: value }),
          }),
          choice({
            label: 'Group administrators',
            none: 'Administered or not',
            options: administeredOptions,
            value: groupadmins,
            onChange: (value) => change({ groupadmins: value }),
          }),
        ]}
        actions={actions}
        bulk={{ nameOf, renderBar: (chosen) => <GroupBulk {...chosen} {...{ orgId, filter }} /> }}
      />
      <RemoveGroup removal={removal} />
      {side.form && (
        <Suspense>
          <GroupSide orgId={orgId} form={side.form} onClose={side.close} />
        </Suspense>
      )}
    </section>
  )
}

const nameOf = ({ name }: Group) => name

function NoGroup() {
  return (
    <EmptyState
      title="No group yet"
      icon={<IconUsersGroup size={24} />}
      action={
        <Button
          renderRoot={(props) => <Link {...props} {...toSide('new')} />}
          leftSection={<IconPlus size={16} aria-hidden />}
        >
          Add a group
        </Button>
      }
    >
      Groups let you send to a team or a class at once, and let somebody look after it.
    </EmptyState>
  )
}
