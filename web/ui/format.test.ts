import { expect, test } from 'vitest'
import { formatDateTime } from './format.ts'

test('a moment is told with its year where that is another than now', () => {
  const year = new Date().getFullYear()
  const written = [year, year - 1].map((one) => formatDateTime(new Date(one, 10, 18, 16, 45).getTime()))
  expect(written).toEqual(['Nov 18, 4:45 PM', `Nov 18, ${year - 1}, 4:45 PM`])
})
