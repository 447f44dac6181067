// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { placesFor, reader } from './keys.ts'

test('keys lead only where the role may go', () => {
  expect(placesFor('superadmin').map(({ keys }) => keys)).toEqual(['g d', 'g o', 'g c', 'g t', 'g s'])
  expect(placesFor('groupadmin').map(({ keys }) => keys)).toEqual(['g d', 'g o', 'g s'])
})

test('a pair counts when its second key comes in time', () => {
  const read = reader(() => 'superadmin')
  expect(read('g', 1_000)).toBeNull()
  expect(read('t', 1_400)).toMatchObject({ to: '/transmissions' })
  expect(read('g', 5_000)).toBeNull()
  expect(read('t', 7_000)).toBeNull()
})

test('a pair that leads nowhere does nothing, and the next one counts', () => {
  const read = reader(() => 'groupadmin')
  expect([read('g', 0), read('t', 10), read('g', 20), read('n', 30), read('g', 40)]).toEqual(
    Array.from({ length: 5 }, () => null),
  )
  expect(read('o', 50)).toMatchObject({ to: '/organizations' })
})

test('single keys are actions', () => {
  const read = reader(() => 'superadmin')
  expect([read('/', 0), read('n', 10), read('?', 20), read('x', 30)]).toEqual(['/', 'n', '?', null])
})
