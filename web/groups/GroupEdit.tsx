import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { readGroup, type Group } from '#contract/directory/groups.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { listMembers } from '#contract/directory/members.ts'
import { fetchFresh, prefetch, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '../layout/page.ts'
import { useVisit } from '../layout/useVisit.ts'
import { onDemand } from '../ui/browser/onDemand.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { Bone } from '../ui/feedback/Skeletons.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { organizationCrumbs } from '../organizations/crumbs.tsx'
import { EditGroupForm } from './GroupForms.tsx'
import { useMayRule } from './GroupFields.tsx'
import { Members, memberQuery, memberSearch } from './Members.tsx'
import { RemoveGroup } from './RemoveGroup.tsx'
import { useRemoval } from '#web/lists/useRemoval.ts'

const History = onDemand(async () => (await import('./History.tsx')).History)

const tabs = { members: 'Members', details: 'Details', history: 'History' } as const
type Tab = keyof typeof tabs
const tabSearch = z.object({ tab: z.catch(z.enum(['members', 'details', 'history']), 'members') })
/** A link counts as the present one only with the same search; by default less of it is enough. */
const exactly = { exact: true, includeSearch: true }

export function load({ params, search }: LoadInput<'/organizations/$orgId/groups/$groupId/edit'>) {
  const { orgId, groupId } = params
  const query = memberQuery(readSearch(memberSearch, search))
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    fetchFresh(readGroup, { params: { orgId, groupId } }),
    prefetch(listMembers, { params: { orgId, groupId }, query }),
  ])
}

export function GroupEdit() {
  const { orgId, groupId } = usePathParams('/organizations/$orgId/groups/$groupId/edit')
  return <Editor key={groupId} orgId={orgId} groupId={groupId} />
}

function Editor({ orgId, groupId }: { orgId: string; groupId: string }) {
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const group = useGroup(orgId, groupId)
  useVisit({
    kind: 'group',
    title: group.name,
    detail: organization.name,
    picture: null,
    path: paths.groupEdit(orgId, groupId),
  })
  const [{ tab }] = usePageSearch(tabSearch)
  const navigate = useNavigate()
  const removal = useRemoval<Group>()
  const leave = () =>
    void navigate({ to: paths.organizationDashboard(orgId), search: { tab: 'groups' }, replace: true })
  return (
    <>
      <PageHead
        title={group.name}
        lead={`A group in ${organization.name}.`}
        crumbs={organizationCrumbs(organization, 'groups')}
        more={
          <Button
            variant="default"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={(event) => removal.ask(group, event)}
          >
            Remove group
          </Button>
        }
      />
      <GroupTabs present={tab} isRule={group.kind === 'rule'} />
      {tab === 'members' && <Members orgId={orgId} group={group} />}
      {tab === 'details' && (
        <EditGroupForm
          group={group}
          isGone={removal.isGone}
          onSaved={() => navigate({ to: paths.organizationDashboard(orgId), search: { tab: 'groups' } })}
        />
      )}
      {tab === 'history' && (
        <Suspense fallback={<Bone height={320} />}>
          <History orgId={orgId} groupId={groupId} />
        </Suspense>
      )}
      <RemoveGroup removal={removal} onRemoved={leave} />
    </>
  )
}

/** Read again while the members of a large group are being worked out. */
function useGroup(orgId: string, groupId: string): Group {
  return useEndpoint(
    readGroup,
    { params: { orgId, groupId } },
    { every: ({ isSettling }) => isSettling && 2_000 },
  )
}

function GroupTabs({ present, isRule }: { present: Tab; isRule: boolean }) {
  const mayRule = useMayRule()
  return (
    <Tabs label="Group">
      {(['members', 'details', 'history'] as const).map((tab) => (
        <Link
          key={tab}
          to="."
          search={tab === 'members' ? {} : { tab }}
          activeOptions={exactly}
          aria-current={present === tab ? 'page' : undefined}
          resetScroll={false}
        >
          {tab === 'details' && isRule && mayRule ? 'Rule and details' : tabs[tab]}
        </Link>
      ))}
    </Tabs>
  )
}
