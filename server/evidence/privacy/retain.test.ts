import { expect, test } from 'vitest'
import { readRetention } from '#contract/evidence/privacy.ts'
import { addAudience } from '../../testing/viewing/evidence.ts'
import { sent, writeLog } from '../../testing/viewing/viewers.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, setPolicies } from '../../testing/worlds.ts'
import { rebuild } from '../rebuild/rebuild.ts'
import { startPlay } from '#server/tracking/ingest/token.ts'
import { retain } from './retain.ts'
import { applyRetention } from './retention.ts'

const server = await aServer()
const { query } = server

const day = 24

async function keeping(months: number) {
  const orgId = await server.organization()
  await setPolicies(server, orgId, { retentionMonths: months })
  return orgId
}

const heatOf = (videoId: string) =>
  query('select sec, viewers_delta, passes_delta, exits from video_heat where video_id = $1 order by sec', [
    videoId,
  ])
const daysOf = (videoId: string) =>
  query('select * from day_rollups where video_id = $1 order by day', [videoId])

test('what is older than an organization keeps goes; totals and completions stay, and a rebuild changes nothing', async () => {
  const orgId = await keeping(1)
  const { videoId, userIds } = await addAudience(server, orgId, {
    seed: 7,
    hoursAgo: [40 * day, 39 * day, 2 * day],
  })
  await aggregateOnce(server.services.db)
  const before = { heat: await heatOf(videoId), days: await daysOf(videoId) }
  const completed = await query(
    'select user_id, completed_at from viewer_videos where video_id = $1 and completed_at is not null order by 1',
    [videoId],
  )
  expect(completed.length).toBeGreaterThan(0)
  await applyRetention(server.services)
  const old = await query<{ n: number }>(
    `select count(*)::int as n from play_sessions where video_id = $1 and last_at < now() - interval '35 days'`,
    [videoId],
  )
  expect(old).toEqual([{ n: 0 }])
  expect(
    await query(
      `select 1 from track_batches where video_id = $1 and received_at < now() - interval '35 days'`,
      [videoId],
    ),
  ).toEqual([])
  expect({ heat: await heatOf(videoId), days: await daysOf(videoId) }).toEqual(before)
  expect(
    await query(
      'select user_id, completed_at from viewer_videos where video_id = $1 and completed_at is not null order by 1',
      [videoId],
    ),
  ).toEqual(completed)
  // What is stored of those who came again is what their later sittings give.
  expect((await rebuild(server.services.db, videoId)).differences).toEqual([])
  expect({ heat: await heatOf(videoId), days: await daysOf(videoId) }).toEqual(before)
  // One sitting is worth the same as if nothing had been deleted before.
  const [viewer = ''] = userIds
  const play = {
    org: orgId,
    video: videoId,
    kind: 'recipient' as const,
    userId: viewer,
    maxRate: 2,
    theta: 0.5,
    durMs: 60_000,
  }
  const [version] = await query<{ id: string }>('select id from video_versions where video_id = $1', [
    videoId,
  ])
  const { claims } = startPlay(
    server.services.keys,
    { ...play, version: version?.id ?? '' },
    Date.now() - 60_000,
  )
  await writeLog(server, [sent(claims, { at: 9_000, spans: [[0, 0, 5_000, 5_000, 100, 0]] })])
  await aggregateOnce(server.services.db)
  expect((await rebuild(server.services.db, videoId)).differences).toEqual([])
  const [entry] = await query<{ after: Record<string, number> }>(
    `select after from audit where organization_id = $1 and action = 'evidence.expired'`,
    [orgId],
  )
  expect(entry?.after['sessions']).toBeGreaterThan(0)
  expect(entry?.after['batches']).toBeGreaterThan(0)
})

test('each organization keeps as long as it has said', async () => {
  const [short, long] = [await keeping(1), await keeping(3)]
  for (const orgId of [short, long])
    await addAudience(server, orgId, { seed: 8, hoursAgo: [50 * day], people: 2 })
  await aggregateOnce(server.services.db)
  await applyRetention(server.services)
  const left = async (orgId: string) =>
    (await query('select 1 from play_sessions where organization_id = $1', [orgId])).length
  expect([await left(short), await left(long)]).toEqual([0, 2])
  const batches = await query('select 1 from track_batches where organization_id = $1', [long])
  expect(batches).not.toEqual([])
})

test('deletion goes in steps, and stopped at any of them it is gone on with and counted whole', async () => {
  const orgId = await keeping(1)
  const { videoId } = await addAudience(server, orgId, { seed: 11, hoursAgo: [2 * day], people: 1 })
  await aggregateOnce(server.services.db)
  await query(
    `insert into play_sessions (id, organization_id, video_id, version_id, viewer_key, started_at, zero_at, last_at, coverage, passes, watch_ms, flags)
      select uuidv7(), organization_id, video_id, version_id, 'visitor:' || n, at, at, at, '{[0,1000)}', '{0,1000}', 1000, flags
      from play_sessions, generate_series(1, 1200) n, lateral (select now() - interval '50 days' - make_interval(mins => n) as at) t
      where video_id = $1`,
    [videoId],
  )
  const left = async () =>
    (
      await query(`select 1 from play_sessions where video_id = $1 and viewer_key like 'visitor:%'`, [
        videoId,
      ])
    ).length
  const reported = () =>
    query<{ n: number }>(
      `select (after->>'sessions')::int as n from audit where organization_id = $1 and action = 'evidence.expired'`,
      [orgId],
    )
  const all = await left()
  expect(all).toBeGreaterThanOrEqual(1_200)
  // The time is over after the first step of this organization.
  const { db } = server.services
  let steps = 0
  const counting: typeof db = {
    ...db,
    as: (scope, ...rest) => {
      if (scope !== 'system' && scope.organizationId === orgId) steps += 1
      return db.as(scope, ...rest)
    },
  }
  const budget = {
    get until() {
      return steps > 0 ? 0 : Infinity
    },
  }
  await retain(counting, budget)
  expect(await left()).toBe(all - 500)
  expect(await reported()).toEqual([{ n: 500 }])
  // Killed before it could write into the log: what was counted with the deletion is told by the next run.
  await query(
    `update retention_marks set gone = '{"sessions": 77, "spans": 0, "events": 0, "batches": 0}' where organization_id = $1`,
    [orgId],
  )
  await retain(db, { until: Infinity })
  expect(await left()).toBe(0)
  expect((await reported()).map(({ n }) => n).toSorted((a, b) => a - b)).toEqual([500, all - 500 + 77])
})

test('days of the log that nobody keeps are dropped as a whole', async () => {
  const [{ name } = { name: '' }] = await query<{ name: string }>(
    `select add_track_day((now() at time zone 'UTC')::date - 2000),
      'track_batches_' || to_char((now() at time zone 'UTC')::date - 2000, 'YYYYMMDD') as name`,
  )
  await applyRetention(server.services)
  expect(await query('select to_regclass($1) as found', [name])).toEqual([{ found: null }])
  await expect(query(`select drop_track_day((now() at time zone 'UTC')::date)`)).rejects.toThrow('too young')
})

test('what waits for the aggregation is not deleted before it has been counted', async () => {
  const orgId = await keeping(1)
  const { videoId } = await addAudience(server, orgId, { seed: 9, hoursAgo: [40 * day], people: 2 })
  await applyRetention(server.services)
  expect(await query('select 1 from track_batches where video_id = $1', [videoId])).not.toEqual([])
})

test('an administrator reads what goes next, and when', async () => {
  const orgId = await keeping(3)
  const admin = await server.person('admin', orgId)
  expect((await admin.call(readRetention, { params: { orgId } })).body).toEqual({
    months: 3,
    oldest: null,
    on: null,
  })
  await addAudience(server, orgId, { seed: 10, hoursAgo: [10 * day], people: 1 })
  await aggregateOnce(server.services.db)
  const { oldest, on } = (await admin.call(readRetention, { params: { orgId } })).body
  expect(Date.parse(on ?? '') - Date.parse(oldest ?? '')).toBeGreaterThan(88 * day * 3_600_000)
})
