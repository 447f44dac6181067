import { expect, test } from 'vitest'
import { transmissionStates, type Transmission } from '#contract/transmissions/transmissions.ts'
import { isActive } from './labels.ts'

test('a transmission that was let go is under way before its first mail is made', () => {
  const underWay = transmissionStates.filter((state) => isActive({ state } as Transmission))
  expect(underWay).toEqual(['scheduled', 'preparing', 'sending'])
})
