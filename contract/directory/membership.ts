/** Why somebody came into a group or left it. `manual`: a person decided about this one. */
export const membershipCauses = [
  'manual',
  'rule',
  'import',
  'bulk',
  'undo',
  'invitation',
  'removal',
  'system',
  'sign_in',
] as const
export type MembershipCause = (typeof membershipCauses)[number]
