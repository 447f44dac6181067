import { importTargets } from './imports.ts'
import { uncapitalized } from '../platform/text/text.ts'

/** Why a row of a file is not imported, or not as it stands there; `…` stands for what the reason names. */
const sentences = {
  too_many_cells:
    'This row has more cells than the first row. If a text has a comma or semicolon in it, put the text in quotes.',
  name_missing: 'The name is missing.',
  name_too_long: 'The name is longer than 200 characters.',
  email_missing: 'The email is missing.',
  invalid_email: '“…” is not an email address.',
  phone_too_long: 'The phone number is longer than 50 characters.',
  external_id_missing: 'The external ID is missing, and people are found by it.',
  external_id_too_long: 'The external ID is longer than 200 characters.',
  manager_too_long: 'The email or external ID of the manager is longer than 320 characters.',
  unknown_role:
    '“…” is not a role. Write admin or groupadmin, or leave the cell empty for somebody who only receives videos.',
  unknown_state: '“…” is not a state. Write active or disabled.',
  unknown_language: '“…” is not a language in which people can be written to. Write en or de.',
  unknown_time_zone: '“…” is not a time zone. Write its name, such as Europe/Berlin.',
  role_not_allowed: 'Your role does not allow you to give the role “…”.',
  role_unproved: 'Roles are given only after you have confirmed that it is you. Import this row again.',
  role_differs: 'This person is here already with another role. Change the role on the page of the person.',
  state_of_role: 'This person signs in here. Change their state on their page.',
  email_of_role: 'This person signs in with another email. Change it on their page.',
  invalid_number: '“…” is not a number. Write it like 1250 or 12.5.',
  invalid_date: '“…” is not a date such as 2026-01-31.',
  ambiguous_number:
    '“…” can be read as two numbers. Go back to the columns, and choose how numbers are written in this file.',
  ambiguous_date:
    '“…” can be read as two dates. Go back to the columns, and choose what comes first in the dates of this file.',
  unknown_choice: '“…” is not one of the choices of this field.',
  value_too_long: '“…” is too long.',
  unknown_group: 'There is no group “…”. Correct the name, or let the import create the group.',
  group_name_too_long: 'The name of a group is longer than 200 characters.',
  rule_group: 'Nobody is put into the group “…” by hand: its rule says who is in it. Take it out of the row.',
  same_email: 'Row … has the same email. Keep one of them.',
  same_external_id: 'Row … has the same external ID. Keep one of them.',
  same_person: 'Row … is about the same person. Keep one of them.',
  email_taken: 'The email belongs to somebody else here, who has another external ID or none.',
  two_people: 'The external ID belongs to one person and the email to another.',
  was_removed:
    'This person was removed. Bring them back, so that nothing they have completed is lost, or let the import add somebody new.',
  exists: 'This person is here already, and stays as they are.',
  taken_meanwhile:
    'Somebody else has just given this email or external ID to another person. Look who has it.',
  changed_since: 'Changed since: ….',
  something_sent: 'Something was sent to this person.',
} as const
export type ImportReason = keyof typeof sentences

/** What somebody changed after an import. */
export type ChangedPart = keyof typeof importTargets | 'custom'
const parts = new Map(
  Object.entries({ ...importTargets, custom: 'Further fields' }).map(([part, label]) => {
    return [part, uncapitalized(label)]
  }),
)

/** Reasons of former versions have the words themselves. */
const partsIn = (about: string): string =>
  about
    .split(', ')
    .map((part) => parts.get(part) ?? part)
    .join(', ')

/** A reason with what it names. */
export const because = (reason: ImportReason, about?: string | number): string =>
  about === undefined ? reason : `${reason}:${about}`

/** Several reasons of one row are kept one below the other. */
export const allReasons = (reasons: readonly string[]): string | null => reasons.join('\n') || null

/** What is kept about a row, in words. */
export function reasonText(stored: string): string {
  return stored
    .split('\n')
    .map((one) => {
      const [, code = '', about = ''] = /^([a-z_]+)(?::(.*))?$/s.exec(one) ?? []
      return isReason(code)
        ? sentences[code].replace('…', () => (code === 'changed_since' ? partsIn(about) : about))
        : one
    })
    .join(' ')
}

function isReason(code: string): code is ImportReason {
  return Object.hasOwn(sentences, code)
}
