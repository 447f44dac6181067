import { Button } from '@mantine/core'
import { IconPencil, IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { listGroups } from '#contract/groups.ts'
import { readOrganization, readOrganizationDashboard } from '#contract/organizations.ts'
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
import './organizations.css'
import { SignOutAll } from './SignOutAll.tsx'
import { UserList, userQuery, userSearch } from './UserList.tsx'
import { organizationStates } from './states.ts'

export const search = z.object({ tab: z.catch(z.enum(['users', 'groups']), 'users') })

export function load({ params, search: given }: LoadInput) {
  const address = { params: { orgId: params['orgId'] ?? '' } }
  const list =
    readSearch(search, given).tab === 'groups'
      ? prefetch(listGroups, { ...address, query: groupQuery(readSearch(groupSearch, given)) })
      : prefetch(listUsers, { ...address, query: userQuery(readSearch(userSearch, given)) })
  return Promise.all([
    prefetch(readOrganization, address),
    prefetch(readOrganizationDashboard, address),
    list,
  ])
}

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
        <Link
          to="."
          search={{}}
          activeOptions={exactly}
          aria-current={tab === 'users' ? 'page' : undefined}
          resetScroll={false}
        >
          Users
        </Link>
        <Link
          to="."
          search={{ tab: 'groups' }}
          activeOptions={exactly}
          aria-current={tab === 'groups' ? 'page' : undefined}
          resetScroll={false}
        >
          Groups
        </Link>
      </nav>
      {tab === 'users' ? <UserList key={orgId} orgId={orgId} /> : <GroupList key={orgId} orgId={orgId} />}
    </>
  )
}

function Actions({ orgId, name, tab }: { orgId: string; name: string; tab: 'users' | 'groups' }) {
  const { role } = useUser()
  const isGroups = tab === 'groups' || role === 'groupadmin'
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
      <Button
        component={Link}
        to={isGroups ? paths.groupCreate(orgId) : paths.userCreate(orgId)}
        data-create
        leftSection={<IconPlus size={16} aria-hidden />}
      >
        {isGroups ? 'Create group' : 'Add user'}
      </Button>
    </>
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
