import type { Invitation, InviteRow } from '#contract/directory/invitations.ts'
import type { Label, Tone } from '../../ui/figures/StatusBadge.tsx'

export const invitationStates: Record<Invitation['state'], Label> = {
  pending: { tone: 'info', word: 'Pending', means: 'The link works and was not used yet.' },
  accepted: { tone: 'success', word: 'Accepted', means: 'The person has an account now.' },
  expired: { tone: 'warning', word: 'Expired', means: 'The seven days are over. You can invite again.' },
  revoked: { tone: 'neutral', word: 'Taken back', means: 'The link works no more. You can invite again.' },
}

type Mail = NonNullable<Invitation['mail']>
export const mailStates: Record<Mail['state'], Label> = {
  resting: {
    tone: 'info',
    word: 'In the outbox',
    means: 'No mail server is set up. A superadmin finds the mail in the outbox.',
  },
  queued: { tone: 'running', word: 'On its way', means: 'Waits for the mail server.' },
  sending: { tone: 'running', word: 'On its way', means: 'Is being handed over to the mail server.' },
  sent: { tone: 'success', word: 'Sent', means: 'The mail server has taken it.' },
  failed: { tone: 'danger', word: 'Not sent', means: 'The mail could not be handed over.' },
}

type Outcome = { tone: Tone; before: string; after: string }
export const outcomes: Record<InviteRow['outcome'], Outcome> = {
  invited: { tone: 'info', before: 'Will be invited', after: 'Invited' },
  recipient: { tone: 'info', before: 'Is here already, gets the role', after: 'Invited to the role' },
  already_invited: { tone: 'info', before: 'Invited already', after: 'Invited already' },
  has_account: { tone: 'neutral', before: 'Has an account', after: 'Has an account' },
  not_an_address: { tone: 'warning', before: 'Not an address', after: 'Not an address' },
  twice: { tone: 'neutral', before: 'Twice in the list', after: 'Twice in the list' },
  not_allowed: { tone: 'warning', before: 'Cannot be invited', after: 'Was not invited' },
}

export const isInvited = ({ outcome }: InviteRow): boolean => outcome === 'invited' || outcome === 'recipient'

/** What is said of a new invitation. */
export const invitedText = (email: string, rests: boolean) =>
  rests
    ? `A new invitation to ${email} rests in the outbox, because no mail server is set up.`
    : `A new invitation to ${email} is on its way.`
