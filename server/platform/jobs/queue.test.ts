import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/server.ts'
import { until } from '../../testing/until.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

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
