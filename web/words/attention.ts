import { attentionLimits, mostCounted, type Attention, type AttentionKind } from '#contract/overview.ts'
import type { Role } from '#contract/roles.ts'
import { paths } from '../paths.ts'
import type { Tone } from '../ui/StatusBadge.tsx'
import type { Todo } from '../ui/TodoList.tsx'
import { formatNumber, plural } from '../ui/format.ts'

type Way = { to: string; search: Record<string, string>; label: string }
type Words = {
  tone: Tone
  /** What is the matter; `n` is a number or "more than" one. */
  says: (n: string, isOne: boolean) => string
  /** What to do about it. */
  todo: string
  /** To all of them. */
  all: (orgId: string) => Way
  /** To one of them. */
  one?: (orgId: string, id: string) => string
}

const list = (orgId: string, search: Way['search'], label: string): Way => ({
  to: paths.organizationDashboard(orgId),
  search,
  label,
})
const waiting = (orgId: string) => list(orgId, { tab: 'invitations', state: 'pending' }, 'See invitations')
const person = (orgId: string, id: string) => paths.userEdit(orgId, id)
const transmission = (_orgId: string, id: string) => paths.transmission(id)

const attentionWords: Record<AttentionKind, Words> = {
  paused_transmissions: {
    tone: 'danger',
    says: (n, isOne) => `${n} ${isOne ? 'transmission was' : 'transmissions were'} paused by the product`,
    todo: 'Read why, then resume or cancel.',
    all: () => ({ to: paths.transmissions(), search: { state: 'paused' }, label: 'See transmissions' }),
    one: transmission,
  },
  organizations_without_admin: {
    tone: 'danger',
    says: (n, isOne) => `${n} ${isOne ? 'organization has' : 'organizations have'} no administrator`,
    todo: 'Invite somebody who looks after it.',
    all: () => ({ to: paths.organizations(), search: {}, label: 'See organizations' }),
  },
  pending_approvals: {
    tone: 'warning',
    says: (n, isOne) => `${n} ${isOne ? 'transmission waits' : 'transmissions wait'} for approval`,
    todo: 'Nothing is sent until somebody approves.',
    all: () => ({
      to: paths.transmissions(),
      search: { state: 'pending_approval' },
      label: 'See transmissions',
    }),
    one: transmission,
  },
  failed_videos: {
    tone: 'warning',
    says: (n, isOne) => `${n} ${isOne ? 'video' : 'videos'} could not be prepared`,
    todo: 'Read why, then upload another file.',
    all: (orgId) => ({ to: paths.content(), search: { organization: orgId }, label: 'See content' }),
    one: (_orgId, id) => paths.video(id),
  },
  failed_operations: {
    tone: 'warning',
    says: (n, isOne) =>
      `${n} ${isOne ? 'import or change in bulk' : 'imports or changes in bulk'} failed in the last ${attentionLimits.brokenDays} days`,
    todo: 'See how far it came and why it stopped.',
    all: () => ({ to: paths.recentlyRemoved(), search: {}, label: 'See what happened' }),
  },
  overdue_people: {
    tone: 'warning',
    says: (n, isOne) => `${n} ${isOne ? 'person is' : 'people are'} late with a video`,
    todo: 'The day that was set is over. Remind them, or excuse them.',
    all: (orgId) => ({
      to: paths.trainingMatrix(),
      search: { organization: orgId, state: 'overdue' },
      label: 'See who is late',
    }),
    one: (orgId, id) => paths.person(orgId, id),
  },
  failed_mails: {
    tone: 'danger',
    says: (n, isOne) =>
      `${n} ${isOne ? 'mail' : 'mails'} could not be sent in the last ${attentionLimits.failedHours} hours`,
    todo: 'Codes, notices or invitations. If there are many, the mail server needs a look.',
    all: waiting,
  },
  returned_messages: {
    tone: 'warning',
    says: (n, isOne) => `Messages of ${n} ${isOne ? 'transmission' : 'transmissions'} did not arrive`,
    todo: `Made in the last ${attentionLimits.returnedDays} days. Look who was not reached.`,
    all: () => ({ to: paths.transmissions(), search: {}, label: 'See transmissions' }),
    one: transmission,
  },
  failed_invitations: {
    tone: 'danger',
    says: (n, isOne) => `${n} ${isOne ? 'invitation' : 'invitations'} reached nobody`,
    todo: 'The mail could not be sent. Check the address and send it again.',
    all: waiting,
  },
  expiring_invitations: {
    tone: 'warning',
    says: (n, isOne) =>
      `${n} ${isOne ? 'invitation ends' : 'invitations end'} within ${plural(attentionLimits.expiringDays, 'day')}`,
    todo: 'Send them again for another week.',
    all: waiting,
  },
  dormant_admins: {
    tone: 'warning',
    says: (n, isOne) =>
      `${n} ${isOne ? 'administrator has' : 'administrators have'} not been here for ${attentionLimits.dormantDays} days`,
    todo: 'Take the role away from whoever does not need it.',
    all: (orgId) => list(orgId, { tab: 'users', seen: 'not90' }, 'See users'),
    one: person,
  },
  groups_without_groupadmin: {
    tone: 'info',
    says: (n, isOne) => `${n} ${isOne ? 'group has' : 'groups have'} no group administrator`,
    todo: 'Name somebody who looks after the members.',
    all: (orgId) => list(orgId, { tab: 'groups', groupadmins: 'none' }, 'See groups'),
    one: (orgId, id) => paths.groupEdit(orgId, id),
  },
  barred_addresses: {
    tone: 'warning',
    says: (n, isOne) => `${n} ${isOne ? 'person has' : 'people have'} an address that does not exist`,
    todo: 'The mail server said so: nothing is sent there for 30 days. Correct the address.',
    all: (orgId) => list(orgId, { tab: 'users' }, 'See users'),
    one: person,
  },
  people_without_group: {
    tone: 'info',
    says: (n, isOne) => `${n} ${isOne ? 'person is' : 'people are'} in no group`,
    todo: `Who sends to groups does not reach them. Looked for among the ${formatNumber(attentionLimits.newestPeople)} people who were added last.`,
    all: (orgId) => list(orgId, { tab: 'users' }, 'See users'),
    one: person,
  },
}

function sentenceOf({ kind, count }: Attention): string {
  const number = count > mostCounted ? `More than ${formatNumber(mostCounted)}` : formatNumber(count)
  return attentionWords[kind].says(number, count === 1)
}

type Place = { orgId: string | null; role: Role }

/** Each matter with the way to where something is done about it; over all organizations, that is in each of them. */
export function todosOf(items: readonly Attention[], { orgId, role }: Place): Todo<AttentionKind>[] {
  return items.map((item) => {
    const { tone, todo, all, one } = attentionWords[item.kind]
    const { kind, hiddenUntil, samples, organizations, count } = item
    const named = organizations.map(({ id, name, count: n }) => ({
      id,
      name: n > 1 ? `${name} (${formatNumber(n)})` : name,
      to: paths.organizationDashboard(id),
    }))
    const told = samples.map(({ id, name }) => ({
      id,
      name,
      to: one && orgId !== null && role !== 'groupadmin' ? one(orgId, id) : undefined,
    }))
    const counted = orgId === null ? organizations.reduce((sum, { count: n }) => sum + n, 0) : samples.length
    return {
      id: kind,
      tone: tone === 'danger' || tone === 'warning' ? tone : 'info',
      says: sentenceOf(item),
      todo,
      way: orgId === null ? undefined : all(orgId),
      samples: orgId === null ? named : told,
      hasMore: count > counted,
      hiddenUntil,
    }
  })
}
