import { expect, test } from 'vitest'
import { administer } from '../../testing/setup.ts'
import { aServer } from '../../testing/worlds.ts'
import { sql } from '../db/sql.ts'
import { drain, type DirtyKey, type DerivedFigure } from './keys.ts'

const server = await aServer()

const training: Omit<DerivedFigure, 'recompute'> = {
  name: 'training',
  bySubject: false,
  lock: 'trainingCells',
  most: 10_000,
  collapses: false,
  restMs: 400,
}

/** Statistics of a queue that was just emptied: its pages are there, and no row. Each key compared with each takes minutes then. */
test('very many keys are taken at once, although the planner expects none', async () => {
  const { system } = server.services.db
  const organizationId = await server.organization()
  const mark = (n: number) =>
    system.query(
      `insert into dirty_keys (figure, organization_id, subject, person)
        select 'training', $1, uuidv7(), uuidv7()::text from generate_series(1, $2::int)`,
      [organizationId, n],
    )
  await mark(3_000)
  await system.query('delete from dirty_keys')
  await administer(server.ownerUrl, 'analyze dirty_keys')
  await mark(30_000)
  const taken: number[] = []
  const figure: DerivedFigure = {
    ...training,
    recompute: (_tx, _place, keys: readonly DirtyKey[]) => {
      taken.push(keys.length)
      return Promise.resolve()
    },
  }
  await drain(server.services.db, figure)
  expect(taken).toEqual([10_000, 10_000, 10_000])
})

test('what fails in one organization keeps its keys, and holds up no other', async () => {
  const { system } = server.services.db
  const broken = await server.organization()
  const sound = await server.organization()
  for (const organizationId of [broken, sound])
    await system.query(`insert into dirty_keys (figure, organization_id) values ('training', $1)`, [
      organizationId,
    ])
  const worked: string[] = []
  const figure: DerivedFigure = {
    ...training,
    async recompute(_tx, { organizationId }) {
      if (organizationId === broken) throw new Error('its sources cannot be read')
      worked.push(organizationId)
    },
  }
  await expect(drain(server.services.db, figure)).rejects.toThrow('its sources cannot be read')
  expect(worked).toEqual([sound])
  const left = await system.query(
    'select organization_id as of from dirty_keys where organization_id = any($1)',
    [[broken, sound]],
  )
  expect(left.rows).toEqual([{ of: broken }])
})

test('what was set aside is tried again as a part of its place, where one transaction at a time is at work', async () => {
  const { system } = server.services.db
  const organizationId = await server.organization()
  await system.query('delete from dirty_keys')
  await system.query('delete from set_aside')
  await system.query(
    `insert into dirty_keys (figure, organization_id, subject, person) values ('training', $1, uuidv7(), 'somebody')`,
    [organizationId],
  )
  const places: (string | null)[] = []
  let isMended = false
  const figure: DerivedFigure = {
    ...training,
    async recompute(tx, place) {
      if (place.organizationId === organizationId) places.push(place.subject)
      if (!isMended) await tx.execute(sql`select ${'Ada Lovelace'}::text::uuid`)
    },
  }
  const isAside = async () =>
    (
      await system.query('select from set_aside where organization_id = $1 and input is not null', [
        organizationId,
      ])
    ).rowCount === 1
  while (!(await isAside()))
    await expect(drain(server.services.db, figure)).rejects.toThrow(/Failed query|invalid input syntax/)
  const aside = await system.query('select reason from set_aside where organization_id = $1', [
    organizationId,
  ])
  for (const { reason } of aside.rows) expect(reason).toBe('invalid input syntax for type uuid')
  isMended = true
  await system.query('update set_aside set next_try_at = now()')
  await drain(server.services.db, figure)
  expect(await isAside()).toBe(false)
  expect(new Set(places)).toEqual(new Set([null]))
})
