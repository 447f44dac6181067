import { afterEach, expect, test } from 'vitest'
import { keptText } from './KeptTime.tsx'

const { TZ } = process.env
afterEach(() => {
  if (TZ === undefined) delete process.env['TZ']
  else process.env['TZ'] = TZ
})

test.each(['America/Los_Angeles', 'UTC', 'Pacific/Auckland'])(
  'where nothing but a day is kept, it is that day for a reader in %s',
  (zone) => {
    process.env['TZ'] = zone
    expect(keptText('2026-11-28T00:00:00.000Z')).toBe('Nov 28, 2026')
  },
)

test('any other instant has its time', () => {
  expect(keptText('2026-11-28T00:00:00.001Z')).toMatch(/, 2026, .*:00/)
})
