import { alertLimits, mostCounted, type Alerts, type AlertKind } from '#contract/platform/alerts.ts'
import type { Role } from '#contract/roles.ts'
import { paths } from '../paths.ts'
import type { Todo } from '../ui/TodoList.tsx'
import { formatNumber } from '../ui/format.ts'

type Search = Record<string, string>
type AlertLink = { to: string; search: Search; label: string }
type Label = {
  tone: Todo['tone']
  /** What is the matter; `n` is a number or "more than" one. */
  says: (n: string, count: number) => string
  /** What to do about it. */
  todo: string
  /** The same for a groupadmin, who cannot do it alone. */
  ask?: string
  /** To all of them, in one organization or (null) in all; undefined: each organization has a list of its own. */
  all: (orgId: string | null) => AlertLink | undefined
  /** To one of them. */
  one?: (orgId: string, id: string) => string
}

const within = (orgId: string | null): Search => (orgId === null ? {} : { organization: orgId })

const transmissions =
  (attention: AlertKind) =>
  (orgId: string | null): AlertLink => ({
    to: paths.transmissions(),
    search: { attention, ...within(orgId) },
    label: 'See transmissions',
  })
const organizations = (attention: AlertKind): AlertLink => ({
  to: paths.organizations(),
  search: { attention },
  label: 'See organizations',
})
const tabLabels = { users: 'See people', groups: 'See groups', invitations: 'See invitations' } as const
const tab = (attention: AlertKind, name: keyof typeof tabLabels) => (orgId: string | null) =>
  orgId === null
    ? undefined
    : {
        to: paths.organizationDashboard(orgId),
        search: { tab: name, attention },
        label: tabLabels[name],
      }
const person = (orgId: string, id: string) => paths.userEdit(orgId, id)
const transmission = (_orgId: string, id: string) => paths.transmission(id)

const alertLabels: Record<AlertKind, Label> = {
  paused_transmissions: {
    tone: 'danger',
    says: (n, count) =>
      `${n} ${count === 1 ? 'transmission was' : 'transmissions were'} paused by the product`,
    todo: 'Read why, then resume or cancel.',
    all: transmissions('paused_transmissions'),
    one: transmission,
  },
  failing_senders: {
    tone: 'danger',
    says: (n, count) => `${n} ${count === 1 ? 'organization fails' : 'organizations fail'} to send`,
    todo: `One message in ${Math.round(1 / alertLimits.refused.share)} or more was refused. Mail providers may soon refuse all: correct the addresses.`,
    all: (orgId) =>
      orgId === null ? organizations('failing_senders') : transmissions('failing_senders')(orgId),
    one: transmission,
  },
  failing_backups: {
    tone: 'danger',
    says: () => 'The installation is not backed up as planned',
    todo: `The last backup failed or is damaged, or none was made for ${alertLimits.backupDays} days.`,
    all: () => ({ to: paths.settings(), search: { tab: 'backup' }, label: 'See backups' }),
  },
  failing_conversion: {
    tone: 'danger',
    says: (n, count) =>
      `${n} ${count === 1 ? 'video waits' : 'videos wait'} because this installation cannot convert`,
    todo: 'Do what is said at “Conversion of videos”: they go on by themselves afterwards.',
    all: () => ({ to: paths.settings(), search: { tab: 'system' }, label: 'See what is wrong' }),
  },
  set_aside: {
    tone: 'warning',
    says: (n, count) =>
      `Background work stepped over ${n} ${count === 1 ? 'thing that it' : 'things that it'} cannot work on`,
    todo: 'Everything else goes on. See what it is and why.',
    all: () => ({ to: paths.settings(), search: { tab: 'jobs' }, label: 'See jobs' }),
  },
  organizations_without_admin: {
    tone: 'danger',
    says: (n, count) => `${n} ${count === 1 ? 'organization has' : 'organizations have'} no administrator`,
    todo: 'Invite somebody who looks after it.',
    all: (orgId) =>
      orgId === null
        ? organizations('organizations_without_admin')
        : { to: paths.organizationInvite(orgId), search: {}, label: 'Invite somebody' },
  },
  pending_approvals: {
    tone: 'warning',
    says: (n, count) => `${n} ${count === 1 ? 'transmission waits' : 'transmissions wait'} for approval`,
    todo: 'Nothing is sent until somebody approves.',
    all: transmissions('pending_approvals'),
    one: transmission,
  },
  failed_videos: {
    tone: 'warning',
    says: (n, count) => `${n} ${count === 1 ? 'video' : 'videos'} could not be prepared`,
    todo: 'Read why, then upload another file.',
    all: (orgId) => ({
      to: paths.content(),
      search: { attention: 'failed_videos', ...within(orgId) },
      label: 'See content',
    }),
    one: (_orgId, id) => paths.video(id),
  },
  failed_operations: {
    tone: 'warning',
    says: (n, count) =>
      `${n} ${count === 1 ? 'import or change in bulk' : 'imports or changes in bulk'} failed in the last ${alertLimits.brokenDays} days`,
    todo: 'See how far it came and why it stopped.',
    all: (orgId) => ({
      to: paths.recentlyRemoved(),
      search: { show: 'all', attention: 'failed_operations', ...within(orgId) },
      label: 'See what happened',
    }),
  },
  refused_events: {
    tone: 'warning',
    says: (n, count) => `${n} ${count === 1 ? 'other system does' : 'other systems do'} not take events`,
    todo: 'See what it answers; once it is mended, replay what it missed.',
    all: (orgId) =>
      orgId === null ? undefined : { to: paths.systems(orgId), search: {}, label: 'See other systems' },
    one: (orgId, id) => paths.system(orgId, id),
  },
  overdue_people: {
    tone: 'warning',
    says: (n, count) => `${n} ${count === 1 ? 'person is' : 'people are'} late with a video`,
    todo: 'The due day is over. Remind them, or waive it for them.',
    all: (orgId) => ({
      to: paths.trainingMatrix(),
      search: { state: 'overdue', ...within(orgId) },
      label: 'See who is late',
    }),
    one: (orgId, id) => paths.person(orgId, id),
  },
  failed_mails: {
    tone: 'danger',
    says: (n, count) =>
      `${n} ${count === 1 ? 'mail' : 'mails'} could not be sent in the last ${alertLimits.failedHours} hours`,
    todo: 'Codes, notices or invitations. If there are many, the mail server needs a look.',
    all: (orgId) => ({ to: paths.failedMails(), search: within(orgId), label: 'See mails' }),
  },
  returned_messages: {
    tone: 'warning',
    says: (n, count) => `Messages of ${n} ${count === 1 ? 'transmission' : 'transmissions'} did not arrive`,
    todo: `Made in the last ${alertLimits.returnedDays} days. Look who was not reached.`,
    all: transmissions('returned_messages'),
    one: transmission,
  },
  expiring_keys: {
    tone: 'warning',
    says: (n, count) =>
      `${n} ${count === 1 ? 'key of another system expires' : 'keys of other systems expire'} soon, or just have`,
    todo: 'Give each a new token before the system that uses it stands still, or withdraw what nobody needs.',
    all: (orgId) => ({ to: paths.settings(), search: { tab: 'keys', ...within(orgId) }, label: 'See keys' }),
  },
  failed_invitations: {
    tone: 'danger',
    says: (n, count) => `${n} ${count === 1 ? 'invitation' : 'invitations'} reached nobody`,
    todo: 'The mail could not be sent. Check the address and send it again.',
    all: tab('failed_invitations', 'invitations'),
  },
  expiring_invitations: {
    tone: 'warning',
    says: (n, count) =>
      `${n} ${count === 1 ? 'invitation ends' : 'invitations end'} within ${alertLimits.expiringDays} days`,
    todo: 'Send them again for another week.',
    all: tab('expiring_invitations', 'invitations'),
  },
  dormant_admins: {
    tone: 'warning',
    says: (n, count) =>
      `${n} ${count === 1 ? 'administrator has' : 'administrators have'} not been here for ${alertLimits.dormantDays} days`,
    todo: 'Take the role away from whoever does not need it.',
    all: tab('dormant_admins', 'users'),
    one: person,
  },
  groups_without_groupadmin: {
    tone: 'info',
    says: (n, count) => `${n} ${count === 1 ? 'group has' : 'groups have'} no group administrator`,
    todo: 'Name somebody who looks after the members.',
    all: tab('groups_without_groupadmin', 'groups'),
    one: (orgId, id) => paths.groupEdit(orgId, id),
  },
  barred_addresses: {
    tone: 'warning',
    says: (n, count) => `${n} ${count === 1 ? 'person has' : 'people have'} an address that does not exist`,
    todo: 'The mail server said so: nothing is sent there for 30 days. Correct the address.',
    ask: 'The mail server said so: nothing is sent there for 30 days. Ask an administrator to correct the address.',
    all: tab('barred_addresses', 'users'),
    one: person,
  },
  people_without_group: {
    tone: 'info',
    says: (n, count) => `${n} ${count === 1 ? 'person is' : 'people are'} in no group`,
    todo: `Who sends to groups does not reach them. Looked for among the ${formatNumber(alertLimits.newestPeople)} people who were added last.`,
    all: tab('people_without_group', 'users'),
    one: person,
  },
}

function sentenceOf({ kind, count }: Alerts, orgId: string | null): string {
  const number = count > mostCounted ? `More than ${formatNumber(mostCounted)}` : formatNumber(count)
  if (kind === 'failing_senders' && orgId !== null)
    return `Too many messages of ${number} ${count === 1 ? 'transmission' : 'transmissions'} were refused`
  return alertLabels[kind].says(number, count)
}

type AlertScope = { orgId: string | null; role: Role }

/** Each matter with the way to where something is done about it; over all organizations also in each of them. */
export function todosOf(items: readonly Alerts[], { orgId, role }: AlertScope): Todo<AlertKind>[] {
  return items.map((item) => {
    const { tone, todo, ask = todo, all, one } = alertLabels[item.kind]
    const { kind, hiddenUntil, samples, organizations: owners, count } = item
    const named = owners.map(({ id, name, count: n }) => {
      const { to, search } = all(id) ?? {}
      return { id, name: n > 1 ? `${name} (${formatNumber(n)})` : name, to, search }
    })
    const links = samples.map(({ id, name }) => ({
      id,
      name,
      to:
        one && orgId !== null && (role !== 'groupadmin' || kind === 'overdue_people')
          ? one(orgId, id)
          : undefined,
    }))
    const counted = orgId === null ? owners.reduce((sum, { count: n }) => sum + n, 0) : samples.length
    return {
      id: kind,
      tone,
      says: sentenceOf(item, orgId),
      todo: role === 'groupadmin' ? ask : todo,
      way: all(orgId),
      samples: orgId === null ? named : links,
      hasMore: count > counted,
      hiddenUntil,
    }
  })
}
