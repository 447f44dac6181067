import { formatNumber, plural } from '../platform/text/format.ts'

type Most = { most: number }

/** Why a sign-in, or a change of the own account, was refused: of all reasons those whose words a page needs before anybody has signed in. */
export const signInReasons = {
  password_changed_meanwhile: 'The password was changed in the meantime.',
  tries_left: ({ left }: { left: number }) => `You have ${plural(left, 'try', 'tries')} left.`,
  no_tries_new_code: 'No tries are left. Please ask for a new code.',
  no_tries_sign_in: 'No tries are left. Please sign in again.',
  no_tries_set_up: 'No tries are left. Please start setting it up again.',
  code_is_not_enough:
    'The code is right, but signing in with a code also needs a second step, and none is set up for your account. Please sign in with your password.',
  sign_in_code_off: 'Signing in with a code is switched off here. Please use your password.',
  own_address_only: 'A code for this goes to the address of your own account only.',
  set_up_second_step: 'Set up an authenticator app or a passkey first.',
  second_step_required:
    'Your account must have a second step. Set up another one first, then remove this one.',
  passkey_unreadable: 'The passkey could not be read. Please try again.',
  passkey_unknown: 'This passkey is not known here, or cannot be used now.',
  passkey_elsewhere: ({ origin }: { origin: string }) => `Passkeys work only at ${origin}.`,
  passkey_known: 'This passkey is set up already.',
  too_many_passkeys: ({ most }: Most) =>
    `More than ${formatNumber(most)} passkeys are not possible. Remove one first.`,
  somebody_exists: 'Somebody exists already; nothing was created.',
  last_superadmin:
    'You are the last superadmin who can sign in. Invite another one first, so that nobody is locked out.',
  sso_required: 'Your organization asks you to use its own sign-in. Please go back and choose it.',
  view_as_superadmin: 'Nobody looks through the eyes of a superadmin.',
  view_as_nobody: 'This person cannot sign in at present, so there is nothing that they would see.',
}

type Words = string | ((params: never) => string)

/** The sentence that a table has for a reason; empty where there is no reason, or none of this table. */
export function worded(
  table: Readonly<Record<string, Words>>,
  reason: { code: string; params?: unknown } | undefined,
): string {
  const words = reason && Object.hasOwn(table, reason.code) ? table[reason.code] : undefined
  if (words === undefined || !reason) return ''
  return typeof words === 'string' ? words : words((reason.params ?? {}) as never)
}
