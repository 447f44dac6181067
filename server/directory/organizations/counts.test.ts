import { expect, test } from 'vitest'
import { addGroupUsers, createGroup, listGroups } from '#contract/directory/groups.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { createUser, deleteUser, listUsers } from '#contract/directory/users.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { addUpCounts } from './counts.ts'

const server = await aServer()

let made = 0
async function create(admin: Person, groupIds: string[] = []): Promise<string> {
  const body = { name: 'New', email: `counted-${(made += 1)}@example.test`, role: null, groupIds }
  const answer = await admin.call(createUser, { params: { orgId: admin.organizationId ?? '' }, body })
  expect(answer.status).toBe(201)
  return answer.body.id
}

/** As every place that knows a number of people tells it. */
async function people(admin: Person) {
  const listed = await admin.call(listUsers, { params: { orgId: admin.organizationId ?? '' } })
  const organizations = await admin.call(listOrganizations)
  return [listed.body.total, organizations.body.items[0]?.userCount]
}

test('nobody waits for another who creates somebody in the same organization and group', async () => {
  const { orgId, admin } = await anOrganization(server)
  const group = await admin.call(createGroup, { params: { orgId }, body: { name: 'Crew' } })
  const members = async () => (await admin.call(listGroups, { params: { orgId } })).body.items[0]?.memberCount
  const client = await server.services.db.system.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<{ id: string }>(
      `insert into users (organization_id, name, email) values ($1, 'Slow', 'slow@example.test') returning id`,
      [orgId],
    )
    await client.query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
      orgId,
      group.body.id,
      rows[0]?.id,
    ])
    await create(admin, [group.body.id])
    expect(await people(admin)).toEqual([2, 2])
    expect(await members()).toBe(1)
    await client.query('commit')
  } finally {
    client.release()
  }
  expect(await people(admin)).toEqual([3, 3])
  expect(await members()).toBe(2)
})

test('numbers are right before and after they are added up, by however many at once', async () => {
  const { orgId, admin } = await anOrganization(server)
  const gone = await create(admin)
  await Promise.all(Array.from({ length: 12 }, () => create(admin)))
  expect(await people(admin)).toEqual([14, 14])
  const adding = Array.from({ length: 4 }, () => addUpCounts(server.services.db))
  const meanwhile = Array.from({ length: 4 }, () => people(admin))
  expect(await Promise.all(meanwhile)).toEqual(Array.from({ length: 4 }, () => [14, 14]))
  await Promise.all(adding)
  await admin.call(deleteUser, { params: { orgId, userId: gone } })
  expect(await people(admin)).toEqual([13, 13])
  await addUpCounts(server.services.db)
  expect(await people(admin)).toEqual([13, 13])
  const left = await server.query('select 1 from count_changes')
  expect(left).toEqual([])
  const stored = await server.query('select user_count from organizations where id = $1', [orgId])
  expect(stored).toEqual([{ user_count: '13' }])
})

test('the answer that adds members counts them', async () => {
  const { orgId, admin } = await anOrganization(server)
  const group = await admin.call(createGroup, { params: { orgId }, body: { name: 'Crew' } })
  const params = { orgId, groupId: group.body.id }
  const userIds = [await create(admin), await create(admin)]
  const added = await admin.call(addGroupUsers, { params, body: { userIds } })
  expect(added.body).toMatchObject({ memberCount: 2 })
})
