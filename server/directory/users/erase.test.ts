import { expect, test } from 'vitest'
import { createGroup, removeGroupUser } from '#contract/directory/groups.ts'
import { listOperationRows, readOperation, undoOperation } from '#contract/operations.ts'
import { createUser, deleteUser, readRemoval } from '#contract/directory/users.ts'
import { addVideo } from '../../testing/audience.ts'
import { forgetOperations } from '../../operations/forget.ts'
import { addPastDelivery, addPastViewing, daysAgo } from '../../testing/viewing/past.ts'
import type { Person } from '../../testing/server.ts'
import { aWorkingServer, anOrganization } from '../../testing/worlds.ts'
import { databaseLinks } from '../../platform/audit/sources.ts'
import { seal } from '../../platform/audit/seal.ts'
import { verifyChain } from '../../platform/audit/verify.ts'
import { erasePeople } from '../../housekeeping.ts'

const server = await aWorkingServer()
const { query } = server

/** Somebody with evidence, whom an administrator has removed. */
async function removed(admin: Person, orgId: string) {
  const groupId = (await admin.call(createGroup, { params: { orgId }, body: { name: crypto.randomUUID() } }))
    .body.id
  const body = {
    name: 'Ada Lovelace',
    email: `ada.lovelace-${crypto.randomUUID()}@example.test`,
    phone: '+44 1',
    externalId: crypto.randomUUID(),
    role: 'groupadmin' as const,
    groupIds: [groupId],
  }
  const { id } = (await admin.call(createUser, { params: { orgId }, body })).body
  const videoId = await addVideo(server, orgId)
  const [version] = await query('select id from video_versions where video_id = $1', [videoId])
  const at = daysAgo(3)
  const whose = { organizationId: orgId, videoId, versionId: String(version?.id), userId: id }
  const delivery = await addPastDelivery(server, { ...whose, at })
  await query('update deliveries set address = $2 where user_id = $1', [id, body.email])
  await addPastViewing(server, {
    ...whose,
    at,
    coveredMs: 60_000,
    watchMs: 70_000,
    completed: true,
    delivery,
  })
  const meaning = await admin.call(readRemoval, { params: { orgId, userId: id } })
  const left = await admin.call(removeGroupUser, { params: { orgId, groupId, userId: id } })
  const gone = await admin.call(deleteUser, { params: { orgId, userId: id } })
  return {
    id,
    email: body.email,
    meaning: meaning.body,
    operationIds: [left.body.operationId, gone.body.operationId],
  }
}

const later = async (id: string, operationIds: string[], days: number) => {
  await query('update mails set created_at = created_at - make_interval(days => $1)', [days])
  await query('update users set deleted_at = deleted_at - make_interval(days => $2) where id = $1', [
    id,
    days,
  ])
  await query(
    `update operations set undo_until = undo_until - make_interval(days => $2), created_at = created_at - make_interval(days => $2),
      finished_at = finished_at - make_interval(days => $2) where id = any($1)`,
    [operationIds, days],
  )
}

test('says in numbers what a removal means, and erases the details after 30 days, but no evidence', async () => {
  const { orgId, admin } = await anOrganization(server)
  const { id, email, meaning, operationIds } = await removed(admin, orgId)
  expect(meaning).toEqual({
    messages: 1,
    videos: 1,
    completed: 1,
    watchedMs: 70_000,
    groups: 1,
    administeredGroups: 1,
    sessions: 0,
    invitations: 1,
    waitingMessages: 0,
  })
  const row = async () => (await query('select * from users where id = $1', [id]))[0]
  await later(id, operationIds, 29)
  await erasePeople(server.services)
  expect(await row()).toMatchObject({ name: 'Ada Lovelace', email, erased_at: null })
  await later(id, operationIds, 2)
  await Promise.all([erasePeople(server.services), erasePeople(server.services)])
  expect(await row()).toMatchObject({
    name: `Removed person ${id.slice(-6)}`,
    email: `removed-${id}@removed.invalid`,
    phone: null,
    external_id: null,
    custom_fields: {},
    erased_at: expect.any(Date) as Date,
  })
  expect(await query('select address, state from deliveries where user_id = $1', [id])).toMatchObject([
    { address: `removed-${id}@removed.invalid` },
  ])
  expect(await query('select watch_ms::int from viewer_videos where user_id = $1', [id])).toEqual([
    { watch_ms: 70_000 },
  ])
  for (const table of ['users', 'deliveries', 'invitations', 'mails', 'operations', 'operation_rows']) {
    const found = await query(`select t::text as text from ${table} t where organization_id = $1`, [orgId])
    expect(found.length, table).toBeGreaterThan(0)
    expect(JSON.stringify(found), table).not.toMatch(/lovelace/i)
  }
  expect(
    await query(`select 1 from audit where entity_id = $1 and action = 'user.erased'`, [id]),
  ).toHaveLength(1)
  const [, operationId = ''] = operationIds
  const read = await admin.call(readOperation, { params: { operationId } })
  expect(read.body).toMatchObject({ subject: `Removed person ${id.slice(-6)}`, undoUntil: null })
  expect((await admin.call(undoOperation, { params: { operationId } })).status).toBe(409)
})

test('forgets operations that ended 90 days ago', async () => {
  const { orgId, admin } = await anOrganization(server)
  const { id, operationIds } = await removed(admin, orgId)
  await later(id, operationIds, 89)
  await forgetOperations(server.services)
  const params = { operationId: operationIds[1] ?? '' }
  expect((await admin.call(listOperationRows, { params })).body.total).toBe(1)
  await later(id, operationIds, 2)
  await forgetOperations(server.services)
  expect((await admin.call(readOperation, { params })).status).toBe(404)
  expect(await query('select 1 from operation_rows where operation_id = $1', [params.operationId])).toEqual(
    [],
  )
})

test('the log forgets what names an erased person, and its chain still fits', async () => {
  const { orgId, admin } = await anOrganization(server)
  const { id, email } = await removed(admin, orgId)
  const { id: other } = await removed(admin, orgId)
  await seal(server.services.db)
  await query(`update users set deleted_at = now() - interval '31 days' where id = $1`, [id])
  await query(`update operations set undo_until = now() - interval '1 day'`)
  await forgetOperations(server.services)
  await erasePeople(server.services)
  await seal(server.services.db)
  const about = (whom: string) =>
    query(
      `select before, after, actor_name, salt from audit where entity_id = $1 and action like 'user.%' order by id`,
      [whom],
    )
  const [created] = await about(id)
  expect(created).toEqual({ before: null, after: null, actor_name: null, salt: null })
  expect((await about(other))[0]?.after).toMatchObject({ name: 'Ada Lovelace' })
  expect(
    await query(`select 1 from audit where before::text || after::text like $1`, [`%${email}%`]),
  ).toEqual([])
  const [entry] = await query(
    `select organization_id, after from audit where action = 'audit.erased' and entity_id = $1`,
    [id],
  )
  expect(entry).toMatchObject({ organization_id: orgId, after: { entries: expect.any(Number) as number } })
  const verdict = await server.services.db.as('system', (tx) => verifyChain(databaseLinks(tx)))
  expect(verdict.fault).toBeNull()
  const [all] = await query(
    `select sum((after->>'entries')::int)::int as n from audit where action = 'audit.erased'`,
  )
  expect(verdict.erased).toBe(all?.n)
})

test('an erased manager is named neither by their people nor in the log about them', async () => {
  const { orgId, admin } = await anOrganization(server)
  const boss = {
    name: 'Boss',
    email: `boss-${crypto.randomUUID()}@example.test`,
    externalId: crypto.randomUUID(),
  }
  const { id } = (await admin.call(createUser, { params: { orgId }, body: boss })).body
  const add = async (name: string, manager: string) => {
    const body = { name, email: `${crypto.randomUUID()}@example.test`, manager }
    return (await admin.call(createUser, { params: { orgId }, body })).body.id
  }
  const people = [await add('One', boss.email.toUpperCase()), await add('Two', boss.externalId)]
  await admin.call(deleteUser, { params: { orgId, userId: id } })
  await seal(server.services.db)
  await query(`update users set deleted_at = now() - interval '31 days' where id = $1`, [id])
  await query(`update operations set undo_until = now() - interval '1 day'`)
  await forgetOperations(server.services)
  await erasePeople(server.services)
  expect(await query('select manager from users where id = any($1)', [people])).toEqual([
    { manager: null },
    { manager: null },
  ])
  const named = `select 1 from audit where lower(concat(before, after)) like any(array[lower($1), lower($2)])`
  expect(await query(named, [`%${boss.email}%`, `%${boss.externalId}%`])).toEqual([])
})

test('the application itself can neither change nor delete entries of the log', async () => {
  await expect(query(`update audit set after = null`)).rejects.toThrow('permission denied')
  await expect(query(`delete from audit`)).rejects.toThrow('permission denied')
})
