import { aServer } from '../../testing/worlds.ts'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { hasRow, row, rows, type Tx } from './client.ts'
import { sql } from './sql.ts'
import { oneOfFew, statementNames } from './statements.ts'

const server = await aServer()

const inSystem = <T>(work: (tx: Tx) => Promise<T>) => server.services.db.as('system', work)
const Prepared = z.object({ statement: z.string() })

const prepared = (tx: Tx) =>
  rows(tx, Prepared, sql`select statement from pg_prepared_statements where from_sql = false`)

const RowRow = z.object({ again: z.number() })

test('a statement is prepared when it comes again, and answers as before', async () => {
  await inSystem(async (tx) => {
    for (const n of [1, 2, 3])
      expect(await row(tx, RowRow, sql`select ${n}::int as again`)).toEqual({ again: n })
    await hasRow(tx, sql`select ${1}::int as once`)
    const texts = (await prepared(tx)).map(({ statement }) => statement)
    expect(texts).toContain('select $1::int as again')
    expect(texts).not.toContain('select $1::int as once')
  })
})

test('one that says it is one of few is prepared at once', async () => {
  await inSystem(async (tx) => {
    await hasRow(tx, sql`${sql.raw(oneOfFew)} select ${1}::int as early`)
    const texts = (await prepared(tx)).map(({ statement }) => statement)
    expect(texts).toContain(`${oneOfFew} select $1::int as early`)
  })
})

const Divide = z.object({ result: z.number() })

test('one that failed, or was sent in a transaction that had failed, works again on the same connection', async () => {
  const divide = (tx: Tx, by: number) => row(tx, Divide, sql`select 10 / ${by}::int as result`)
  await inSystem((tx) => divide(tx, 5))
  const attempts = Array.from({ length: 3 }, () =>
    inSystem((tx) => Promise.all([divide(tx, 0), divide(tx, 2), divide(tx, 5)])),
  )
  for (const attempt of await Promise.allSettled(attempts)) expect(attempt.status).toBe('rejected')
  const again = Array.from({ length: 20 }, () => inSystem((tx) => divide(tx, 2)))
  expect(await Promise.all(again)).toEqual(again.map(() => ({ result: 5 })))
})

test('several statements in one text need no name', async () => {
  const twice = inSystem(async (tx) => {
    for (let n = 0; n < 3; n++) await tx.execute(sql`select 1; select 2`)
  })
  await expect(twice).resolves.toBeUndefined()
})

test('texts without end find no room', () => {
  const nameOf = statementNames()
  for (let n = 0; n < 1000; n++) expect(nameOf(`select ${n}`)).toBeUndefined()
  const names = new Set<string | undefined>()
  for (let n = 0; n < 1000; n++) for (let time = 0; time < 2; time++) names.add(nameOf(`select again ${n}`))
  names.delete(undefined)
  expect(names.size).toBe(200)
})
