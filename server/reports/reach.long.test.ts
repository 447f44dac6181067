import { afterAll, beforeAll, expect, test } from 'vitest'
import { eraseEvidence } from '#contract/evidence/privacy.ts'
import {
  reportAccountActivity,
  reportMessages,
  reportUserActivity,
  reportUserEngagement,
} from '#contract/reports/reports.ts'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { deleteUser } from '#contract/directory/users.ts'
import { addGroup } from '../testing/audience.ts'
import { somebody } from '../testing/viewing/crowd.ts'
import { addAudience } from '../testing/viewing/evidence.ts'
import { dayOf, daysAgo, valuesOf } from '../testing/viewing/past.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { chance, writeLog } from '../testing/viewing/viewers.ts'
import { aggregateOnce } from '../testing/viewing/aggregate.ts'

/** Different people of any days, as the reports tell them, against looking at every session that there is. */
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await server.services.db.system.query<Row>(text, values)).rows
const day = 24

type Range = { from: string; to: string }
type Session = {
  day: string
  video: string
  key: string
  viewer: string
  user_id: string | null
  played: boolean
}
type Standing = {
  video: string
  key: string
  viewer: string
  first: string
  last: string
  done: string | null
  covered: number
  watched: number
  plays: number
  length: number
}

async function evidenceOf(orgId: string) {
  const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`
  const sessions = await query<Session>(
    `select ${iso('started_at')} as day, video_id as video, viewer_key as key, coalesce(user_id::text, viewer_key) as viewer, user_id,
      flags & $2 <> 0 as played from play_sessions where organization_id = $1 and flags & $3 = 0`,
    [orgId, sessionFlags.played, sessionFlags.bot],
  )
  const queuePlaces = await query<Standing>(
    `select w.video_id as video, viewer_key as key, coalesce(user_id::text, viewer_key) as viewer, ${iso('first_at')} as first, ${iso('last_at')} as last,
      ${iso('completed_at')} as done, covered_ms as covered, watch_ms::float8 as watched, plays, v.duration_ms as length
      from viewer_videos w join video_versions v on v.id = w.version_id where w.organization_id = $1`,
    [orgId],
  )
  const acts = await query<{ day: string; id: string }>(
    `select distinct ${iso('at')} as day, actor_id as id from audit where organization_id = $1 and actor_id is not null`,
    [orgId],
  )
  return { sessions, queuePlaces, acts }
}

type Evidence = Awaited<ReturnType<typeof evidenceOf>>

const different = (list: string[]) => new Set(list).size
const sum = (list: number[]) => list.reduce((total, n) => total + n, 0)
const rounded = (n: unknown) => (typeof n === 'number' ? Number(n.toFixed(9)) : n)
const share = (part: number, of: number) => (of === 0 ? null : part / of)

function bruteForce({ sessions, queuePlaces, acts }: Evidence, { from, to }: Range) {
  const within = (at: string | null) => at !== null && at >= from && at <= to
  const there = sessions.filter((session) => within(session.day))
  const played = there.filter((session) => session.played)
  const viewings = new Set(played.map(({ video, viewer }) => `${video} ${viewer}`))
  const known = queuePlaces.filter(({ plays }) => plays > 0)
  const seen = known.filter((one) =>
    played.some(
      (it) => it.video === one.video && it.key === one.key && it.day >= one.first && it.day <= one.last,
    ),
  )
  const ofPeriod = known.filter(({ video, viewer }) => viewings.has(`${video} ${viewer}`))
  const ids = (list: Standing[]) => different(list.map(({ video, viewer }) => `${video} ${viewer}`))
  const watched = sum(seen.map((one) => one.watched))
  return {
    active: different([
      ...there.flatMap(({ user_id: id }) => id ?? []),
      ...acts.flatMap((act) => (within(act.day) ? act.id : [])),
    ]),
    counts: {
      videos: different(played.map(({ video }) => video)),
      viewings: viewings.size,
      viewers: different(played.map(({ viewer }) => viewer)),
      completed: ids(queuePlaces.filter(({ done }) => within(done))),
    },
    covered: share(sum(seen.map(({ covered, length }) => Math.min(1, covered / length))), seen.length),
    rewatched: watched > 0 ? Math.max(0, 1 - sum(seen.map(({ covered }) => covered)) / watched) : null,
    finished: share(ids(ofPeriod.filter(({ done }) => done !== null)), ids(ofPeriod)),
  }
}

const edges = [45, 41, 40, 21, 20, 4, 1, 0].map((ago) => dayOf(daysAgo(ago)))
const monthAgo = (months: number) => {
  const first = new Date()
  first.setUTCDate(1)
  first.setUTCMonth(first.getUTCMonth() - months)
  return dayOf(first)
}
const lastMonthEnd = dayOf(new Date(Date.parse(monthAgo(0)) - 86_400_000))
const ranges: Range[] = [
  ...edges.flatMap((from, n) =>
    [n + 1, n + 4].flatMap((m) => (edges[m] === undefined ? [] : [{ from, to: edges[m] }])),
  ),
  // Whole months, with and without a part of one behind them.
  ...[monthAgo(1), monthAgo(11)].flatMap((from) =>
    [monthAgo(0), lastMonthEnd, dayOf(daysAgo(2)), dayOf(daysAgo(0))].map((to) => ({ from, to })),
  ),
].filter(({ from, to }) => from <= to)

type Narrowed = {
  query?: Partial<Record<'videoId' | 'projectId' | 'groupId' | 'transmissionId', string>>
  videos?: string[]
  persons?: string[]
}

/** What is left of the evidence for a narrower report; what was done in the console is about no video. */
function evidenceWithin({ sessions, queuePlaces, acts }: Evidence, { videos, persons }: Narrowed): Evidence {
  const isTheirs = (id: string) => persons === undefined || persons.includes(id)
  const isOf = (video: string) => videos === undefined || videos.includes(video)
  return {
    sessions: sessions.filter(({ video, viewer }) => isOf(video) && isTheirs(viewer)),
    queuePlaces: queuePlaces.filter(({ video, viewer }) => isOf(video) && isTheirs(viewer)),
    acts: videos ? [] : acts.filter(({ id }) => isTheirs(id)),
  }
}

async function expectTruth(
  admin: Person,
  orgId: string,
  { people = true, ...narrowed }: Narrowed & { people?: boolean } = {},
) {
  const evidence = evidenceWithin(await evidenceOf(orgId), narrowed)
  for (const range of ranges) {
    const truth = bruteForce(evidence, range)
    const { body } = await admin.call(reportUserEngagement, { query: { ...range, ...narrowed.query } })
    const { covered, rewatched, finished, ...counts } = valuesOf(body)
    expect([range, counts]).toMatchObject([range, truth.counts])
    const { covered: ofVideo, rewatched: again, finished: done } = truth
    expect([covered, rewatched, finished].map(rounded)).toEqual([ofVideo, again, done].map(rounded))
    if (!people) continue
    const activity = (await admin.call(reportUserActivity, { query: { ...range, ...narrowed.query } })).body
    expect([range, activity.active.value]).toEqual([range, truth.active])
    const unit = activity.range.unit
    for (const { day: step, value } of activity.steps) {
      const last = unit === 'day' ? step : `${step.slice(0, 7)}-31`
      const within = { from: step < range.from ? range.from : step, to: last > range.to ? range.to : last }
      expect([step, value]).toEqual([step, bruteForce(evidence, within).active])
    }
  }
}

test('equal a count of every session, with late sessions and without the erased', async () => {
  const orgId = await server.organization()
  const admin = await server.person('admin', orgId)
  const hoursAgo = [40 * day, 20 * day, 39 * day, 30]
  const { userIds } = await addAudience(server, orgId, { seed: 31, hoursAgo })
  while ((await aggregateOnce(server.services.db)) > 0);
  await expectTruth(admin, orgId)
  // What is aggregated later lies between the days that are known.
  await addAudience(server, orgId, { seed: 32, hoursAgo: [41 * day, 21 * day, 3 * day] })
  while ((await aggregateOnce(server.services.db)) > 0);
  await expectTruth(admin, orgId)
  const [erased = '', removed = ''] = userIds
  await admin.call(eraseEvidence, { params: { orgId, userId: erased }, body: { when: 'now' } })
  await expectTruth(admin, orgId)
  await aggregateOnce(server.services.db)
  await expectTruth(admin, orgId)
  // Whoever is removed is not among the people of today, and was active nevertheless.
  const range = { from: edges[0] ?? '', to: edges.at(-1) ?? '' }
  const active = async () => (await admin.call(reportUserActivity, { query: range })).body.active.value
  const before = await active()
  expect((await admin.call(deleteUser, { params: { orgId, userId: removed } })).status).toBeLessThan(300)
  expect(await active()).toBe(before - 1)
})

test('equal a count of every session of visitors, programs and people in several versions', async () => {
  const orgId = await server.organization()
  const admin = await server.person('admin', orgId)
  const { claims, videoId } = await addAudience(server, orgId, { seed: 33, people: 1, hoursAgo: [30 * day] })
  const luck = chance(34)
  const [first] = claims
  if (!first) throw new Error('there is a session')
  const [second] = await query<{ id: string }>(
    `insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
      values ($1, $2, 2, 'second.mp4', 1, 60000, now()) returning id`,
    [orgId, videoId],
  )
  for (let n = 0; n < 14; n++) {
    const version = n % 3 === 0 ? (second?.id ?? '') : first.version
    const play = {
      org: orgId,
      video: videoId,
      version,
      durMs: 60_000,
      kind: 'recipient' as const,
      maxRate: 2,
      theta: 0.6,
    }
    await writeLog(server, somebody(server, luck, play).batches)
  }
  while ((await aggregateOnce(server.services.db)) > 0);
  expect((await evidenceOf(orgId)).sessions.length).toBeGreaterThan(10)
  await expectTruth(admin, orgId, { people: false })
})

test('equal a count of every session of those that a report is narrowed to', async () => {
  const orgId = await server.organization()
  const admin = await server.person('admin', orgId)
  const one = await addAudience(server, orgId, { seed: 35, hoursAgo: [40 * day, 20 * day, 39 * day] })
  const other = await addAudience(server, orgId, { seed: 36, people: 3, hoursAgo: [21 * day, 30] })
  const videos = [one.videoId, other.videoId]
  const [project] = await query<{ id: string }>(
    `insert into projects (organization_id, name) values ($1, 'Training') returning id`,
    [orgId],
  )
  await query('update videos set project_id = $1 where id = any($2)', [project?.id, videos])
  const members = [...one.userIds.slice(0, 2), ...other.userIds.slice(0, 2), admin.id]
  const groupId = await addGroup(server, orgId, members)
  const [sent] = one.claims
  const narrowings: Narrowed[] = [
    { query: { videoId: one.videoId }, videos: [one.videoId] },
    { query: { projectId: project?.id ?? '' }, videos },
    { query: { groupId }, persons: members },
    { query: { groupId, videoId: other.videoId }, persons: members, videos: [other.videoId] },
    {
      query: { transmissionId: sent?.transmission ?? '' },
      persons: one.userIds.slice(0, 1),
      videos: [one.videoId],
    },
  ]
  while ((await aggregateOnce(server.services.db)) > 0);
  expect((await evidenceOf(orgId)).sessions.length).toBeGreaterThan(10)
  for (const narrowed of narrowings) await expectTruth(admin, orgId, narrowed)
})

test('messages and entries of the audit are summed as they are', async () => {
  const orgId = await server.organization()
  const admin = await server.person('admin', orgId)
  const { userIds } = await addAudience(server, orgId, { seed: 37 })
  while ((await aggregateOnce(server.services.db)) > 0);
  const [erased = ''] = userIds
  for (let turn = 0; turn < 2; turn += 1) {
    const [truth] = await query(
      `select coalesce(sum((opened_at is not null)::int), 0)::int as opened, coalesce(sum((first_play_at is not null)::int), 0)::int as started,
        coalesce(sum((completed_at is not null)::int), 0)::int as completed from delivery_viewing where organization_id = $1`,
      [orgId],
    )
    const messages = valuesOf((await admin.call(reportMessages, {})).body)
    expect(messages).toMatchObject(truth ?? {})
    const { actions } = (await admin.call(reportAccountActivity, {})).body
    expect(actions.value).toBe(
      (await query('select 1 from audit where organization_id = $1', [orgId])).length,
    )
    await admin.call(eraseEvidence, { params: { orgId, userId: erased }, body: { when: 'now' } })
  }
})
