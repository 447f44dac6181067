import { beforeEach, expect, test } from 'vitest'
import { changeObligation, remindPeople } from '#contract/assignments/assignments.ts'
import { listViewers, readAudience } from '#contract/audience/audience.ts'
import { waiveTraining } from '#contract/matrix/training.ts'
import { mostThreads, readWeave, type Weave } from '#contract/audience/weave.ts'
import { addGroup, addPeople, addVideo } from '#server/testing/audience.ts'
import { planNow, sentAll } from '#server/testing/planning.ts'
import { unique } from '#server/testing/unique.ts'
import { aggregate } from '#server/testing/viewing/watching.ts'
import {
  aGroupOf,
  aSendingServer,
  aSentVideo,
  aViewing,
  anAssignment,
  setPolicies,
} from '#server/testing/worlds.ts'

const sending = await aSendingServer()
const { server, org: orgId, admin } = sending
const { query } = server

let videoId: string
let people: string[]
let groupId: string

beforeEach(async () => {
  videoId = await addVideo(server, orgId)
  ;({ people, groupId } = await aGroupOf(server, orgId, 6))
})

/** As many milliseconds ago. */
async function watch(userId = '', parts: [number, number][], ago = 600_000): Promise<void> {
  const at = Date.now() - ago
  const viewings = parts.map((part, n) => aViewing(server, { videoId, userId, part, at: at + n * 61_000 }))
  await aggregate(server, await Promise.all(viewings))
}

type WeaveQuery = { transmissionId?: string; from?: number; to?: number }
const ask = (asked: WeaveQuery = {}, who = admin, of = videoId) =>
  who.call(readWeave, { params: { videoId: of }, query: asked })
async function weaveOf(asked: WeaveQuery = {}): Promise<Weave> {
  const { weave } = (await ask(asked)).body
  if (!weave) throw new Error('There is no weave')
  return weave
}
const stateOf = (weave: Weave) =>
  Object.fromEntries(weave.threads.map(({ userId, state }) => [people.indexOf(userId), state]))
const seenBy = (weave: Weave, n: number) => weave.threads.find(({ userId }) => userId === people[n])?.seen

/** Whether the middle of each second lies in one of these stretches of milliseconds. */
const hasAll = (stretches: readonly (readonly number[])[], from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => (from + n) * 1_000 + 500).every((middle) =>
    stretches.some(([start = 0, end = 0]) => start <= middle && middle < end),
  )

const send = (more: object = {}) =>
  aSentVideo(admin, {
    videoId,
    audience: { groupIds: [groupId] },
    dueAt: new Date(Date.now() + 10 * 864e5).toISOString(),
    ...more,
  })
const yesterday = () => query(`update obligations set last_message_at = now() - interval '2 days'`)
const remind = (body: object, who = admin) => who.call(remindPeople, { params: { orgId }, body })
const remindedOf = async () => {
  const found = await query<{ userId: string }>(
    `select distinct o.user_id as "userId" from obligation_messages m join obligations o on o.id = m.obligation_id
      where o.organization_id = $1 and m.kind = 'manual'`,
    [orgId],
  )
  return found
    .map(({ userId }) => people.indexOf(userId))
    .filter((n) => n >= 0)
    .toSorted((a, b) => a - b)
}

/** Everything seen, the first half, the second half in two parts, nothing, excused, and completed before it was sent. */
async function sentAndWatched(): Promise<string> {
  await watch(people[5], [[0, 60_000]])
  const transmissionId = await send()
  await watch(people[0], [[0, 60_000]])
  await watch(people[1], [[0, 30_000]])
  await watch(people[2], [
    [20_400, 40_600],
    [45_000, 60_000],
  ])
  const body = { reason: 'On leave' }
  await admin.call(waiveTraining, { params: { orgId, userId: people[4] ?? '', videoId }, body })
  return transmissionId
}

test('what each has seen and where they stand is what the rows of the viewers say, those first who lack most', async () => {
  const transmissionId = await sentAndWatched()
  const weave = await weaveOf({ transmissionId })
  expect(weave).toMatchObject({ durationMs: 60_000, seconds: 60, people: 6, tenths: null, part: null })
  expect(weave.threads.map(({ userId }) => people.indexOf(userId)).slice(0, 3)).toEqual([3, 1, 2])
  expect(stateOf(weave)).toEqual({ 0: 'done', 1: 'owes', 2: 'owes', 3: 'owes', 4: 'excused', 5: 'done' })
  expect(seenBy(weave, 2)).toEqual([20, 41, 45, 60])
  const { items } = (await admin.call(listViewers, { params: { videoId } })).body
  for (const { userId, coverage } of items) {
    const { seen = [] } = weave.threads.find((one) => one.userId === userId) ?? {}
    for (let second = 0; second < 60; second++)
      expect(seen.some((edge, at) => at % 2 === 0 && edge <= second && second < (seen[at + 1] ?? 0))).toBe(
        hasAll(coverage, second, second + 1),
      )
  }
  const coverage = new Map(items.map((one) => [one.userId, one.coverage]))
  const owing = [1, 2, 3].map((n) => coverage.get(people[n] ?? '') ?? [])
  for (const [from, to] of [
    [0, 1],
    [20, 21],
    [29, 31],
    [40, 41],
    [40, 42],
    [41, 45],
    [45, 60],
    [0, 60],
    [59, 600],
  ] as const) {
    const lacking = owing.filter((stretches) => !hasAll(stretches, from, Math.min(to, 60))).length
    expect((await weaveOf({ transmissionId, from, to })).part, `${from} to ${to}`).toEqual({
      lacking,
      owing: lacking,
    })
  }
  expect((await ask({ from: 4 })).problem?.fields).toEqual({ to: ['invalid'] })
  expect((await ask({ from: 4, to: 4 })).problem?.fields).toEqual({ to: ['invalid'] })
})

test('a reminder about a part goes to whoever owes it and lacks something of it, of the message alone, once a day', async () => {
  const transmissionId = await sentAndWatched()
  const [later = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  const other = await send({ audience: { userIds: [later] } })
  await yesterday()
  await query(`update deliveries set accepted_at = now() - interval '2 days' where organization_id = $1`, [
    orgId,
  ])
  const part = { from: 25, to: 30 }
  const about = { videoIds: [videoId], transmissionId, part }
  expect((await weaveOf({ transmissionId, ...part })).part).toEqual({ lacking: 1, owing: 1 })
  expect((await weaveOf(part)).part).toEqual({ lacking: 2, owing: 2 })
  expect((await weaveOf({ transmissionId: other, ...part })).part).toEqual({ lacking: 1, owing: 1 })
  expect((await remind(about)).body).toEqual({ reminded: 1, nothingOwed: 0, remindedToday: 0, notNow: 0 })
  expect(await remindedOf()).toEqual([3])
  await sentAll(server)
  expect((await remind({ ...about, part: { from: 28, to: 32 } })).body).toMatchObject({
    reminded: 1,
    remindedToday: 1,
  })
  expect(await remindedOf()).toEqual([1, 3])
  expect((await remind({ ...about, part: { from: 45, to: 60 } })).body).toMatchObject({
    reminded: 0,
    remindedToday: 2,
  })
  expect((await remind({ videoIds: [], transmissionId, part })).problem?.fields).toEqual({
    videoIds: ['required'],
  })
  expect((await remind({ ...about, part: { from: 3, to: 3 } })).status).toBe(422)
})

test('whoever owes it anew has what they have seen since, and of a version that was replaced nobody has anything', async () => {
  await watch(people[0], [[0, 60_000]])
  const assignmentId = await anAssignment(admin, {
    videoId,
    audience: { userIds: people.slice(0, 2) },
    reminders: { daysBefore: [], onTheDay: false, daysAfter: [300], weekly: false, most: 1 },
    escalation: null,
  })
  await planNow(server)
  await watch(people[0], [[10_000, 20_000]], -1_000)
  expect(seenBy(await weaveOf(), 0)).toEqual([10, 20])
  expect(stateOf(await weaveOf())).toEqual({ 0: 'owes', 1: 'owes' })
  await query(
    `with v as (insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        values ($1, $2, 2, 'new.mp4', 1, 30200, now()) returning id)
      update videos set current_version_id = v.id from v where videos.id = $2`,
    [orgId, videoId],
  )
  const anew = await weaveOf({ from: 0, to: 30 })
  expect([anew.seconds, seenBy(anew, 0), anew.part]).toEqual([30, [], { lacking: 2, owing: 2 }])
  const exempt = { action: 'exempt', reason: 'Has moved' } as const
  const params = { orgId, assignmentId, userId: people[0] ?? '' }
  await admin.call(changeObligation, { params, body: { do: exempt } })
  // Completed once, by the version of then, and asked for it by nobody any more.
  expect(stateOf(await weaveOf())).toEqual({ 0: 'done', 1: 'owes' })
})

test('without a day nobody owes it: they lack it, and are not reminded', async () => {
  const transmissionId = await send({ dueAt: undefined })
  await watch(people[0], [[0, 10_000]])
  expect((await weaveOf({ transmissionId, from: 0, to: 10 })).part).toEqual({ lacking: 5, owing: 0 })
  const { body } = await remind({ videoIds: [videoId], transmissionId, part: { from: 0, to: 10 } })
  expect(body.reminded).toBe(0)
})

test('nothing is told of another organization, to group administrators, or where only completions are recorded', async () => {
  const transmissionId = await sentAndWatched()
  const stranger = await server.person('admin', await server.organization())
  expect((await ask({}, stranger)).status).toBe(404)
  const theirs = await addVideo(server, stranger.organizationId ?? '')
  expect((await ask({ transmissionId }, stranger, theirs)).status).toBe(404)
  expect((await ask({ transmissionId }, admin, await addVideo(server, orgId))).status).toBe(404)
  const part = { from: 25, to: 30 }
  const about = { videoIds: [videoId], part }
  const { organizationId } = stranger
  const elsewhere = { params: { orgId: organizationId ?? '' }, body: { ...about, transmissionId } }
  expect((await stranger.call(remindPeople, elsewhere)).body.reminded).toBe(0)
  const eva = await server.person('groupadmin', orgId)
  const own = await addGroup(server, orgId, [people[1] ?? ''])
  await query(
    'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)',
    [orgId, own, eva.id],
  )
  expect((await ask({}, eva)).status).toBe(403)
  await yesterday()
  await query(`update deliveries set accepted_at = now() - interval '2 days' where organization_id = $1`, [
    orgId,
  ])
  // Somebody outside of their groups lacks it as well.
  expect((await remind({ ...about, part: { from: 28, to: 32 } }, eva)).body.reminded).toBe(1)
  expect(await remindedOf()).toEqual([1])
  await setPolicies(server, orgId, { trackingMode: 'completed_only' })
  expect((await ask({ transmissionId })).body).toEqual({ weave: null })
  expect((await remind(about)).problem?.fields).toEqual({ part: ['not_told'] })
  await setPolicies(server, orgId, { trackingMode: 'full' })
})

test('of fewer people than the smallest group there are no curves, and their rows are those of the list', async () => {
  await watch(people[0], [[0, 12_000]])
  const { curves } = (await admin.call(readAudience, { params: { videoId } })).body
  expect(curves).toBeNull()
  expect((await weaveOf()).threads).toMatchObject([{ userId: people[0], state: 'open', seen: [0, 12] }])
})

test('more people than have room stand in tenths, whose figures are those of the people', async () => {
  const many = await addPeople(server, orgId, { count: mostThreads + 10, prefix: unique() })
  const [version] = await query<{ id: string }>(
    `update video_versions set duration_ms = 1000400 where video_id = $1 returning id`,
    [videoId],
  )
  // The first has seen a second, the next two, and so on, from the end; every third from the beginning as well.
  const shares = many.map((id, n) => ({
    id,
    seen: [[1_000_000 - Math.min(n, 900) * 1_000, 1_000_400], ...(n % 3 === 0 ? [[0, 30_700]] : [])],
  }))
  await query(
    `insert into viewer_videos (version_id, viewer_key, organization_id, video_id, user_id, coverage, covered_ms, plays, first_at, last_at)
      select $1, 'recipient:' || (x->>'id'), $2, $3, (x->>'id')::uuid,
        (select range_agg(int4range((r->>0)::int, (r->>1)::int)) from jsonb_array_elements(x->'seen') r), 1, 1, now(), now()
      from jsonb_array_elements($4::jsonb) x`,
    [version?.id, orgId, videoId, JSON.stringify(shares)],
  )
  const weave = await weaveOf({ from: 28, to: 32 })
  expect(weave).toMatchObject({ people: many.length, threads: [], seconds: 1_000 })
  expect(weave.part).toEqual({ lacking: many.length, owing: 0 })
  const { stepSeconds, bands, steps } = weave.tenths ?? { stepSeconds: 0, bands: [], steps: [] }
  expect([stepSeconds, steps.length]).toEqual([2, 500])
  expect(bands.map((band) => band.people)).toEqual(Array.from({ length: 10 }, () => 201))
  for (const step of [0, 14, 15, 16, 50, 250, 499]) {
    const middle = step * 2_000 + 1_500
    const seen = shares.filter((one) => one.seen.some(([a = 0, b = 0]) => a <= middle && middle < b)).length
    expect([step, steps[step]?.lacking]).toEqual([step, many.length - seen])
    expect(bands.reduce((sum, band) => sum + (band.seen[step] ?? 0), 0)).toBe(seen)
  }
  expect(bands[0]?.seen[300]).toBe(0)
  expect(bands[9]?.seen[300]).toBe(201)
})
