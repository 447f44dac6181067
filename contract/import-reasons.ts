/** Why a row of a file is not imported, or not as it stands there; `…` stands for what the reason names. */
const sentences = {
  too_many_cells:
    'This row has more cells than the header. Is there a delimiter within a text that is not in quotes?',
  name_missing: 'The name is missing.',
  name_too_long: 'The name is longer than 200 characters.',
  email_missing: 'The email is missing.',
  invalid_email: '“…” is not an email address.',
  phone_too_long: 'The phone number is longer than 50 characters.',
  external_id_missing: 'The external ID is missing, and rows are matched by it.',
  external_id_too_long: 'The external ID is longer than 200 characters.',
  unknown_role:
    '“…” is not a role. Write admin or groupadmin, or leave the cell empty for somebody who only receives videos.',
  unknown_state: '“…” is not a state. Use active or disabled.',
  role_not_allowed: 'Your role does not allow you to give the role “…”.',
  role_unproved: 'Roles are given only by somebody who has just confirmed that it is them.',
  role_differs: 'This person is here already with another role. Roles are changed on the page of the person.',
  state_of_role: 'This person signs in here. Their state is changed on their page.',
  email_of_role: 'This person signs in with another email. It is changed on their page.',
  invalid_number: '“…” is not a number.',
  invalid_date: '“…” is not a date such as 2026-01-31.',
  unknown_choice: '“…” is not among the choices.',
  value_too_long: '“…” is too long.',
  unknown_group: 'There is no group “…”.',
  group_name_too_long: 'The name of a group is longer than 200 characters.',
  rule_group: 'Nobody is put into the group “…” by hand: its rule says who is in it.',
  same_email: 'Row … has the same email.',
  same_external_id: 'Row … has the same external ID.',
  same_person: 'Row … is about the same person.',
  email_taken: 'The email belongs to somebody else here, who has another external ID or none.',
  two_people: 'The external ID belongs to one person and the email to another.',
  was_removed: 'A person with this external ID was removed. They are not brought back by an import.',
  exists: 'This person is here already.',
  taken_meanwhile: 'Somebody else has just given this email or external ID to another person.',
  changed_since: 'Changed since: ….',
  something_sent: 'Something was sent to this person.',
} as const
export type ImportReason = keyof typeof sentences

/** A reason with what it names. */
export const because = (reason: ImportReason, about?: string | number): string =>
  about === undefined ? reason : `${reason}:${about}`

/** Several reasons of one row are kept one below the other. */
export const allReasons = (reasons: readonly string[]): string | null => reasons.join('\n') || null

/** What is kept about a row, in words. */
export function reasonWords(kept: string): string {
  return kept
    .split('\n')
    .map((one) => {
      const [, code = '', about = ''] = /^([a-z_]+)(?::(.*))?$/s.exec(one) ?? []
      return isReason(code) ? sentences[code].replace('…', () => about) : one
    })
    .join(' ')
}

function isReason(code: string): code is ImportReason {
  return Object.hasOwn(sentences, code)
}
