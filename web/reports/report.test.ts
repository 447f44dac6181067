import { expect, test } from 'vitest'
import { isImpossible, reportQuery } from './report.ts'

const state = {
  period: '30d' as const,
  from: '',
  to: '',
  organization: '',
  group: '',
  project: '',
  video: '',
  transmission: '',
}

test.each([
  ['none', { from: '', to: '' }, false],
  ['one day', { from: '2026-03-01', to: '2026-03-01' }, false],
  ['up to today', { from: '2026-03-01', to: '2026-04-01' }, false],
  ['only the last', { from: '', to: '2026-03-01' }, true],
  ['the last before the first', { from: '2026-03-02', to: '2026-03-01' }, true],
  ['the first in a far future', { from: '2999-01-01', to: '' }, true],
  ['two years', { from: '2024-01-01', to: '2025-12-31' }, false],
  ['a day more than two years', { from: '2024-01-01', to: '2026-01-01' }, true],
])('days from the address: %s', (_, days, isWrong) => {
  expect(isImpossible(days)).toBe(isWrong)
  const { from } = { from: undefined, ...reportQuery({ ...state, ...days }) }
  expect(from).toBe(isWrong || days.from === '' ? undefined : days.from)
})
