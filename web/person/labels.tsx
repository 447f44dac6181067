import { authorName } from '#contract/directory/members.ts'
import type { MembershipCause } from '#contract/directory/membership.ts'
import type { PersonAccess, PersonEvent, Reason, Way } from '#contract/person/person.ts'
import type { Role } from '#contract/roles.ts'
import type { ReactNode } from 'react'
import { roleNames } from '#web/session/roleNames.ts'
import { formatDateTime } from '#web/ui/format.ts'
import { capitalized } from '#contract/platform/text/text.ts'

/** After "Reached". */
export function wayText(way: Way): string {
  if (way.by === 'name') return 'by name'
  if (way.by === 'everyone') return 'with everybody in the organization'
  return `through the group ${way.group.name}, a member since ${formatDateTime(way.since)}`
}

const verbs = {
  added: 'Came into the group',
  removed: 'Left the group',
  groupadmin: 'Became group administrator of',
  no_groupadmin: 'Is no longer group administrator of',
} as const

const causes: Record<MembershipCause, string> = {
  manual: '',
  rule: ' by its rule',
  import: ' by an import',
  bulk: ' by a change of many people at once',
  undo: ' because a change was undone',
  invitation: ' by an invitation',
  sign_in: ' by what the company’s own sign-in says',
  removal: ' because they were removed',
  system: '',
}

export function membershipSentence(event: Extract<PersonEvent, { kind: 'group' }>): ReactNode {
  return (
    <>
      {verbs[event.change]} <strong>{event.group.name}</strong>
      {causes[event.cause]}
      {event.by && <>, by {authorName(event.by)}</>}
    </>
  )
}

/** How somebody came into a group, in the words of the table. */
export function throughText({ byRule, cause, by }: PersonAccess['groups'][number]): string {
  if (byRule) return 'The rule of the group'
  const how = cause ? causes[cause].trim() : ''
  if (how) return capitalized(how) + (by ? `, ${authorName(by)}` : '')
  return by ? `Put in by ${authorName(by)}` : 'From the beginning'
}

/** After "cannot enter the console:". */
export const blockedLabels: Record<NonNullable<PersonAccess['blockedReason']>, string> = {
  recipient: 'they have no role. They watch through the personal links in their messages.',
  invited: 'they have not accepted their invitation yet.',
  disabled: 'their account is disabled.',
  organization_suspended: 'the organization is suspended.',
  organization_archived: 'the organization is archived.',
}

/** What each role may do in an organization, in the order of the menu. */
export const rights: Record<Exclude<Role, 'superadmin'>, readonly { what: string; extent: string }[]> = {
  admin: [
    { what: 'People and groups', extent: 'Sees and changes everybody in the organization' },
    { what: 'Content', extent: 'Sees, uploads and changes every video' },
    { what: 'Transmissions', extent: 'Sends, and sees everything that was sent' },
    { what: 'Reports and audit log', extent: 'Of the whole organization' },
  ],
  groupadmin: [
    {
      what: 'People and groups',
      extent: 'Sees the members of the groups below that they administer, and changes these groups',
    },
    { what: 'Content and transmissions', extent: 'Nothing' },
    { what: 'Reports', extent: 'About the members of these groups' },
  ],
}

export function reasonText(name: string, { code, role, group, transmission }: Reason): string {
  switch (code) {
    case 'role':
      return `${name} is ${role ? roleNames[role].toLowerCase() : 'somebody with a role'}, and sees everything in the organization.`
    case 'administers_group':
      return `${name} administers this group.`
    case 'administers_group_of':
      return `${name} administers the group ${group?.name ?? ''}, which has them as a member.`
    case 'personal_link':
      return `${name} got a personal link with the transmission “${transmission?.subject ?? ''}”.`
    case 'open_to_everybody':
      return 'The video is open to everybody who has its address.'
    case 'cannot_enter':
      return `${name} cannot enter the console.`
    case 'other_groups':
      return `${name} administers no group that would show it.`
    case 'member_only':
      return `${name} is a member of the group, which does not show it to them. They receive what is sent to it.`
    case 'never_sent':
      return `It was never sent to ${name}, and is not open to everybody.`
    case 'put_away':
      return 'The video is archived; nobody can open it.'
  }
}
