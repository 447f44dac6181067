import { Button } from '@mantine/core'
import { IconLogout, IconPencil, IconPlus } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { readOrganization } from '#contract/directory/organizations.ts'
import { picturePath } from '#contract/directory/picture-limits.ts'
import { prefetch, soon, useAwaited } from '../../api/query.ts'
import { paths } from '../../paths.ts'
import { readSearch, usePathParams, type LoadInput } from '../../layout/page.ts'
import { sideOf, toSide } from '../../layout/side.ts'
import { useUser } from '../../session/useSession.ts'
import { useVisit } from '../../layout/useVisit.ts'
import { formatNumber } from '../../ui/format.ts'
import { dialogOnDemand, onDemand } from '../../ui/browser/onDemand.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import classes from './OrganizationDashboard.module.css'
import { organizationsCrumb } from '../../organizations/crumbs.tsx'
import { userSearch } from '../../people/filters/userSearch.ts'

const tabs = ['overview', 'users', 'groups', 'invitations'] as const
type Tab = (typeof tabs)[number]

export const search = z.object({ tab: z.catch(z.optional(z.enum(tabs)), undefined) })

function isAboutPeople(given: unknown): boolean {
  return (
    typeof given === 'object' && given !== null && Object.keys(given).some((name) => name in userSearch.shape)
  )
}

/** An address without a tab that asks for something of a list means the list of people; it may be kept somewhere. */
function tabOf(given: unknown): Tab {
  const { tab } = readSearch(search, given)
  return tab ?? (isAboutPeople(given) ? 'users' : 'overview')
}

/** Says in the address what it only implied: without its last filter it would mean the overview. */
function useTab(): Tab {
  const given: object = useSearch({ strict: false })
  const navigate = useNavigate()
  const tab = tabOf(given)
  const isImplied = tab === 'users' && !('tab' in given)
  useEffect(() => {
    if (isImplied)
      void navigate({ to: '.', search: { ...given, tab: 'users' }, replace: true, resetScroll: false })
  }, [isImplied, given, navigate])
  return tab
}

const SignOutAllDialog = dialogOnDemand(
  async () => (await import('../../people/SignOutAllDialog.tsx')).SignOutAllDialog,
)
const StateBanner = onDemand(
  async () => (await import('../../organizations/OrganizationState.tsx')).StateBanner,
)
/** What each tab consists of. The build reads these lines (build/pages.ts), so that the page names the files of its tab. */
const parts = {
  overview: () => import('./Overview.tsx'),
  users: () => import('../../people/UserList.tsx'),
  groups: () => import('../../groups/GroupList.tsx'),
  invitations: () => import('../../people/invitations/InvitationList.tsx'),
}
const Overview = onDemand(async () => (await parts.overview()).Overview)
const UserList = onDemand(async () => (await parts.users()).UserList)
const GroupList = onDemand(async () => (await parts.groups()).GroupList)
const InvitationList = onDemand(async () => (await parts.invitations()).InvitationList)

const lists = { overview: Overview, users: UserList, groups: GroupList, invitations: InvitationList }

/** What cannot be fetched says so in its own place. */
const ignored = () => undefined

const loadList: Record<Tab, (orgId: string, given: unknown) => Promise<unknown>> = {
  overview: (orgId) => parts.overview().then((part) => part.loadOverview(orgId), ignored),
  users: (orgId, given) => parts.users().then((part) => soon([part.loadPeople(orgId, given)]), ignored),
  groups: (orgId, given) => parts.groups().then((part) => soon([part.loadGroups(orgId, given)]), ignored),
  invitations: (orgId, given) =>
    parts.invitations().then((part) => soon([part.loadInvitations(orgId, given)]), ignored),
}

const fetchForm: Partial<Record<Tab, () => Promise<unknown>>> = {
  users: async () => (await parts.users()).fetchUserSide(),
  groups: async () => (await parts.groups()).fetchGroupSide(),
}

export function load({ params, search: given }: LoadInput<'/organizations/$orgId/dashboard'>) {
  const address = { params: { orgId: params.orgId } }
  const tab = tabOf(given)
  if (sideOf(given)) void fetchForm[tab]?.().catch(() => undefined)
  return Promise.all([
    soon([prefetch(readOrganization, address)]),
    lists[tab].fetch(),
    loadList[tab](params.orgId, given),
  ])
}

const tabNames: Record<Tab, string> = {
  overview: 'Overview',
  users: 'People',
  groups: 'Groups',
  invitations: 'Invitations',
}

/** A link counts as the present one only with the same search; by default less of it is enough. */
const exactly = { exact: true, includeSearch: true }

export function OrganizationDashboard() {
  const { orgId } = usePathParams('/organizations/$orgId/dashboard')
  const tab = useTab()
  const user = useUser()
  const { data: organization, isLost } = useAwaited(readOrganization, { params: { orgId } })
  const isOwn = user.organizationId === orgId
  const name = organization?.name ?? (isOwn ? user.organizationName : null)
  // A group administrator sees a part of them.
  const counts: Partial<Record<Tab, number | undefined>> =
    user.role === 'groupadmin' ? {} : { users: organization?.userCount, groups: organization?.groupCount }
  useVisit({
    kind: 'organization',
    title: organization?.name ?? '',
    detail: organization?.domain ?? '',
    picture: organization?.logo ?? null,
    path: paths.organizationDashboard(orgId),
  })
  const [isLeaving, setLeaving] = useState(false)
  const isAlone = tab === 'users' && organization?.userCount === 1 && isOwn && user.role !== 'groupadmin'
  return (
    <>
      <PageHead
        title={name ?? (isLost ? 'Organization' : null)}
        mark={
          organization?.logo && (
            <img data-logo className={classes.logo} src={picturePath(organization.logo)} alt="" height={32} />
          )
        }
        crumbs={user.organizationId === null && organizationsCrumb()}
        actions={<Create orgId={orgId} tab={tab} />}
        more={
          (user.role === 'superadmin' || isAlone) && (
            <More orgId={orgId} isAlone={isAlone} mayEdit={user.role === 'superadmin'} />
          )
        }
        seldom={
          user.role !== 'groupadmin' && (
            <Button
              variant="default"
              leftSection={<IconLogout size={16} aria-hidden />}
              onClick={() => setLeaving(true)}
            >
              Sign everyone out
            </Button>
          )
        }
      />
      {isLeaving && name !== null && (
        <Suspense>
          <SignOutAllDialog orgId={orgId} name={name} onClose={() => setLeaving(false)} />
        </Suspense>
      )}
      {organization && organization.state !== 'active' && (
        <Suspense>
          <StateBanner organization={organization} />
        </Suspense>
      )}
      <Tabs label="People and groups">
        {tabs.map((one) => (
          <Link
            key={one}
            to="."
            search={one === 'overview' ? {} : { tab: one }}
            activeOptions={exactly}
            aria-current={tab === one ? 'page' : undefined}
            resetScroll={false}
          >
            {tabNames[one]} {counts[one] !== undefined && <span>{formatNumber(counts[one])}</span>}
          </Link>
        ))}
      </Tabs>
      {tab === 'overview' && (
        <Suspense fallback={<Opening />}>
          <Overview key={orgId} orgId={orgId} about={organization} />
        </Suspense>
      )}
      <Suspense fallback={<Opening />}>
        {tab === 'users' && <UserList key={orgId} orgId={orgId} />}
        {tab === 'groups' && <GroupList key={orgId} orgId={orgId} />}
      </Suspense>
      {tab === 'invitations' && (
        <Suspense fallback={<Opening />}>
          <InvitationList key={orgId} orgId={orgId} />
        </Suspense>
      )}
    </>
  )
}

/** As high as the window, so that what stands below does not come up for a moment. */
const Opening = () => <div className={classes.opening} />

type MoreProps = {
  orgId: string
  /** Before a list in which the reader stands alone: it is not empty, and looks for people all the same. */
  isAlone: boolean
  mayEdit: boolean
}

function More({ orgId, isAlone, mayEdit }: MoreProps) {
  return (
    <>
      {isAlone && (
        <Button variant="default" component={Link} to={paths.userImport(orgId)}>
          Import people
        </Button>
      )}
      {mayEdit && (
        <Button
          variant="default"
          component={Link}
          to={paths.organizationEdit(orgId)}
          leftSection={<IconPencil size={16} aria-hidden />}
        >
          Edit organization
        </Button>
      )}
    </>
  )
}

/** What the list in sight can get more of: over the list itself, and from elsewhere on a page. */
function Create({ orgId, tab }: { orgId: string; tab: Tab }) {
  const { role } = useUser()
  const [link, label] =
    tab === 'invitations'
      ? [{ to: paths.organizationInvite(orgId) }, 'Invite people']
      : tab === 'groups'
        ? [toSide('new'), 'Add a group']
        : role === 'groupadmin'
          ? [{ to: paths.groupCreate(orgId) }, 'Add a group']
          : [tab === 'users' ? toSide('new') : { to: paths.userCreate(orgId) }, 'Add a person']
  return (
    <Button
      renderRoot={(props) => <Link {...props} {...link} />}
      data-create
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      {label}
    </Button>
  )
}
