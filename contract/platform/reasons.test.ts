import { expect, test } from 'vitest'
import { reasonText, type Reason } from './reasons.ts'

test('a reason is worded with what it names', () => {
  expect(reasonText({ code: 'tries_left', params: { left: 1 } })).toBe('You have 1 try left.')
  expect(reasonText({ code: 'tries_left', params: { left: 4 } })).toBe('You have 4 tries left.')
  expect(reasonText({ code: 'message_not_uncertain', params: { state: 'deferred' } })).toContain(
    '“Trying again”',
  )
  const inRule = (groups: number) =>
    reasonText({ code: 'field_in_rule', params: { names: 'Sales, Night shift', groups } })
  expect(inRule(1)).toContain('Change the rule of this group first.')
  expect(inRule(2)).toContain('Change the rule of these groups first.')
})

test('a page that is older than the server says nothing of a reason that it does not know', () => {
  expect(reasonText({ code: 'of_tomorrow' } as unknown as Reason)).toBe('')
  expect(reasonText({ code: 'toString' } as unknown as Reason)).toBe('')
  expect(reasonText(undefined)).toBe('')
})
