import {
  IconArrowBackUp,
  IconBuilding,
  IconClock,
  IconLayoutDashboard,
  IconListCheck,
  IconMailbox,
  IconMovie,
  IconPlayerPlay,
  IconPlus,
  IconSchool,
  IconSend,
  IconSettings,
  IconUsers,
  IconUsersGroup,
  type Icon,
} from '@tabler/icons-react'
import type { SessionUser } from '#contract/identity/auth.ts'
import { paths } from '#web/paths.ts'
import { mayOpen } from '../gates.ts'

export type MegaLink = { label: string; about: string; icon: Icon; to: string }
export type MegaColumn = { title: string; links: readonly MegaLink[] }

/** `page` is the row of the table of roles that decides; `to` is null where the person has no such page. */
type Entry = Omit<MegaLink, 'to'> & { page: string; to: string | null }

function dashboards(): Entry[] {
  const report = (to: string, entry: Pick<MegaLink, 'label' | 'about' | 'icon'>) => ({
    ...entry,
    page: to,
    to,
  })
  return [
    {
      label: 'Dashboard',
      about: 'Where everything stands today',
      icon: IconLayoutDashboard,
      page: '/dashboard',
      to: paths.dashboard(),
    },
    report(paths.reportUserActivity(), {
      label: 'Account User Activity',
      about: 'Who was there, and when',
      icon: IconUsers,
    }),
    report(paths.reportUserEngagement(), {
      label: 'User Engagement',
      about: 'How much of it was watched',
      icon: IconPlayerPlay,
    }),
    report(paths.reportAccountActivity(), {
      label: 'Account Activity',
      about: 'Who did what, and when',
      icon: IconClock,
    }),
    report(paths.reportMessageAnalytics(), {
      label: 'Message Analytics',
      about: 'Sent, opened, watched',
      icon: IconMailbox,
    }),
    report(paths.reportQuizMetrics(), {
      label: 'Quiz Metrics',
      about: 'Questions and answers',
      icon: IconListCheck,
    }),
    report(paths.trainingMatrix(), {
      label: 'Training Matrix',
      about: 'Who still has to watch what',
      icon: IconSchool,
    }),
  ]
}

function projects(): Entry[] {
  return [
    {
      label: 'Content',
      about: 'Upload videos and sort them into projects',
      icon: IconMovie,
      page: '/content',
      to: paths.content(),
    },
    {
      label: 'Transmissions',
      about: 'What was sent, and what arrived',
      icon: IconSend,
      page: '/transmissions',
      to: paths.transmissions(),
    },
    {
      label: 'Add a transmission',
      about: 'Send a video to people by name',
      icon: IconPlus,
      page: '/transmissions/create',
      to: paths.transmissionCreate(),
    },
  ]
}

function people(orgId: string | null): Entry[] {
  return [
    {
      label: 'My organization',
      about: 'Its people, groups and figures',
      icon: IconBuilding,
      page: '/organizations/$orgId/dashboard',
      to: orgId && paths.organizationDashboard(orgId),
    },
    {
      label: 'Organizations',
      about: 'Everybody that you work for',
      icon: IconBuilding,
      page: '/organizations',
      to: orgId === null ? paths.organizations() : null,
    },
    {
      label: 'Add an organization',
      about: 'With people and groups of its own',
      icon: IconPlus,
      page: '/organizations/create',
      to: paths.organizationCreate(),
    },
    {
      label: 'Add a person',
      about: 'Somebody new in my organization',
      icon: IconUsers,
      page: '/organizations/$orgId/users/create',
      to: orgId && paths.userCreate(orgId),
    },
    {
      label: 'Add a group',
      about: 'People who get the same messages',
      icon: IconUsersGroup,
      page: '/organizations/$orgId/groups/create',
      to: orgId && paths.groupCreate(orgId),
    },
    {
      label: 'Recently removed',
      about: 'Bring back what was removed or changed',
      icon: IconArrowBackUp,
      page: '/recently-removed',
      to: paths.recentlyRemoved(),
    },
    {
      label: 'Settings',
      about: 'Profile and system',
      icon: IconSettings,
      page: '/settings',
      to: paths.settings(),
    },
  ]
}

/** What a group administrator, who opens no project, has in that column: how their people do. */
const inPlaceOfProjects = [paths.trainingMatrix(), paths.reportUserEngagement()]

/** The three columns with what this person may open: none is empty, and no link stands in two. */
export function megaColumns({
  role,
  organizationId,
}: Pick<SessionUser, 'role' | 'organizationId'>): MegaColumn[] {
  const linksOf = (entries: Entry[]) =>
    entries.flatMap(({ page, to, ...rest }) => (to !== null && mayOpen(role, page) ? [{ ...rest, to }] : []))
  const analytics = linksOf(dashboards())
  const ofProjects = linksOf(projects())
  const moved =
    ofProjects.length > 0
      ? []
      : inPlaceOfProjects.flatMap((place) => analytics.filter(({ to }) => to === place))
  return [
    { title: 'Dashboard & Analytics', links: analytics.filter((link) => !moved.includes(link)) },
    { title: 'Project Management', links: [...ofProjects, ...moved] },
    { title: 'User Management', links: linksOf(people(organizationId)) },
  ]
}
