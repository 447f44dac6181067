import { Button } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { listCertificates } from '#contract/certificates.ts'
import { listEvidence } from '#contract/evidence.ts'
import { listFields } from '#contract/fields.ts'
import { readOrganization } from '#contract/organizations.ts'
import { listPersonHistory, personEventKinds, readPersonAccess } from '#contract/person.ts'
import { adminRoles } from '#contract/roles.ts'
import { readUser, type User } from '#contract/users.ts'
import { prefetch, queryOf, useEndpoint } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { roleNames } from '#web/session/roleNames.ts'
import { useUser } from '#web/session/useSession.ts'
import { useVisit } from '#web/layout/useVisit.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { Facts } from '#web/ui/Field.tsx'
import { dash } from '#web/ui/format.ts'
import { onDemand } from '#web/ui/onDemand.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Bone } from '#web/ui/Skeletons.tsx'
import { StatusBadge } from '#web/ui/StatusBadge.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { Tabs } from '#web/ui/Tabs.tsx'
import { Certificates } from '../evidence/certificates/Certificates.tsx'
import { organizationCrumbs } from '../organizations/crumbs.tsx'
import '../organizations/organizations.css'
import { userStates } from '../organizations/states.ts'
import { Access } from './Access.tsx'
import { History, historyQuery } from './History.tsx'
import './person.css'
import { Videos } from './Videos.tsx'

const tabs = ['history', 'videos', 'certificates', 'access', 'data'] as const
const tabNames = {
  history: 'History',
  videos: 'Videos',
  certificates: 'Certificates',
  access: 'Why they see and receive',
  data: 'Their data',
} as const

const PersonData = onDemand(async () => (await import('./PersonData.tsx')).PersonData)

export const personSearch = z.object({
  tab: z.catch(z.enum(tabs), 'history'),
  kind: z.catch(z.optional(z.enum(personEventKinds)), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

export function load({ params, search: given }: LoadInput<'/organizations/$orgId/users/$userId'>) {
  const { orgId, userId } = params
  const at = { params: { orgId, userId } }
  const search = readSearch(personSearch, given)
  const opened = {
    history: () => prefetch(listPersonHistory, { ...at, query: historyQuery(search) }),
    videos: () => prefetch(listEvidence, { ...at, query: { offset: search.offset } }),
    certificates: () => prefetch(listCertificates, { ...at, query: { offset: search.offset } }),
    access: () => prefetch(readPersonAccess, at),
    // Fetched with its part, which groupadmins do not get.
    data: () => prefetch(listPersonHistory, { ...at, query: historyQuery({ offset: 0 }) }),
  }
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    prefetch(readUser, at),
    opened[search.tab](),
  ])
}

/** A link counts as the present one only with the same search; by default less of it is enough. */
const exactly = { exact: true, includeSearch: true }

/** What is known about one person, for everybody who may see them. */
export function PersonPage() {
  const { orgId, userId } = usePathParams('/organizations/$orgId/users/$userId')
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const user = useEndpoint(readUser, { params: { orgId, userId } })
  useVisit({
    kind: 'user',
    title: user.name,
    detail: user.email,
    picture: user.avatar,
    path: paths.person(orgId, userId),
  })
  const [search, change] = usePageSearch(personSearch)
  const mayEdit = adminRoles.includes(useUser().role)
  const shown = tabs.filter((tab) => tab !== 'data' || mayEdit)
  return (
    <>
      <PageHead
        title={user.name}
        mark={<Avatar name={user.name} picture={user.avatar} size={48} />}
        lead={user.email}
        crumbs={organizationCrumbs(organization)}
        actions={
          mayEdit && (
            <Button
              component={Link}
              to={paths.userEdit(orgId, userId)}
              leftSection={<IconPencil size={16} aria-hidden />}
            >
              Edit
            </Button>
          )
        }
      />
      <div className="person">
        <About user={user} orgId={orgId} />
        <div className="person-main">
          <Tabs label="About this person">
            {shown.map((tab) => (
              <Link
                key={tab}
                to="."
                search={tab === 'history' ? {} : { tab }}
                activeOptions={exactly}
                aria-current={search.tab === tab ? 'page' : undefined}
                resetScroll={false}
              >
                {tabNames[tab]}
              </Link>
            ))}
          </Tabs>
          {(search.tab === 'history' || !shown.includes(search.tab)) && (
            <History orgId={orgId} user={user} search={search} change={change} />
          )}
          {search.tab === 'data' && mayEdit && (
            <Suspense fallback={<Bone height={320} />}>
              <PersonData orgId={orgId} user={user} />
            </Suspense>
          )}
          {search.tab === 'videos' && (
            <Videos
              orgId={orgId}
              user={user}
              offset={search.offset}
              onOffset={(offset) => change({ offset })}
            />
          )}
          {search.tab === 'certificates' && (
            <Certificates
              orgId={orgId}
              user={user}
              offset={search.offset}
              onOffset={(offset) => change({ offset })}
            />
          )}
          {search.tab === 'access' && <Access orgId={orgId} user={user} />}
        </div>
      </div>
    </>
  )
}

function About({ user, orgId }: { user: User; orgId: string }) {
  const { word, tone, means } = userStates[user.state]
  const hasFields = Object.keys(user.customFields).length > 0
  const { data: fields } = useQuery({ ...queryOf(listFields, { params: { orgId } }), enabled: hasFields })
  return (
    <section className="ui-card ui-card-pad person-about" aria-label="Details">
      <Facts
        facts={[
          { label: 'Role', value: user.role ? roleNames[user.role] : 'No role' },
          {
            label: 'State',
            value: (
              <StatusBadge tone={tone} title={means}>
                {word}
              </StatusBadge>
            ),
          },
          { label: 'Groups', value: <Groups user={user} orgId={orgId} /> },
          ...(user.phone ? [{ label: 'Phone', value: user.phone }] : []),
          ...(user.externalId ? [{ label: 'External ID', value: user.externalId }] : []),
          ...(fields?.items ?? []).flatMap(({ key, label }) => {
            const value = user.customFields[key]
            return value ? [{ label, value }] : []
          }),
          {
            label: 'Last in console',
            value: user.lastSeenAt ? <RelativeTime iso={user.lastSeenAt} /> : 'Never',
          },
          { label: 'Added', value: <DateTime iso={user.createdAt} /> },
        ]}
      />
    </section>
  )
}

function Groups({ user: { groups }, orgId }: { user: User; orgId: string }) {
  if (groups.length === 0) return dash
  return (
    <ul className="person-groups">
      {groups.map(({ id, name, groupadmin }) => (
        <li key={id}>
          <Link to={paths.groupEdit(orgId, id)}>{name}</Link>
          {groupadmin && <small> administers it</small>}
        </li>
      ))}
    </ul>
  )
}
