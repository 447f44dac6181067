import { attentionLimits, mostCounted, type Attention, type AttentionKind } from '#contract/overview.ts'
import { paths } from '../../paths.ts'
import type { Tone } from '../../ui/StatusBadge.tsx'
import { formatNumber, plural } from '../../ui/format.ts'

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

export const attentionWords: Record<AttentionKind, Words> = {
  paused_transmissions: {
    tone: 'danger',
    says: (n, isOne) => `${n} ${isOne ? 'transmission was' : 'transmissions were'} paused by the product`,
    todo: 'Read why, then resume or cancel.',
    all: () => ({ to: paths.transmissions(), search: { state: 'paused' }, label: 'See transmissions' }),
    one: transmission,
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

export function sentenceOf({ kind, count }: Attention): string {
  const number = count > mostCounted ? `More than ${formatNumber(mostCounted)}` : formatNumber(count)
  return attentionWords[kind].says(number, count === 1)
}
