import { expect, test } from 'vitest'
import type { AuditEntry } from '#contract/platform/audit.ts'
import { changesOf } from './changes.ts'
import { sentenceOf } from './sentences.ts'

const entry = (given: Partial<AuditEntry>): AuditEntry => ({
  id: '1',
  at: '2026-01-01T00:00:00.000Z',
  organizationId: null,
  organizationName: null,
  actor: { id: '2', name: 'Ada Admin' },
  viewingAs: null,
  key: null,
  action: 'user.changed',
  entity: 'user',
  entityId: '3',
  entityName: 'Bob Jones',
  before: null,
  after: null,
  network: null,
  browser: null,
  requestId: null,
  seal: null,
  isErased: false,
  ...given,
})
const said = (given: Partial<AuditEntry>) =>
  sentenceOf(entry(given))
    .map(({ text }) => text)
    .join('')

test('one change has a sentence of its own, several are named', () => {
  const before = { name: 'Bob Jones', role: 'groupadmin', updatedAt: '1' }
  const after = { name: 'Bob Jones', role: 'admin', updatedAt: '2' }
  expect(said({ before, after })).toBe(
    'Ada Admin changed the role of Bob Jones from group administrator to administrator',
  )
  expect(said({ before, after: { ...after, name: 'Rob', phone: '1' } })).toBe(
    'Ada Admin changed Bob Jones: name, role, phone',
  )
})

test('who nobody knows, and who looks through other eyes', () => {
  expect(said({ actor: null, action: 'auth.sign_in_failed' })).toBe('Signing in as Bob Jones failed')
  expect(said({ actor: null, action: 'transmission.completed', entityName: 'Hello' })).toBe(
    'The product finished the transmission Hello',
  )
  expect(said({ viewingAs: { id: '4', name: 'Eve' }, action: 'auth.sign_out' })).toBe(
    'Ada Admin (viewing as Eve) signed out',
  )
})

test('a key acts by its name, and one of the installation is named as such where its name is not seen', () => {
  const by = (name: string | null) => said({ action: 'auth.sign_out', key: { id: '5', name } })
  expect(by('Payroll')).toBe('The key Payroll signed out')
  expect(by(null)).toBe('A key of the installation signed out')
})

test('people are counted, and an unknown action speaks for itself', () => {
  expect(said({ action: 'group.members_added', entityName: 'Crew', after: { userIds: ['a'] } })).toBe(
    'Ada Admin put 1 person into the group Crew',
  )
  expect(said({ action: 'mfa.totp_enrolled' })).toBe('Ada Admin: mfa totp enrolled (Bob Jones)')
  expect(said({ action: 'constructor' })).toBe('Ada Admin: constructor (Bob Jones)')
})

test('only what differs is shown, at any depth', () => {
  const before = {
    policies: { idleMinutes: 60, mfa: 'optional' },
    groups: [{ id: '1', name: 'A' }],
    open: true,
  }
  const after = { policies: { idleMinutes: 30, mfa: 'optional' }, groups: [], open: false }
  expect(changesOf({ before, after })).toEqual([
    { field: 'policies.idleMinutes', label: 'Policies, idle minutes', before: '60', after: '30' },
    { field: 'groups', label: 'Groups', before: 'A', after: '–' },
    { field: 'open', label: 'Open', before: 'yes', after: 'no' },
  ])
})

test('of what is new everything is shown but what follows from the rest', () => {
  const at = '2026-11-23T10:00:00.000Z'
  const after = { id: '1', organizationId: '2', name: 'Crew', version: 1, createdAt: at, updatedAt: at }
  expect(changesOf({ before: null, after })).toMatchObject([{ field: 'name', after: 'Crew' }])
})
