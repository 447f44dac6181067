import { Button } from '@mantine/core'
import { IconMessage, IconPlus, IconPrinter, IconRefresh, IconUser, IconUsers } from '@tabler/icons-react'
import { IconButton, IconLink } from '#web/ui/IconButton.tsx'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { SessionUser } from '#contract/identity/auth.ts'
import { readDashboard } from '#contract/directory/organizations.ts'
import { queryClient, queryOf, useEndpoint } from '../../api/query.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/useSession.ts'
import { plural } from '../../ui/format.ts'
import { PageHead } from '../../ui/PageHead.tsx'
import { toast } from '../../ui/feedback/toasts.ts'
import shapes from '#web/ui/look/shapes.module.css'

const home = (
  <Link key="home" to={paths.dashboard()}>
    Home
  </Link>
)

export function LayoutHead({ title, group }: { title: string; group: string }) {
  return <PageHead title={title} crumbs={[home, <span key="group">{group}</span>]} />
}

function greeting(): string {
  const hour = new Date().getHours()
  return hour < 12 ? 'Good morning' : hour < 18 ? 'Good afternoon' : 'Good evening'
}

/** What this person may create: an organization, a user or a group of their own. */
function creation({ role, organizationId }: SessionUser): { kind: string; to: string } {
  if (role === 'superadmin') return { kind: 'organization', to: paths.organizationCreate() }
  if (organizationId === null) return { kind: 'user', to: paths.organizations() }
  return role === 'admin'
    ? { kind: 'user', to: paths.userCreate(organizationId) }
    : { kind: 'group', to: paths.groupCreate(organizationId) }
}

/** A greeting, the way here, and two ways on. */
export function SubItemsHead({ title }: { title: string }) {
  const user = useUser()
  const { kind, to } = creation(user)
  return (
    <PageHead
      title={title}
      lead={`${greeting()}, ${user.name}.`}
      crumbs={[home, <span key="group">Topbar</span>]}
      here="Sub Items"
      actions={
        <>
          <IconLink
            icon={IconUser}
            label="Your profile"
            size={36}
            isBordered
            way={{ to: paths.settings() }}
          />
          <Button
            component={Link}
            to={to}
            aria-label={`Add New ${kind}`}
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            Add New
          </Button>
        </>
      }
    />
  )
}

async function refresh(): Promise<void> {
  try {
    await queryClient.fetchQuery({ ...queryOf(readDashboard, {}), staleTime: 0 })
    toast.success('The figures are up to date')
  } catch {
    toast.failure('The figures could not be read. Please try again.')
  }
}

/** A greeting, counts, and tools for the page: those given, reading again, and printing. */
export function ToolsHead({ title, tools }: { title: string; tools: ReactNode }) {
  const { name } = useUser()
  const { recipients, users } = useEndpoint(readDashboard, {})
  return (
    <PageHead
      title={title}
      lead={
        <span className={shapes.row}>
          {greeting()}, {name}.
          <span className={shapes.row}>
            <IconMessage size={16} aria-hidden /> {plural(recipients, 'message')}
          </span>
          <span className={shapes.row}>
            <IconUsers size={16} aria-hidden /> {plural(users, 'person', 'people')}
          </span>
        </span>
      }
      crumbs={[home, <span key="group">Topbars</span>]}
      actions={
        <>
          {tools}
          <IconButton
            isBordered
            size={36}
            icon={IconRefresh}
            label="Refresh the figures"
            onClick={() => void refresh()}
          />
          <IconButton
            isBordered
            size={36}
            icon={IconPrinter}
            label="Print this page"
            onClick={() => print()}
          />
        </>
      }
    />
  )
}
