import { expect, expectTypeOf, test } from 'vitest'
import { pages, roles, type PageParams } from '#contract/roles.ts'
import type { SessionUser } from '#contract/identity/auth.ts'
import { admit } from './gates.ts'

function person(role: string) {
  // A role that arrives in other letters is what this test is about.
  return { isAuthenticated: true, user: { role } as SessionUser }
}

test.each(pages)('$path admits exactly the roles of the table', ({ path, roles: allowed, fallback }) => {
  for (const role of roles)
    expect(admit(person(role), path)).toEqual(
      allowed.includes(role)
        ? { kind: 'allow' }
        : fallback
          ? { kind: 'elsewhere', to: fallback }
          : { kind: 'sign-in' },
    )
})

test.each(pages)('$path sends nobody and people without a role to sign-in', ({ path }) => {
  expect(admit({ isAuthenticated: false, user: null }, path)).toEqual({ kind: 'sign-in' })
  expect(admit(person('recipient'), path)).toEqual({ kind: 'sign-in' })
})

test('roles are compared in lower case', () => {
  expect(admit(person('SuperAdmin'), '/organizations/create')).toEqual({ kind: 'allow' })
})

test('a page without a role list redirects to sign-in', () => {
  expect(admit(person('superadmin'), '/nowhere')).toEqual({ kind: 'sign-in' })
})

test('the compiler knows the parts of an address', () => {
  type Parts = PageParams<'/organizations/$orgId/users/$userId/edit'>
  expectTypeOf<Parts>().toEqualTypeOf<{ readonly orgId: string; readonly userId: string }>()
})
