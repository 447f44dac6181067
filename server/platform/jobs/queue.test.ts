import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { pino } from 'pino'
import { readJobs } from '#contract/platform/upkeep.ts'
import { sql } from '../db/sql.ts'
import { withoutValues } from '../http/log.ts'
import { until } from '../../testing/until.ts'
import { aServer } from '../../testing/worlds.ts'
import { startJobs } from './queue.ts'

const server = await aServer()

test('a job that was waiting already begins after the transaction that needs it, too', async () => {
  const { db, jobs } = server.services
  await jobs.wake('backup.run', {})
  let isWritten = false
  const found: boolean[] = []
  await db.as('system', async (tx) => {
    await jobs.send(tx, 'backup.run', {})
    await jobs.work('backup.run', async () => {
      found.push(isWritten)
    })
    // A worker looks every two seconds at the latest.
    await pause(3_000)
    isWritten = true
  })
  await until(async () => found.length > 0, 10)
  expect(found).toEqual([true])
})

test('what is sent while a job runs is done after it', async () => {
  const { db, jobs } = server.services
  let runs = 0
  await jobs.work('housekeeping', async () => {
    runs += 1
    if (runs === 1) await db.as('system', (tx) => jobs.send(tx, 'housekeeping', {}))
  })
  await jobs.wake('housekeeping', {})
  await until(async () => runs > 1, 10)
  expect(runs).toBe(2)
})

test('a job that fails says why in the log and in the settings, without the values of anybody', async () => {
  const { db } = server.services
  const lines: string[] = []
  const log = pino({ serializers: { err: withoutValues } }, { write: (line: string) => lines.push(line) })
  const jobs = await startJobs(db, { supervise: false, log })
  const id = crypto.randomUUID()
  await jobs.work('operation.run', () =>
    db.as('system', async (tx) => void (await tx.execute(sql`select ${'Anna Ebner'}::uuid`))),
  )
  await jobs.wake('operation.run', { operationId: id })
  const why = 'Failed query: select $1::uuid: invalid input syntax for type uuid (22P02)'
  await until(async () => lines.length > 0, 10)
  await jobs.stop(1_000)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 50,
    msg: 'a job failed',
    queue: 'operation.run',
    operationId: id,
    err: { message: why },
  })
  const superadmin = await server.person('superadmin')
  const { kinds } = (await superadmin.call(readJobs)).body
  expect(kinds.find(({ kind }) => kind === 'operation.run')?.lastError).toBe(why)
  const stored = await db.system.query(`select output from pgboss.job where name = 'operation.run'`)
  expect(lines.join('') + JSON.stringify(stored.rows)).not.toContain('Ebner')
})
