import { expect, test } from 'vitest'
import { derivedFigures } from '../../worker.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()

const { query } = server

test('every figure has sources, and every source says of which figure it dirties keys', async () => {
  const sources = await query<{ keys: string }>(
    `select split_part(encode(tgargs, 'escape'), '\\000', 2) as keys from pg_trigger where tgfoid::regproc::text like 'mark\\_dirty\\_%'`,
  )
  const named = sources.flatMap(({ keys }) => [...keys.matchAll(/SELECT '(\w+)'/g)].map(([, name]) => name))
  expect(new Set(named)).toEqual(new Set(derivedFigures.map(({ name }) => name)))
})

test('nothing else keeps marks, and two figures never share a lock', async () => {
  const others = await query(
    `select p.proname from pg_proc p join pg_type t on t.oid = p.prorettype
      where t.typname = 'trigger' and p.pronamespace = 'public'::regnamespace and p.proname like 'mark%' and p.prosrc not like '%INSERT INTO dirty_keys%'`,
  )
  expect(others).toEqual([])
  const locks = derivedFigures.map(({ lock }) => lock)
  expect(new Set(locks).size).toBe(locks.length)
})
