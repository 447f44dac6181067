import { expect, test } from 'vitest'
import { changeOf } from '#contract/reports/report-change.ts'

test.each([
  [{ value: 12, before: 10 }, 'count', 'up', '20%'],
  [{ value: 5, before: 10 }, 'count', 'down', '50%'],
  [{ value: 1001, before: 1000 }, 'count', 'up', '<1%'],
  [{ value: 300, before: 10 }, 'count', 'up', '30 times'],
  [{ value: 7, before: 7 }, 'count', 'same', 'As before'],
  [{ value: 0, before: 0 }, 'count', 'same', 'None before either'],
  [{ value: 3, before: 0 }, 'count', 'up', 'None before'],
  [{ value: 0.62, before: 0.59 }, 'share', 'up', '3 points'],
  [{ value: 0.5, before: 0.5004 }, 'share', 'down', '<0.1 points'],
  [{ value: 0.3, before: null }, 'share', 'unknown', 'No data before'],
] as const)('%j as a %s', (...[figure, kind, direction, text]) => {
  expect(changeOf(figure, kind)).toEqual({ direction, text })
})

test('says nothing of what is not told', () => {
  expect(changeOf({ value: null, before: 3 }, 'count')).toBeNull()
})
