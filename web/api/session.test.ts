import { describe, expect, test } from 'vitest'
import type { SessionUser } from '#contract/identity/auth.ts'
import { fromKept, signedOut, step } from './session.ts'

const ada: SessionUser = {
  id: '01900000-0000-7000-8000-000000000001',
  email: 'ada@example.test',
  name: 'Ada',
  avatar: null,
  role: 'admin',
  organizationId: null,
  organizationName: null,
  groupIds: [],
  mfa: { enrolled: false, methods: [] },
}

describe('the authentication flow', () => {
  test('starts at signin', () => {
    expect(signedOut).toMatchObject({ authStep: 'signin', isAuthenticated: false, token: null })
  })

  test('an identifier moves it to confirm', () => {
    const next = step(signedOut, { type: 'identified', identifier: 'ada@example.test' })
    expect(next).toMatchObject({ authStep: 'confirm', authIdentifier: 'ada@example.test' })
  })

  test('signing in completes it and clears identifier and type', () => {
    const identified = step(signedOut, { type: 'reset-mailed', identifier: 'ada@example.test' })
    expect(step(identified, { type: 'signed-in', token: 'sr_1', user: ada })).toEqual({
      token: 'sr_1',
      user: ada,
      isAuthenticated: true,
      authStep: 'completed',
      authIdentifier: null,
      authType: null,
      viewing: null,
    })
  })

  test('setting a token completes it as well, and leaves the person', () => {
    const signedIn = step(signedOut, { type: 'signed-in', token: 'sr_1', user: ada })
    const identified = step(signedIn, { type: 'identified', identifier: 'x', authType: 'other' })
    expect(step(identified, { type: 'token-set', token: 'sr_2' })).toEqual({ ...signedIn, token: 'sr_2' })
  })

  test('signing out resets everything', () => {
    const signedIn = step(signedOut, { type: 'signed-in', token: 'sr_1', user: ada })
    expect(step(signedIn, { type: 'signed-out' })).toEqual(signedOut)
  })

  test('clearing the flow sets the step to none', () => {
    expect(step(signedOut, { type: 'flow-cleared' }).authStep).toBeNull()
  })

  test('a mailed reset sets identifier, confirm and email; clearing it clears all three', () => {
    const mailed = step(signedOut, { type: 'reset-mailed', identifier: 'ada@example.test' })
    expect(mailed).toMatchObject({
      authIdentifier: 'ada@example.test',
      authStep: 'confirm',
      authType: 'email',
    })
    const cleared = step(mailed, { type: 'reset-cleared' })
    expect(cleared).toMatchObject({ authIdentifier: null, authStep: null, authType: null })
  })
})

describe('what storage holds', () => {
  test('a saved session comes back completed', () => {
    const stored = JSON.stringify({ token: 'sr_1', user: ada, isAuthenticated: true })
    expect(fromKept(stored)).toMatchObject({ token: 'sr_1', user: ada, authStep: 'completed' })
  })

  test('the role is read in lower case', () => {
    const stored = JSON.stringify({ token: 'sr_1', user: { ...ada, role: 'Admin' }, isAuthenticated: true })
    expect(fromKept(stored).user?.role).toBe('admin')
  })

  test.each([
    null,
    'no json',
    '7',
    'null',
    JSON.stringify({ token: 'sr_1', user: ada }),
    JSON.stringify({ token: 5, user: ada, isAuthenticated: true }),
    JSON.stringify({ token: 'sr_1', user: { ...ada, role: null }, isAuthenticated: true }),
    JSON.stringify({ token: 'sr_1', isAuthenticated: true }),
  ])('%s is a signed-out session', (stored) => {
    expect(fromKept(stored)).toEqual(signedOut)
  })
})
