/** What the audit log says of a company's own sign-in: words and sentence, as in `audit-actions.ts`. */
export const ssoActions = {
  'connection.created': [
    'Connected a company’s sign-in',
    '{actor} connected the sign-in {after.name}, at {after.issuer}',
  ],
  'connection.changed': [
    'Changed the connection to a company’s sign-in',
    '{actor} changed the connection to the sign-in {after.name}: {fields}',
  ],
  'connection.removed': [
    'Removed the connection to a company’s sign-in',
    '{actor} removed the connection to the sign-in {before.name}',
  ],
  'connection.tried': [
    'Tried the connection to a company’s sign-in',
    '{actor} tried the connection to the sign-in {after.name}',
  ],
  'connection.person_linked': [
    'Signs in by the company’s own sign-in from now on',
    '{target} signs in by {after.connection} from now on',
  ],
  'connection.person_unlinked': [
    'Forgot the account of a company’s sign-in',
    '{actor} had it forgotten by which account of {before.connection} {target} signs in',
  ],
  'connection.person_created': [
    'Created by a company’s sign-in',
    '{target} was created with the first sign-in by {after.connection}',
  ],
  'connection.person_changed': [
    'Changed by the rules of a company’s sign-in',
    'Role or groups of {target} were changed by what {after.connection} says',
  ],
  'connection.logout_refused': [
    'Refused a sign-out by a company’s sign-in',
    'A sign-out that claimed to come from {after.connection} was refused',
  ],
  'auth.sso_refused': [
    'Refused a sign-in by a company’s own sign-in',
    'A sign-in by {after.connection} was refused: {after.fault}',
  ],
  'auth.sso_ended': [
    'Signed out by the company’s own sign-in',
    '{after.connection} ended the sessions of {target}',
  ],
  'auth.way_refused': [
    'Refused a sign-in past the company’s own',
    '{target} tried to sign in otherwise than by the company’s own sign-in, which is required',
  ],
  'auth.break_glass': [
    'Signed in past the company’s own sign-in',
    '{actor} signed in past the company’s own sign-in, as the administrator who is named for an emergency',
  ],
  'domain.added': ['Named a domain', '{actor} named the domain {after.domain}'],
  'domain.checked': ['Had a domain checked', '{actor} had the DNS asked about the domain {after.domain}'],
  'domain.proved': ['Proved a domain', '{actor} proved the domain {after.domain}'],
  'domain.lost': [
    'Lost the proof of a domain',
    'The record that proved the domain {after.domain} was not there any more when {actor} had it checked',
  ],
  'domain.removed': ['Removed a domain', '{actor} removed the domain {before.domain}'],
  'sign_in.policy_changed': [
    'Changed how people sign in',
    '{actor} set the company’s own sign-in to {after.signIn}; for an emergency: {after.breakGlass}',
  ],
} as const satisfies Record<string, readonly [words: string, sentence: string]>
