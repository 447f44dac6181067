import { expect, test } from 'vitest'
import { formatReached, formatShare } from './format.ts'

test.for([
  [8 / 12, '67%', '66%'],
  [0.57, '57%', '57%'],
  [0.946, '95%', '94%'],
  [0.9999, '99%', '99%'],
  [0.0001, '1%', '1%'],
  [0, '0%', '0%'],
  [1, '100%', '100%'],
] as const)('%d is %s to the nearest, and reaches %s', ([share, nearest, reached]) => {
  expect([formatShare(share), formatReached(share)]).toEqual([nearest, reached])
})
