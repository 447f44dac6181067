import type { Organization } from '#contract/directory/organizations.ts'
import type { User } from '#contract/directory/users.ts'
import type { Label } from '../ui/figures/StatusBadge.tsx'

export const organizationStates: Record<Organization['state'], Label> = {
  active: { tone: 'success', word: 'Active', means: 'People sign in and receive messages.' },
  suspended: {
    tone: 'warning',
    word: 'Suspended',
    means: 'Nobody signs in and nothing is sent. Everything stays as it is.',
  },
  archived: {
    tone: 'neutral',
    word: 'Archived',
    means: 'As suspended, and no longer in use. What was watched can still be looked up.',
  },
}

export const userStates: Record<User['state'], Label> = {
  invited: { tone: 'info', word: 'Invited', means: 'Has not set a password yet.' },
  active: {
    tone: 'success',
    word: 'Active',
    means: 'Receives messages, and signs in if the role allows it.',
  },
  disabled: { tone: 'neutral', word: 'Disabled', means: 'Receives nothing and cannot sign in.' },
}
