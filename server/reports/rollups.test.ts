import { expect, test } from 'vitest'
import { reportUserActivity, reportUserEngagement } from '#contract/reports/reports.ts'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { addAudience } from '../testing/viewing/evidence.ts'
import { valuesOf } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { aggregateOnce } from '../testing/viewing/aggregate.ts'
import { aServer, anOrganization, setPolicies } from '../testing/worlds.ts'
import { applyRetention } from '../evidence/privacy/retention.ts'

/** The figures of reports against every session and span that the aggregation left behind, and after these have gone. */
const server = await aServer()
const { query } = server

const day = 24

type Session = {
  day: string
  video_id: string
  user_id: string | null
  viewer_key: string
  watch_ms: number
  played: boolean
}

/** Everything by looking at every session. */
async function bruteForce(organizationId: string) {
  const sessions = await query<Session>(
    `select to_char(started_at at time zone 'UTC', 'YYYY-MM-DD') as day, video_id, user_id, viewer_key, watch_ms::float8 as watch_ms,
        flags & $2 <> 0 as played from play_sessions where organization_id = $1 and flags & $3 = 0`,
    [organizationId, sessionFlags.played, sessionFlags.bot],
  )
  const played = sessions.filter((session) => session.played)
  const completed = await query(
    'select distinct video_id, viewer_key from viewer_videos where organization_id = $1 and completed_at is not null',
    [organizationId],
  )
  const different = (keys: string[]) => new Set(keys).size
  const byDay = Map.groupBy(sessions, (session) => session.day)
  const sum = (list: Session[]) => list.reduce((total, session) => total + session.watch_ms, 0)
  return {
    active: different(sessions.flatMap(({ user_id: id }) => id ?? [])),
    videos: different(played.map((session) => session.video_id)),
    viewings: different(played.map((session) => `${session.video_id} ${session.viewer_key}`)),
    viewers: different(played.map((session) => session.viewer_key)),
    completed: completed.length,
    watchedMs: sum(sessions),
    watchedByDay: new Map([...byDay].map(([name, list]) => [name, sum(list)])),
    activeByDay: new Map(
      [...byDay].map(([name, list]) => [name, different(list.flatMap(({ user_id: id }) => id ?? []))]),
    ),
  }
}

const steps = (list: { day: string; value: number }[]) =>
  new Map(list.filter(({ value }) => value > 0).map(({ day: name, value }) => [name, value]))
const sorted = (map: Map<string, number>) =>
  [...map].filter(([, n]) => n > 0).toSorted(([a], [b]) => a.localeCompare(b))

async function watchedOrganization(seed: number, hoursAgo: number[]) {
  const { orgId, admin } = await anOrganization(server)
  for (const more of [0, 1]) await addAudience(server, orgId, { seed: seed + more, hoursAgo })
  while ((await aggregateOnce(server.services.db)) > 0);
  return { orgId, admin }
}

const engagementOf = async (admin: Person, period = '90d') =>
  (await admin.call(reportUserEngagement, { query: { period } })).body

test.each([71, 72])('equal a count of every session (%i)', async (seed) => {
  const { orgId, admin } = await watchedOrganization(seed, [40 * day, 20 * day, 39 * day, 30])
  const expected = await bruteForce(orgId)
  const found = await engagementOf(admin)
  const { videos, viewings, viewers, completed, watchedMs } = expected
  expect(valuesOf(found)).toMatchObject({ videos, viewings, viewers, completed, watchedMs, forgotten: 0 })
  expect(sorted(steps(found.steps))).toEqual(sorted(expected.watchedByDay))
  const activity = (await admin.call(reportUserActivity, { query: { period: '90d' } })).body
  expect(valuesOf(activity)).toMatchObject({ active: expected.active, watchedMs })
  expect(sorted(steps(activity.steps))).toEqual(sorted(expected.activeByDay))
  // Cut in two, the parts of the period add up to the whole.
  const recent = await engagementOf(admin, '30d')
  const sum = (recent.watchedMs.value ?? 0) + (recent.watchedMs.before ?? 0)
  expect(sum).toBe(watchedMs)
  expect(recent.completed.value + recent.completed.before).toBe(completed)
})

test('stay the same when the evidence behind them has been deleted', async () => {
  const { orgId, admin } = await watchedOrganization(81, [40 * day])
  const before = await engagementOf(admin)
  expect(before.viewers.value).toBeGreaterThan(5)
  await setPolicies(server, orgId, { retentionMonths: 1 })
  await applyRetention(server.services)
  expect(await query('select 1 from play_sessions where organization_id = $1', [orgId])).toEqual([])
  const { covered, rewatched, finished, quality, forgotten, ...after } = await engagementOf(admin)
  expect(before).toMatchObject(after)
  expect(quality?.sessions).toBe(before.quality?.sessions)
  // What tells how single people stand is gone with their parts, and the report says of how many.
  expect([covered.value, rewatched.value, finished.value]).toEqual([null, null, null])
  expect(forgotten).toBe(before.viewings.value)
  const activity = await admin.call(reportUserActivity, { query: { period: '12m' } })
  expect(activity.body.forgotten).toBe(before.viewings.value)
})
