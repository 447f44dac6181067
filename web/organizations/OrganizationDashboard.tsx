import { Button } from '@mantine/core'
import { IconPencil, IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { listGroups } from '#contract/groups.ts'
import { readOrganization, readOrganizationDashboard } from '#contract/organizations.ts'
import { listInvitations } from '#contract/invitations.ts'
import { listUsers } from '#contract/users.ts'
import { prefetch, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { readSearch, usePageSearch, usePathParam, type LoadInput } from '../shell/page.ts'
import { useUser } from '../shell/useSession.ts'
import { formatNumber, plural } from '../ui/format.ts'
import { Figure } from '../ui/Figure.tsx'
import { ViewingFigures, ViewingPlot } from '../ui/KeyFigures.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { GroupList, groupQuery, groupSearch } from './GroupList.tsx'
import { InvitationList, invitationQuery, invitationSearch } from './invitations/InvitationList.tsx'
import './organizations.css'
import { SignOutAll } from './SignOutAll.tsx'
import { userQuery, userSearch } from './filters/userSearch.ts'
import { UserList } from './UserList.tsx'
import { organizationStates } from './states.ts'

const tabs = ['users', 'groups', 'invitations'] as const
type Tab = (typeof tabs)[number]

export const search = z.object({ tab: z.catch(z.enum(tabs), 'users') })

const loadList: Record<Tab, (orgId: string, given: unknown) => Promise<unknown>> = {
  users: (orgId, given) =>
    prefetch(listUsers, { params: { orgId }, query: userQuery(readSearch(userSearch, given)) }),
  groups: (orgId, given) =>
    prefetch(listGroups, { params: { orgId }, query: groupQuery(readSearch(groupSearch, given)) }),
  invitations: (orgId, given) =>
    prefetch(listInvitations, { query: invitationQuery(orgId, readSearch(invitationSearch, given)) }),
}

export function load({ params, search: given }: LoadInput) {
  const address = { params: { orgId: params['orgId'] ?? '' } }
  return Promise.all([
    prefetch(readOrganization, address),
    prefetch(readOrganizationDashboard, address),
    loadList[readSearch(search, given).tab](params['orgId'] ?? '', given),
  ])
}

const tabNames: Record<Tab, string> = { users: 'Users', groups: 'Groups', invitations: 'Invitations' }

/** A link counts as the present one only with the same search; by default less of it is enough. */
const exactly = { exact: true, includeSearch: true }

export function OrganizationDashboard() {
  const orgId = usePathParam('orgId')
  const [{ tab }] = usePageSearch(search)
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const state = organizationStates[organization.state]
  return (
    <>
      <PageHead
        title={organization.name}
        lead={
          organization.state === 'active'
            ? [organization.domain, organization.timeZone].filter(Boolean).join(' · ')
            : `${state.word}. ${state.means}`
        }
        crumbs={<Link to={paths.organizations()}>Organizations</Link>}
        actions={<Actions orgId={orgId} name={organization.name} tab={tab} />}
      />
      <Overview orgId={orgId} />
      <nav className="org-tabs" aria-label="Users and groups">
        {tabs.map((one) => (
          <Link
            key={one}
            to="."
            search={one === 'users' ? {} : { tab: one }}
            activeOptions={exactly}
            aria-current={tab === one ? 'page' : undefined}
            resetScroll={false}
          >
            {tabNames[one]}
          </Link>
        ))}
      </nav>
      {tab === 'users' && <UserList key={orgId} orgId={orgId} />}
      {tab === 'groups' && <GroupList key={orgId} orgId={orgId} />}
      {tab === 'invitations' && <InvitationList key={orgId} orgId={orgId} />}
    </>
  )
}

function Actions({ orgId, name, tab }: { orgId: string; name: string; tab: Tab }) {
  const { role } = useUser()
  return (
    <>
      {role !== 'groupadmin' && <SignOutAll orgId={orgId} name={name} />}
      {role === 'superadmin' && (
        <Button
          variant="default"
          component={Link}
          to={paths.organizationEdit(orgId)}
          leftSection={<IconPencil size={16} aria-hidden />}
        >
          Edit organization
        </Button>
      )}
      <Create orgId={orgId} tab={tab} />
    </>
  )
}

/** What the list in sight can get more of. */
function Create({ orgId, tab }: { orgId: string; tab: Tab }) {
  const { role } = useUser()
  const [to, label] =
    tab === 'invitations'
      ? [paths.organizationInvite(orgId), 'Invite people']
      : tab === 'groups' || role === 'groupadmin'
        ? [paths.groupCreate(orgId), 'Create group']
        : [paths.userCreate(orgId), 'Add user']
  return (
    <Button component={Link} to={to} data-create leftSection={<IconPlus size={16} aria-hidden />}>
      {label}
    </Button>
  )
}

/** Figures are there once there is something to count; before, the lists and their next step come first. */
function Overview({ orgId }: { orgId: string }) {
  const numbers = useEndpoint(readOrganizationDashboard, { params: { orgId } })
  if (numbers.transmissions === 0 && numbers.watchedMs === 0) return null
  return (
    <div className="org-overview">
      <ViewingFigures
        numbers={numbers}
        before={
          <Figure
            label="Messages sent"
            value={formatNumber(numbers.recipients)}
            hint={`${plural(numbers.transmissions, 'transmission')}, ${plural(numbers.videos, 'video')}`}
          />
        }
      />
      <ViewingPlot days={numbers.days} />
    </div>
  )
}
