import { beforeEach, expect, test, vi } from 'vitest'
import { createGroup } from '#contract/directory/groups.ts'
import { listOperationRows } from '#contract/operations.ts'
import { exportPersonData } from '#contract/evidence/privacy.ts'
import { endWaiver, listTraining, readTrainingCell, waiveTraining } from '#contract/matrix/training.ts'
import { takeOperationBack } from '../testing/operations.ts'
import { daysAgo } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { addDelivery, addVideo } from '../testing/viewing/viewing.ts'
import { aWorkingServer, anOrganization } from '../testing/worlds.ts'

const server = await aWorkingServer()
const { query } = server

let orgId: string
let admin: Person
let ada: Person
let params: { orgId: string; userId: string; videoId: string }
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  ada = await server.person(null, orgId)
  const video = await addVideo(server, { organizationId: orgId, title: 'Fire drill' })
  params = { orgId, userId: ada.id, videoId: video.videoId }
  await addDelivery(server, { organizationId: orgId, ...video, userId: ada.id })
})

const waive = (by = admin, body: { reason: string; until?: string | null } = { reason: 'On leave' }) =>
  by.call(waiveTraining, { params, body })
const read = async (by = admin) => (await by.call(readTrainingCell, { params })).body

test('requires sign-in', async () => {
  expect((await server.call(waiveTraining, { params, body: { reason: 'x' } })).status).toBe(401)
  expect((await server.call(endWaiver, { params })).status).toBe(401)
})

test('requires role', async () => {
  expect((await waive(ada)).status).toBe(401)
})

test('excuses a person with a reason, once at a time, and writes down who did it', async () => {
  const made = await waive()
  expect([made.status, made.body]).toEqual([201, expect.objectContaining({ state: 'waived' })])
  expect(made.body.waivers).toMatchObject([{ reason: 'On leave', until: null, endedAt: null, endedBy: null }])
  expect((await waive()).status).toBe(409)
  const { items } = (await admin.call(listTraining, { params: { orgId }, query: { state: 'waived' } })).body
  expect(items).toMatchObject([{ id: ada.id, required: 0, cells: 'w' }])
  const written = await query(
    'select action, actor_id, after from audit where entity_id = $1 and entity = $2',
    [ada.id, 'user'],
  )
  expect(written).toEqual([
    {
      action: 'training.waived',
      actor_id: admin.id,
      after: { video: 'Fire drill', reason: 'On leave', until: null },
    },
  ])
})

test('nobody waives themselves; another administrator, and a superadmin, can', async () => {
  params = { ...params, userId: admin.id }
  await addDelivery(server, {
    organizationId: orgId,
    ...(await addVideo(server, { organizationId: orgId })),
    userId: admin.id,
  })
  const own = await waive(admin)
  expect([own.status, own.problem?.detail]).toEqual([
    403,
    'Nobody waives themselves. Please ask another administrator.',
  ])
  expect((await read()).waivers).toEqual([])
  expect((await waive(await server.person('admin', orgId))).status).toBe(201)
  await admin.call(endWaiver, { params })
  expect((await waive(await server.person('superadmin', null))).status).toBe(201)
})

test('asks for a reason, and for a day that lies ahead', async () => {
  expect((await waive(admin, { reason: '   ' })).problem).toMatchObject({ fields: { reason: ['required'] } })
  expect((await waive(admin, { reason: 'x'.repeat(501) })).problem).toMatchObject({
    fields: { reason: ['too_long'] },
  })
  const until = daysAgo(1).toISOString()
  expect((await waive(admin, { reason: 'x', until })).problem).toMatchObject({
    fields: { until: ['not_ahead'] },
  })
  expect(await read()).toMatchObject({ state: 'delivered', waivers: [] })
})

test('holds through its day where the organization is, whoever gives it', async () => {
  await query(`update organizations set time_zone = 'Pacific/Auckland' where id = $1`, [orgId])
  const until = Temporal.Now.plainDateISO('Pacific/Auckland').add({ days: 3 })
  const end = until.add({ days: 1 }).toZonedDateTime('Pacific/Auckland').epochMilliseconds - 1
  const made = await waive(admin, { reason: 'On leave', until: until.toString() })
  expect(Date.parse(made.body.waivers[0]?.until ?? '')).toBe(end)
  await query(`update organizations set time_zone = 'UTC' where id = $1`, [orgId])
})

test('runs out by itself, and can be given anew', async () => {
  await waive(admin, { reason: 'On leave', until: daysAgo(-1).toISOString() })
  await query(`update training_waivers set until = now() - interval '1 hour' where user_id = $1`, [ada.id])
  const { state, waivers } = await read()
  expect([state, waivers[0]?.endedAt]).toEqual(['delivered', waivers[0]?.until])
  const again = await waive(admin, { reason: 'Still on leave' })
  expect(again.body.state).toBe('waived')
  expect(again.body.waivers).toMatchObject([
    { reason: 'Still on leave', endedAt: null },
    { endedAt: waivers[0]?.until, endedBy: null },
  ])
})

test('is taken back, and that is undone', async () => {
  expect((await admin.call(endWaiver, { params })).status).toBe(409)
  await waive()
  const ended = await admin.call(endWaiver, { params })
  const after = await read()
  expect(after).toMatchObject({
    state: 'delivered',
    waivers: [{ endedBy: expect.stringContaining('Person') }],
  })
  expect(await takeOperationBack(admin, ended.body.operationId)).toMatchObject({ undoCounts: { undone: 1 } })
  expect((await read()).state).toBe('waived')
  expect((await read()).waivers).toMatchObject([{ reason: 'On leave', endedAt: null, endedBy: null }])
  const written = await query<{ action: string }>(
    'select action from audit where entity_id = $1 order by at, id',
    [ada.id],
  )
  expect(written.map(({ action }) => action)).toEqual([
    'training.waived',
    'training.waiver_ended',
    'training.waiver_restored',
  ])
})

test('what was decided anew since stays', async () => {
  await waive()
  const { operationId } = (await admin.call(endWaiver, { params })).body
  await waive(admin, { reason: 'Another one' })
  expect(await takeOperationBack(admin, operationId)).toMatchObject({ undoCounts: { impossible: 1 } })
  const { items } = (await admin.call(listOperationRows, { params: { operationId } })).body
  expect(items).toMatchObject([{ undo: 'impossible', reason: 'waived_again' }])
  expect((await read()).waivers.filter(({ endedAt }) => endedAt === null)).toMatchObject([
    { reason: 'Another one' },
  ])
})

test('what somebody decides anew at the same moment stays, and nothing fails', async () => {
  await waive()
  const { operationId } = (await admin.call(endWaiver, { params })).body
  const client = await server.services.db.system.connect()
  const failures = vi.spyOn(server.services.log, 'error')
  await client.query('begin')
  await client.query(
    `insert into training_waivers (organization_id, user_id, video_id, reason, given_by_name) values ($1, $2, $3, 'Another one', 'Bo')`,
    [orgId, ada.id, params.videoId],
  )
  const undoing = takeOperationBack(admin, operationId)
  await expect
    .poll(() =>
      query(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`),
    )
    .toHaveLength(1)
  await client.query('commit')
  client.release()
  expect(await undoing).toMatchObject({ undoCounts: { impossible: 1 } })
  expect(failures).not.toHaveBeenCalled()
  const { items } = (await admin.call(listOperationRows, { params: { operationId } })).body
  expect(items).toMatchObject([{ undo: 'impossible', reason: 'waived_again' }])
})

test('a groupadmin excuses the members of their groups, and nobody else', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await waive(groupadmin)).status).toBe(404)
  const { body: group } = await admin.call(createGroup, { params: { orgId }, body: { name: 'Crew' } })
  await query(
    'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true), ($1, $2, $4, false)',
    [orgId, group.id, groupadmin.id, ada.id],
  )
  expect((await waive(groupadmin)).body.state).toBe('waived')
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(endWaiver, { params })).status).toBe(404)
  expect((await groupadmin.call(endWaiver, { params })).status).toBe(200)
})

test('is part of what is kept about a person', async () => {
  await waive()
  const file = await admin.call(exportPersonData, { params: { orgId, userId: ada.id } })
  const { waivers } = file.body as unknown as { waivers: unknown }
  expect(waivers).toMatchObject([{ video: 'Fire drill', reason: 'On leave' }])
})
