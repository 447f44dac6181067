import os from 'node:os'
import { expect, test } from 'vitest'
import { Refusal } from '../../platform/errors.ts'
import { hashPassword, verifyPasswordHash } from './hash.ts'

const cores = os.availableParallelism()
const room = cores + Math.max(64, cores * 16)

test('turns away whom it has no room for, and skips whoever has gone while waiting', async () => {
  const gone = () => true
  const settled = await Promise.allSettled(
    Array.from({ length: room + 5 }, (_, n) => hashPassword('a password', n < cores ? undefined : gone)),
  )
  const codes = settled.map((one) =>
    one.status === 'rejected' && one.reason instanceof Refusal ? one.reason.fault.code : one.status,
  )
  const count = (code: string) => codes.filter((one) => one === code).length
  expect(count('fulfilled')).toBe(cores)
  expect(count('timeout')).toBe(room - cores)
  expect(count('unavailable')).toBe(5)
  const stored = await hashPassword('a password')
  expect(await verifyPasswordHash('a password', stored)).toBe(true)
  expect(await verifyPasswordHash('a password ', stored)).toBe(false)
})
