import { expect, test } from 'vitest'
import { rehearseImport } from '#contract/imports/imports.ts'
import { importing, withImports } from '../testing/imports.ts'
import type { Person, TestServer } from '../testing/server.ts'

let server: TestServer
let orgId: string
let admin: Person
withImports((directory) => ({ server, orgId, admin } = directory))

const { at, rehearsed, query } = importing(() => ({ server, orgId, admin }))

test('an address of the first ten thousand rows is a repeat behind them', async () => {
  const lines = Array.from({ length: 10_000 }, (_, n) => `Person ${n},person-${n}@many.example`)
  const { id } = await rehearsed(`name,email\n${lines.join('\n')}\nAgain,person-7@many.example\n`)
  // A request looks at so many rows; the console asks until all are looked at.
  await admin.call(rehearseImport, { params: at(id) })
  const last = async () =>
    (
      await query(
        'select position, outcome from import_rows where operation_id = $1 order by position desc limit 1',
        [id],
      )
    ).rows[0] as unknown
  await expect.poll(last, { timeout: 20_000 }).toEqual({ position: 10_001, outcome: 'conflict' })
})
