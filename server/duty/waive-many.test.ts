import { beforeEach, expect, test } from 'vitest'
import { createGroup } from '#contract/directory/groups.ts'
import { listOperationRows, type Operation } from '#contract/operations.ts'
import { endWaiver, listTraining, readTrainingCell, waiveTraining } from '#contract/matrix/training.ts'
import { changeWaivers, previewWaivers, type WaiverAction } from '#contract/duty/waivers.ts'
import { endOf, takeOperationBack } from '../testing/operations.ts'
import { daysAgo } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { addDelivery, addVideo } from '../testing/viewing/viewing.ts'
import { aWorkingServer, anOrganization } from '../testing/worlds.ts'

const server = await aWorkingServer()
const { query } = server

let orgId: string
let admin: Person
let people: Person[]
let videoIds: string[]
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  people = [await server.person(null, orgId), await server.person(null, orgId)]
  const videos = [
    await addVideo(server, { organizationId: orgId, title: 'Fire drill' }),
    await addVideo(server, { organizationId: orgId, title: 'First aid' }),
  ]
  videoIds = videos.map(({ videoId }) => videoId)
  for (const video of videos)
    for (const { id } of people) await addDelivery(server, { organizationId: orgId, ...video, userId: id })
})

const waiving: WaiverAction = { action: 'waive', reason: 'On leave' }
const ending: WaiverAction = { action: 'end' }
const cellsOf = (userIds = people.map(({ id }) => id)) => ({ userIds, videoIds })
const bodyOf = (action: WaiverAction, userIds?: string[]) => ({ ...cellsOf(userIds), do: action })
/** Somebody and this video. */
const about = (title: string) => expect.stringMatching(new RegExp(`^Person \\d+: ${title}$`))
const begin = (by: Person, action: WaiverAction, userIds?: string[]) =>
  by.call(changeWaivers, { params: { orgId }, body: bodyOf(action, userIds) })
const preview = async (by: Person, action: WaiverAction, userIds?: string[]) =>
  (
    await by.call(previewWaivers, {
      params: { orgId },
      body: { ...cellsOf(userIds), action: action.action },
    })
  ).body
async function done(action: WaiverAction, userIds?: string[], by = admin): Promise<Operation> {
  const begun = await begin(by, action, userIds)
  expect(begun.status).toBe(202)
  return endOf(by, begun.body.id)
}
/** The letters of the rows, by name of the video. */
const cells = async () =>
  (await admin.call(listTraining, { params: { orgId } })).body.items
    .filter(({ id }) => people.some((one) => one.id === id))
    .map((row) => row.cells)
const rowsOf = async (id: string) =>
  (await admin.call(listOperationRows, { params: { operationId: id } })).body.items

test('requires sign-in', async () => {
  const params = { orgId }
  expect((await server.call(changeWaivers, { params, body: bodyOf(ending) })).status).toBe(401)
  const body = { ...cellsOf(), action: 'end' as const }
  expect((await server.call(previewWaivers, { params, body })).status).toBe(401)
})

test('requires role', async () => {
  expect((await begin(people[0] ?? admin, waiving)).status).toBe(401)
})

test('excuses many from many with one reason, and writes down each', async () => {
  expect(await preview(admin, waiving)).toEqual({
    total: 4,
    changing: 4,
    names: people.flatMap(() => [about('Fire drill'), about('First aid')]),
    staying: [],
  })
  const until = daysAgo(-7).toISOString()
  const operation = await done({ ...waiving, until })
  expect(operation).toMatchObject({ kind: 'waivers.give', state: 'done', counts: { created: 4 }, total: 4 })
  expect(await cells()).toEqual(['ww', 'ww'])
  const params = { orgId, userId: people[0]?.id ?? '', videoId: videoIds[0] ?? '' }
  const { waivers } = (await admin.call(readTrainingCell, { params })).body
  expect(waivers).toMatchObject([{ reason: 'On leave', until }])
  const written = await query(
    `select entity_id, after from audit where organization_id = $1 and action = 'training.waived'`,
    [orgId],
  )
  expect(written).toHaveLength(4)
  expect(written).toContainEqual({
    entity_id: people[1]?.id,
    after: { video: 'First aid', reason: 'On leave', until },
  })
  const [stored] = await query<{ params: unknown }>('select params from operations where id = $1', [
    operation.id,
  ])
  expect(JSON.stringify(stored?.params)).not.toContain('On leave')
})

test('leaves out oneself, who is waived and who has completed it, and names them', async () => {
  const [ada, ben] = people.map(({ id }) => id)
  const cell = { orgId, userId: ada ?? '', videoId: videoIds[0] ?? '' }
  await admin.call(waiveTraining, { params: cell, body: { reason: 'Before' } })
  await query(
    `insert into viewer_videos (organization_id, video_id, version_id, user_id, viewer_key, first_at, last_at, watch_ms, plays,
        covered_ms, completed_at)
      select $1, $2, n.id, $3::uuid, 'recipient:' || $3, now(), now(), 1, 1, 1, now() from video_versions n where n.video_id = $2`,
    [orgId, videoIds[1], ben],
  )
  const all = [ada ?? '', ben ?? '', admin.id]
  expect(await preview(admin, waiving, all)).toEqual({
    total: 6,
    changing: 2,
    names: [about('First aid'), about('Fire drill')],
    staying: [
      { reason: 'yourself', count: 2 },
      { reason: 'already_done', count: 1 },
      { reason: 'already_waived', count: 1 },
    ],
  })
  const { id, counts } = await done(waiving, all)
  expect(counts).toEqual({ created: 2, skipped: 2, unchanged: 2 })
  const own = (await rowsOf(id)).filter(({ reason }) => reason === 'yourself')
  expect(own.map(({ entityId, label }) => [entityId, label.split(': ')[1]])).toEqual([
    [admin.id, 'Fire drill'],
    [admin.id, 'First aid'],
  ])
  const standing = await query('select 1 from training_waivers where user_id = $1', [admin.id])
  expect(standing).toEqual([])
})

test('is undone, except what somebody has taken back since', async () => {
  const { id } = await done(waiving)
  const cell = { orgId, userId: people[0]?.id ?? '', videoId: videoIds[0] ?? '' }
  await admin.call(endWaiver, { params: cell })
  await admin.call(waiveTraining, { params: cell, body: { reason: 'Anew' } })
  expect(await takeOperationBack(admin, id)).toMatchObject({
    state: 'undone',
    undoCounts: { undone: 3, changed_since: 1 },
  })
  expect((await cells()).toSorted()).toEqual(['dd', 'wd'])
})

test('takes many back, and that is undone, except what was given anew', async () => {
  await done(waiving)
  expect(await preview(admin, ending)).toMatchObject({ changing: 4 })
  const { id, counts } = await done(ending)
  expect(counts).toEqual({ changed: 4 })
  expect(await cells()).toEqual(['dd', 'dd'])
  expect((await done(ending)).counts).toEqual({ unchanged: 4 })
  const cell = { orgId, userId: people[0]?.id ?? '', videoId: videoIds[0] ?? '' }
  await admin.call(waiveTraining, { params: cell, body: { reason: 'Anew' } })
  expect(await takeOperationBack(admin, id)).toMatchObject({ undoCounts: { undone: 3, impossible: 1 } })
  expect(await cells()).toEqual(['ww', 'ww'])
  expect((await rowsOf(id)).filter(({ undo }) => undo === 'impossible')).toMatchObject([
    { entityId: cell.userId, reason: 'waived_again' },
  ])
})

test('what is out of sight is not found, and nothing happens', async () => {
  const stranger = await server.person(null, await server.organization())
  expect((await begin(admin, waiving, [people[0]?.id ?? '', stranger.id])).status).toBe(404)
  const groupadmin = await server.person('groupadmin', orgId)
  const { body: group } = await admin.call(createGroup, { params: { orgId }, body: { name: 'Crew' } })
  await query(
    'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true), ($1, $2, $4, false)',
    [orgId, group.id, groupadmin.id, people[0]?.id],
  )
  expect((await begin(groupadmin, waiving)).status).toBe(404)
  const unseen = await addVideo(server, { organizationId: orgId, title: 'Secret' })
  const body = { ...bodyOf(waiving, [people[0]?.id ?? '']), videoIds: [unseen.videoId] }
  expect((await groupadmin.call(changeWaivers, { params: { orgId }, body })).status).toBe(404)
  expect(await query('select 1 from training_waivers where organization_id = $1', [orgId])).toEqual([])
  expect((await done(waiving, [people[0]?.id ?? ''], groupadmin)).counts).toEqual({ created: 2 })
})

test('asks for a reason, a day ahead, and no more than one transaction holds', async () => {
  const problem = async (action: WaiverAction, more: object = {}) =>
    (await admin.call(changeWaivers, { params: { orgId }, body: { ...bodyOf(action), ...more } })).problem
  expect((await problem({ action: 'waive', reason: ' ' }))?.code).toBe('validation_failed')
  const until = daysAgo(1).toISOString()
  expect(await problem({ ...waiving, until })).toMatchObject({ fields: { until: ['not_ahead'] } })
  const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID())
  expect(await problem(waiving, { userIds: ids(1_000), videoIds: ids(21) })).toMatchObject({
    fields: { userIds: ['too_long'] },
  })
})
