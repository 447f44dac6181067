import { listFields, listRemovedFields, type FieldType } from '#contract/directory/fields.ts'
import { listUsers, readUser } from '#contract/directory/users.ts'

/** What shows fields or their values. */
export const fieldEndpoints = [listFields, listRemovedFields, listUsers, readUser]

export const typeLabels: Record<FieldType, { word: string; means: string }> = {
  text: { word: 'Text', means: 'Words, such as a department or a job.' },
  number: { word: 'Number', means: 'Compared as a number, such as a cost centre or years of service.' },
  date: { word: 'Date', means: 'A day, such as the day of joining.' },
  choice: { word: 'Choice', means: 'One of several that you name, such as a site.' },
}
