import { Button } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, type ReactNode } from 'react'
import * as z from 'zod/mini'
import { listCertificates } from '#contract/evidence/certificates.ts'
import { listEvidence, type EvidenceVideo } from '#contract/evidence/evidence.ts'
import { listFields } from '#contract/directory/fields.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { listPersonHistory, personEventKinds, readPersonAccess } from '#contract/person/person.ts'
import { adminRoles, everyRole, type Role } from '#contract/roles.ts'
import { readUser, type User } from '#contract/directory/users.ts'
import { prefetch, queryOf, useEndpoint, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { comingBack } from '#web/layout/back.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { roleNames } from '#web/session/roleNames.ts'
import { useUser } from '#web/session/useSession.ts'
import { useVisit } from '#web/layout/useVisit.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { dash, formatReached } from '#web/ui/format.ts'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { PageFrame, type FrameProps } from '#web/ui/PageFrame.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Bone, RowBones } from '#web/ui/feedback/Skeletons.tsx'
import { usePhone } from '#web/ui/browser/usePhone.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { Tabs } from '#web/ui/Tabs.tsx'
import { Certificates } from '../evidence/certificates/Certificates.tsx'
import { organizationCrumbs, organizationsCrumb } from '../organizations/crumbs.tsx'
import { zoneText } from '#contract/platform/text/time-zones.ts'
import { languageName } from '../organizations/LanguageField.tsx'
import { userStates } from '../organizations/states.ts'
import { Access } from './Access.tsx'
import { History, historyQuery } from './History.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { Strip } from '#web/ui/figures/Strip.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { KeptTime } from '#web/ui/fields/KeptTime.tsx'
import { Standing } from '#web/ui/figures/Standing.tsx'
import { evidenceLabels } from '#web/evidence/labels.ts'
import { whole } from '#web/ui/overlays/tips.ts'

const Assignments = onDemand(async () => (await import('./Assignments.tsx')).Assignments)
const Missed = onDemand(async () => (await import('./Missed.tsx')).Missed)
const PersonData = onDemand(async () => (await import('./PersonData.tsx')).PersonData)

const tabs = ['videos', 'assignments', 'history', 'certificates', 'access', 'data'] as const

export const personSearch = z.object({
  tab: z.catch(z.enum(tabs), 'videos'),
  kind: z.catch(z.optional(z.enum(personEventKinds)), undefined),
  /** Somebody has come to send what was missed. */
  missed: z.catch(z.optional(z.boolean()), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})
type Search = z.output<typeof personSearch>

type Shown = { orgId: string; user: User; search: Search; change: (patch: Partial<Search>) => void }

const list = ({ orgId, user, search: { offset }, change }: Shown) => {
  return { orgId, user, offset, onOffset: (to: number) => change({ offset: to }) }
}

type Tab = {
  label: string
  roles: readonly Role[]
  /** Fetches what its first drawing needs. */
  load: (at: { params: { orgId: string; userId: string } }, search: Search) => Promise<unknown>
  draw: (shown: Shown) => ReactNode
}

type Props = { orgId: string; user: User; offset: number; onOffset: (offset: number) => void }

const columnsFor = (orgId: string, userId: string): readonly Column<EvidenceVideo>[] => [
  {
    key: 'video',
    header: 'Video',
    isName: true,
    cell: ({ video: { id, title, exists } }) => (
      <Link to={paths.evidence(orgId, userId, id)} {...whole}>
        {title}
        {!exists && ' (removed)'}
      </Link>
    ),
  },
  {
    key: 'watched',
    header: 'Parts seen',
    phone: 'line',
    width: '104px',
    cell: ({ coverage, durationMs }) =>
      coverage.length > 0 && <Strip watched={coverage} durationMs={durationMs} />,
  },
  {
    key: 'share',
    header: 'Seen',
    align: 'end',
    width: '76px',
    cell: ({ share, coverage }) => coverage.length > 0 && formatReached(share),
  },
  {
    key: 'progress',
    header: 'State',
    phone: 'end',
    width: '160px',
    cell: ({ standing, completedAt }) =>
      standing && <Standing standing={standing} completedAt={completedAt} />,
  },
  {
    key: 'completed',
    header: 'Completed',
    width: '184px',
    dimmed: true,
    from: 'lg',
    cell: ({ completedAt }) => completedAt && <KeptTime iso={completedAt} />,
  },
  {
    key: 'state',
    header: 'Evidence',
    width: '144px',
    cell: ({ state }) => {
      if (state === null) return null
      const { word, tone, means } = evidenceLabels[state]
      return (
        <StatusBadge tone={tone} title={means}>
          {word}
        </StatusBadge>
      )
    },
  },
  {
    key: 'last',
    header: 'Last watched',
    width: '124px',
    dimmed: true,
    from: 'lg',
    cell: ({ lastAt }) => lastAt && <KeptTime iso={lastAt} />,
  },
]

/** The videos that somebody was sent or has watched; each leads to its evidence. */
function Videos({ orgId, user, offset, onOffset }: Props) {
  const address = { params: { orgId, userId: user.id }, query: { offset } }
  const { page, isStale, error, retry } = useList(listEvidence, address)
  if (error) return <NotRead error={error} retry={retry} />
  return (
    <section aria-label="Videos">
      <DataTable
        name={`Videos of ${user.name}`}
        columns={columnsFor(orgId, user.id)}
        rows={page?.items}
        rowKey={({ video }) => video.id}
        isStale={isStale}
        empty={
          <EmptyState title={`${user.name} has got no video yet`}>
            Send a video to {user.name}; which seconds they watched of it then stands here, and how that is
            known.
          </EmptyState>
        }
      />
      {page && <Pager {...page} offset={offset} onOffset={onOffset} />}
    </section>
  )
}

const drawings: Record<(typeof tabs)[number], Tab> = {
  videos: {
    label: 'Videos',
    roles: everyRole,
    load: ({ params }, { offset }) => prefetch(listEvidence, { params, query: { offset } }),
    draw: (shown) => <Videos {...list(shown)} />,
  },
  assignments: {
    label: 'Duties',
    roles: adminRoles,
    // Fetched with its part, as below.
    load: (at) => prefetch(listEvidence, { ...at, query: { offset: 0 } }),
    draw: ({ orgId, user }) => (
      <Suspense fallback={<Bone height={320} />}>
        <Assignments orgId={orgId} user={user} />
      </Suspense>
    ),
  },
  history: {
    label: 'History',
    roles: everyRole,
    load: (at, search) => prefetch(listPersonHistory, { ...at, query: historyQuery(search) }),
    draw: (shown) => <History {...shown} />,
  },
  certificates: {
    label: 'Certificates',
    roles: everyRole,
    load: (at, { offset }) => prefetch(listCertificates, { ...at, query: { offset } }),
    draw: (shown) => <Certificates {...list(shown)} />,
  },
  access: {
    label: 'What they see and receive',
    roles: everyRole,
    load: (at) => prefetch(readPersonAccess, at),
    draw: ({ orgId, user }) => <Access orgId={orgId} user={user} />,
  },
  data: {
    label: 'Their data',
    roles: adminRoles,
    // Fetched with its part; whose role does not have it sees the videos.
    load: (at) => prefetch(listEvidence, { ...at, query: { offset: 0 } }),
    draw: ({ orgId, user }) => (
      <Suspense fallback={<Bone height={320} />}>
        <PersonData orgId={orgId} user={user} />
      </Suspense>
    ),
  },
}

export function load({ params, search: given }: LoadInput<'/organizations/$orgId/users/$userId'>) {
  const { orgId, userId } = params
  const at = { params: { orgId, userId } }
  const search = readSearch(personSearch, given)
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    prefetch(readUser, at),
    drawings[search.tab].load(at, search),
  ])
}

/** A link counts as the present one only with the same search; by default less of it is enough. */
const exactly = { exact: true, includeSearch: true }

/** The tabs that this reader has. */
function PersonTabs({ shown }: { shown: string }) {
  const { role } = useUser()
  return (
    <Tabs label="About this person">
      {tabs
        .filter((tab) => drawings[tab].roles.includes(role))
        .map((tab) => (
          <Link
            key={tab}
            to="."
            search={tab === 'videos' ? {} : { tab }}
            activeOptions={exactly}
            aria-current={shown === tab ? 'page' : undefined}
            resetScroll={false}
          >
            {drawings[tab].label}
          </Link>
        ))}
    </Tabs>
  )
}

/** While they are not there: the card about them, their tabs, and the rows of one. */
export function Frame({ lost }: FrameProps) {
  const [{ tab }] = usePageSearch(personSearch)
  const isPhone = usePhone()
  return (
    <PageFrame
      name="Person"
      hasLead
      crumbs={organizationsCrumb()}
      hasMark
      hasAction
      lost={lost}
      bones={
        <>
          <div className={shapes.stack}>
            {/* As high as two lines of facts, and as five of a phone. */}
            <Bone height={isPhone ? 162 : 90} />
            <PersonTabs shown={tab} />
          </div>
          <RowBones />
        </>
      }
    >
      {lost !== undefined && <PersonTabs shown={tab} />}
    </PageFrame>
  )
}

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
  const { role } = useUser()
  const mayEdit = adminRoles.includes(role)
  const shown = drawings[search.tab].roles.includes(role) ? search.tab : 'videos'
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
              state={comingBack}
              leftSection={<IconPencil size={16} aria-hidden />}
            >
              Edit
            </Button>
          )
        }
      />
      {mayEdit && (
        <Suspense>
          <Missed
            {...{ orgId, user }}
            isBarTold={shown === 'access'}
            isOpen={search.missed === true}
            onOpen={(isOpen) => change({ missed: isOpen || undefined })}
          />
        </Suspense>
      )}
      <div className={shapes.stack}>
        <About user={user} orgId={orgId} />
        <PersonTabs shown={shown} />
      </div>
      {drawings[shown].draw({ orgId, user, search, change })}
    </>
  )
}

function About({ user, orgId }: { user: User; orgId: string }) {
  const { word, tone, means } = userStates[user.state]
  const hasFields = Object.keys(user.customFields).length > 0
  const { data: fields } = useQuery({ ...queryOf(listFields, { params: { orgId } }), enabled: hasFields })
  return (
    <section className={`${shapes.card} ${shapes.pad}`} aria-label="Details">
      <Facts
        isLine
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
          ...(user.manager ? [{ label: 'Manager', value: user.manager }] : []),
          ...(user.externalId ? [{ label: 'External ID', value: user.externalId }] : []),
          ...(user.language ? [{ label: 'Language', value: languageName(user.language) }] : []),
          ...(user.timeZone ? [{ label: 'Time zone', value: zoneText(user.timeZone) }] : []),
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
    <ul className={shapes.row}>
      {groups.map(({ id, name, groupadmin }) => (
        <li key={id}>
          <Link to={paths.groupEdit(orgId, id)}>{name}</Link>
          {groupadmin && <small> administers it</small>}
        </li>
      ))}
    </ul>
  )
}
