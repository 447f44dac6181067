import { beforeEach, expect, test } from 'vitest'
import { changeUsers, type UserAction } from '#contract/directory/bulk.ts'
import { cancelOperation, undoOperation } from '#contract/operations.ts'
import type { UserSelection } from '#contract/directory/users.ts'
import { addPeople } from '../../../testing/audience.ts'
import { endOf } from '../../../testing/operations.ts'
import type { Person } from '../../../testing/server.ts'
import { aWorkingServer, anOrganization } from '../../../testing/worlds.ts'

const server = await aWorkingServer()

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const { query } = server
const begin = (selection: UserSelection, asked: UserAction) =>
  admin.call(changeUsers, { params: { orgId }, body: { selection, do: asked } })

test('stops after the present chunk when it is cancelled, and what was done can be undone', async () => {
  await addPeople(server, orgId, { count: 3_000 })
  const selection = { filter: { role: 'none' as const }, exceptIds: [], expected: 3_000 }
  const begun = await begin(selection, { action: 'remove' })
  const cancelled = await admin.call(cancelOperation, { params: { operationId: begun.body.id } })
  expect(cancelled.status).toBe(200)
  const ended = await endOf(admin, begun.body.id)
  expect(ended.state).toBe('cancelled')
  expect(ended.done % 500).toBe(0)
  expect(ended.done).toBeLessThan(3_000)
  const left = await query(
    `select count(*)::int as n from users where organization_id = $1 and deleted_at is null`,
    [orgId],
  )
  expect(left).toEqual([{ n: 3_001 - ended.done }])
})

test('takes ten thousand back, every one', async () => {
  await addPeople(server, orgId, { count: 10_000 })
  const selection = { filter: { role: 'none' as const }, exceptIds: [], expected: 10_000 }
  const begun = await begin(selection, { action: 'remove' })
  const done = await endOf(admin, begun.body.id, 120)
  expect(done.counts).toEqual({ removed: 10_000 })
  await admin.call(undoOperation, { params: { operationId: done.id } })
  const undone = await endOf(admin, done.id, 120)
  expect(undone.undoCounts).toEqual({ undone: 10_000 })
  const back = await query(
    `select count(*)::int as n from users where organization_id = $1 and deleted_at is null and state = 'active'`,
    [orgId],
  )
  expect(back).toEqual([{ n: 10_001 }])
})
