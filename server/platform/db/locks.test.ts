import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { locks } from './locks.ts'

const server = path.join(import.meta.dirname, '../..')

test('no number stands for two things', () => {
  const numbers = Object.values(locks)
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('nothing takes an advisory lock by a number of its own', () => {
  const files = globSync('**/*.{ts,sql}', { cwd: server }).filter(
    (file) => !file.startsWith('platform/db/locks.'),
  )
  expect(files.length).toBeGreaterThan(500)
  const calls = /pg_(try_)?advisory_\w+\s*\(|hashtext(extended)?\('/
  expect(files.filter((file) => calls.test(readFileSync(path.join(server, file), 'utf8')))).toEqual([])
})
