// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { personFields } from '#contract/directory/person-fields.ts'
import type { User } from '#contract/directory/users.ts'
import { userColumns } from '../organizations/columns.tsx'
import { valuesOf } from './UserFields.tsx'

const places = Object.entries(personFields)

test('the form of a person has the fields that the table says', () => {
  const user = { groups: [], customFields: {}, state: 'active' } as unknown as User
  const asked = places.flatMap(([field, { form }]) => (form ? [field] : []))
  expect(Object.keys(valuesOf(user, [])).toSorted()).toEqual(asked.toSorted())
})

test('the list of people has the columns that the table says', () => {
  const columns = userColumns('organization').map(({ key }) => key)
  expect(columns.toSorted()).toEqual(places.flatMap(([, { list }]) => list ?? []).toSorted())
})
