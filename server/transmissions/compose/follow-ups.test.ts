import { beforeEach, expect, test } from 'vitest'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { deleteGroup } from '#contract/directory/groups.ts'
import {
  createTransmission,
  followUpParts,
  listTransmissions,
  previewAudience,
  readTransmission,
  type FollowUpPart,
} from '#contract/transmissions/transmissions.ts'
import { addGroup, addPeople, addVideo } from '../../testing/audience.ts'
import type { Person } from '../../testing/server.ts'
import { unique } from '../../testing/unique.ts'
import { until } from '../../testing/until.ts'
import { writeLog, type SentBatch } from '../../testing/viewing/viewers.ts'
import { aggregate, watched } from '../../testing/viewing/watching.ts'
import { aGroupOf, aSendingServer, versionOf } from '../../testing/worlds.ts'
import type { NewPlay } from '../../tracking/ingest/token.ts'

const sending = await aSendingServer()
const { server, org: accountId, admin } = sending
const { query } = server

let videoId: string
let groupId: string
let people: string[]
let transmissionId: string

beforeEach(async () => {
  videoId = await addVideo(server, accountId)
  ;({ people, groupId } = await aGroupOf(server, accountId, 6))
  transmissionId = await send({ groupIds: [groupId] })
  await completed(transmissionId)
})

async function send(audience: object): Promise<string> {
  const made = await admin.call(createTransmission, { body: { accountId, videoId, body: 'x', audience } })
  expect(made.status).toBe(201)
  return made.body.id
}

const read = async (id: string) =>
  (await admin.call(readTransmission, { params: { transmissionId: id } })).body

async function completed(id: string): Promise<void> {
  await until(async () => (await read(id)).state === 'completed', 20)
}

async function recipientsOf(id: string): Promise<string[]> {
  const { items } = (await admin.call(listDeliveries, { params: { transmissionId: id } })).body
  return items.map(({ user }) => user.id)
}

/** The whole of the video, an hour ago: by the link of a transmission, or of none of these. */
async function viewingOf(userId: string, by?: string): Promise<SentBatch> {
  const [delivery] = await query<{ id: string }>(
    'select id from deliveries where transmission_id = $1 and user_id = $2',
    [by, userId],
  )
  const play: NewPlay = {
    org: accountId,
    video: videoId,
    version: await versionOf(server, videoId),
    durMs: 60_000,
    kind: 'recipient',
    userId,
    maxRate: 2,
    theta: 0.95,
    ...(by !== undefined && delivery && { transmission: by, delivery: delivery.id }),
  }
  return watched(server, { play, at: Date.now() - 3_600_000, part: [0, 60_000] })
}

const becomes = (userId: string | undefined, state: string) =>
  query('update deliveries set state = $3 where transmission_id = $1 and user_id = $2', [
    transmissionId,
    userId,
    state,
  ])

/** Lists are prepared, and no mail leaves. */
const lane = (state: 'open' | 'closed') => query('update send_lanes set state = $1', [state])

test('each part of an earlier transmission gets its own: the preview and the mails agree', async () => {
  const [done = '', elsewhere = '', , failed = '', unknown = '', cancelled = ''] = people
  await aggregate(server, [await viewingOf(done, transmissionId), await viewingOf(elsewhere)])
  await becomes(failed, 'bounced')
  await becomes(unknown, 'unknown')
  await becomes(cancelled, 'cancelled')
  const [newcomer = ''] = await addPeople(server, accountId, { count: 1, prefix: unique() })
  await query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
    accountId,
    groupId,
    newcomer,
  ])
  const asked = (about: string) =>
    admin.call(previewAudience, { body: { accountId, audience: { groupIds: [groupId] }, videoId: about } })
  expect((await asked(videoId)).body).toMatchObject({ recipients: 7, completed: 2 })
  expect((await asked(crypto.randomUUID())).body).toMatchObject({ recipients: 7, completed: 0 })
  const before = (await read(transmissionId)).counts
  const expected: Record<FollowUpPart, string[]> = {
    not_watched: people.slice(2, 3),
    failed: [failed],
    unknown: [unknown],
    cancelled: [cancelled],
    joined_since: [newcomer],
  }
  for (const part of followUpParts) {
    const audience = { of: { transmissionId, part } }
    const preview = await admin.call(previewAudience, { body: { accountId, audience } })
    const skipped = part === 'not_watched' ? { already_done: 1 } : {}
    expect(preview.body).toMatchObject({
      recipients: expected[part].length,
      skipped,
      overlaps: 0,
      excepted: 0,
    })
    const id = await send(audience)
    await completed(id)
    const named = part === 'not_watched' ? [...expected[part], elsewhere] : expected[part]
    expect((await recipientsOf(id)).sort()).toEqual(named.toSorted())
    expect((await read(id)).counts).toMatchObject({ accepted: expected[part].length })
    expect((await read(id)).follows).toMatchObject({ id: transmissionId, part })
  }
  const followers = await admin.call(listTransmissions, { query: { follows: transmissionId } })
  const parts = followers.body.items.map(({ follows }) => follows?.part ?? '')
  expect(parts.toSorted()).toEqual(followUpParts.toSorted())
  expect((await read(transmissionId)).counts).toEqual(before)
})

test('whoever is done before their reminder leaves gets none, also when that is not counted yet', async () => {
  const [early = '', late = '', ...others] = people
  await lane('closed')
  const id = await send({ of: { transmissionId, part: 'not_watched' } })
  await until(async () => (await read(id)).state === 'sending', 10)
  await aggregate(server, [await viewingOf(early)])
  // It has arrived, and nobody has looked at it yet.
  const reports = [await viewingOf(late)]
  await writeLog(server, reports)
  await lane('open')
  await until(async () => (await read(id)).counts.accepted === others.length, 10)
  expect(await read(id)).toMatchObject({ state: 'sending', counts: { skipped: 1, queued: 1 } })
  await aggregate(server, [])
  await completed(id)
  const { items } = (await admin.call(listDeliveries, { params: { transmissionId: id } })).body
  const skipped = items.filter(({ state }) => state === 'skipped')
  expect(skipped.map(({ user, reason }) => `${user.id} ${reason}`).toSorted()).toEqual(
    [early, late].map((userId) => `${userId} already_done`).toSorted(),
  )
  expect((await read(id)).counts).toMatchObject({ accepted: others.length, skipped: 2 })
})

test('whom an exception left out is no newcomer once its group is removed', async () => {
  const [newcomer = '', left = ''] = await addPeople(server, accountId, { count: 2, prefix: unique() })
  const exceptGroupId = await addGroup(server, accountId, [left])
  transmissionId = await send({ groupIds: [groupId], exceptGroupIds: [exceptGroupId] })
  await completed(transmissionId)
  for (const userId of [newcomer, left])
    await query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
      accountId,
      groupId,
      userId,
    ])
  const params = { orgId: accountId, groupId: exceptGroupId }
  expect((await admin.call(deleteGroup, { params })).status).toBe(200)
  const audience = { of: { transmissionId, part: 'joined_since' as const } }
  const { sample } = (await admin.call(previewAudience, { body: { accountId, audience } })).body
  expect(sample.map(({ id }) => id)).toEqual([newcomer])
})

test('refuses what was not sent, is of others, or is mixed with another choice', async () => {
  const stranger = await server.person('admin', await server.organization())
  const of = { transmissionId, part: 'failed' } as const
  const asked = (person: Person, of_: object, more: object = {}) =>
    person.call(createTransmission, {
      body: {
        accountId: person.organizationId ?? accountId,
        videoId,
        body: 'x',
        audience: { of: of_, ...more } as never,
      },
    })
  expect((await asked(stranger, of)).problem?.fields).toEqual({ 'audience.of': ['not_found'] })
  const unknown = await asked(admin, { ...of, transmissionId: crypto.randomUUID() })
  expect(unknown.problem?.fields).toEqual({ 'audience.of': ['not_found'] })
  await query(`update transmissions set state = 'draft' where id = $1`, [transmissionId])
  expect((await asked(admin, of)).problem?.fields).toEqual({ 'audience.of': ['not_found'] })
  expect((await asked(admin, of, { everyone: true })).problem?.fields).toEqual({ 'audience.of': ['invalid'] })
  expect((await asked(admin, { ...of, part: 'all' })).status).toBe(422)
  const both = await admin.call(createTransmission, {
    body: { accountId, videoId, body: 'x', userId: people[0], audience: { of } },
  })
  expect(both.problem?.fields).toEqual({ 'audience.of': ['invalid'] })
})
