import { expect, test } from 'vitest'
import type { ReportStep } from '#contract/reports/report-scope.ts'
import * as reports from '#contract/reports/reports.ts'
import { addGroup, addPeople } from '../testing/audience.ts'
import { addPastDelivery, addPastViewing, dayOf, daysAgo } from '../testing/viewing/past.ts'
import { unique } from '../testing/unique.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'
import { addDays, daysBetween } from './span.ts'

/** `once`: what counts a single time in a period, on the first of its days. */
type Row = { day: string; userId: string; n: number; once?: string }

const query = async <Found extends object>(text: string, values: unknown[] = [organizationId]) =>
  await server.query<Found>(text, values)

/** To each person every 5 days; of ten messages one rests unopened, and every third is completed. Times are odd milliseconds. */
async function messages(people: readonly string[]): Promise<void> {
  for (let ago = 1; ago < 63; ago += 5) {
    const video = await addVideo(server, { organizationId, title: `Video ${ago}`, durationMs: 60_000 })
    for (const [n, userId] of people.entries()) {
      if ((n * ago) % 4 === 3) continue
      const facts = { organizationId, ...video, userId }
      const delivery = await addPastDelivery(server, { ...facts, at: daysAgo(ago) })
      if ((n + ago) % 10 === 0) continue
      const seen = { coveredMs: 30_001, watchMs: 33_333 + n * 7 + ago, completed: n % 3 === 0 }
      await addPastViewing(server, { ...facts, at: daysAgo(ago - (n % 2)), delivery, ...seen })
      if (n === 0) await completeOnceMore(video, userId, daysAgo(ago - 1))
    }
  }
}

/** The same person by another link, a day later: they have completed it once. */
async function completeOnceMore(video: { videoId: string; versionId: string }, userId: string, at: Date) {
  await query(
    `insert into viewer_videos (organization_id, video_id, version_id, user_id, viewer_key, first_at, last_at, watch_ms, plays, covered_ms, completed_at)
      values ($1, $2, $3, $4, 'visitor:' || gen_random_uuid(), $5, $5, 1, 1, 60000, $5)`,
    [organizationId, video.videoId, video.versionId, userId, at],
  )
}

async function entries(people: readonly string[]): Promise<void> {
  await query(
    `insert into audit (organization_id, actor_id, action, entity, at)
      select $1, case when n % 5 > 0 then ($2::uuid[])[1 + n % $3] end,
        case when n % 5 = 0 then 'auth.sign_in_failed' when n % 2 = 0 then 'auth.sign_in' else 'group.created' end,
        'user', now() - make_interval(days => n * 7 % 47, hours => n % 3) from generate_series(0, 199) n`,
    [organizationId, people, people.length],
  )
}

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`

/** How each figure went, against a count of every row; over nine weeks, with days on which much, and on which nothing happened. */
const server = await aServer()
const { orgId: organizationId, admin } = await anOrganization(server)
const people = await addPeople(server, organizationId, { count: 12, prefix: unique() })
const groupId = await addGroup(server, organizationId, people.slice(0, 5))
await messages(people)
await entries(people)
const rows = await countedRows()

/** By the names of the figures, with whose they are. */
async function countedRows(): Promise<Record<string, Row[]>> {
  const sent = (column: string) =>
    query<Row>(
      `select ${utc('t.dated_at')} as day, d.user_id as "userId", (${column})::int as n from deliveries d
        join transmissions t on t.id = d.transmission_id left join delivery_viewing w on w.delivery_id = d.id where d.organization_id = $1`,
    )
  const done = (condition: string) =>
    query<Row>(
      `select ${utc('at')} as day, coalesce(actor_id::text, '') as "userId", 1 as n from audit where organization_id = $1 and ${condition}`,
    )
  return {
    accepted: await sent(`d.state in ('accepted', 'delivered')`),
    opened: await sent('w.opened_at is not null'),
    started: await sent('w.first_play_at is not null'),
    completed: await sent('w.completed_at is not null'),
    watchedMs: await query(
      `select ${utc('started_at')} as day, user_id as "userId", watch_ms::int as n from play_sessions where organization_id = $1`,
    ),
    viewingsCompleted: await query(
      `select ${utc('completed_at')} as day, user_id as "userId", 1 as n, video_id || ' ' || user_id as once from viewer_videos
        where organization_id = $1 and completed_at is not null order by completed_at`,
    ),
    actions: await done('true'),
    signIns: await done(`action = 'auth.sign_in'`),
    failedSignIns: await done(`action = 'auth.sign_in_failed'`),
  }
}

type Side = 'value' | 'before'
type SeriesReply = { range: { from: string; to: string; before: { from: string } } } & Record<string, unknown>

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0)

/** What was counted on each of so many days from the first on. */
function countedOn(
  name: string,
  { first, count, whose }: { first: string; count: number; whose?: ReadonlySet<string> },
) {
  const days = Array.from({ length: count }, (_day, at) => addDays(first, at))
  const within = (rows[name] ?? []).filter(
    ({ day, userId }) => days.includes(day) && (whose?.has(userId) ?? true),
  )
  const firsts = new Map(within.toReversed().map((row) => [row.once, row]))
  const found = within.filter((row) => row.once === undefined || firsts.get(row.once) === row)
  return days.map((day) => sum(found.filter((row) => row.day === day).map(({ n }) => n)))
}

/** The series that each report gives, by its name in the reply, and what it counts. */
const endpoints = [
  [
    reports.reportUserActivity,
    { opened: 'opened', completed: 'completed', watchedMs: 'watchedMs' },
    undefined,
  ],
  [reports.reportUserEngagement, { completed: 'viewingsCompleted' }, 'watchedMs'],
  [reports.reportAccountActivity, { signIns: 'signIns', failedSignIns: 'failedSignIns' }, 'actions'],
  [reports.reportMessages, { opened: 'opened', started: 'started', completed: 'completed' }, 'accepted'],
] as const

type SeriesQuery = { period?: string; from?: string; to?: string; groupId?: string }

async function ask(endpoint: (typeof endpoints)[number][0], asked: SeriesQuery) {
  const { status, body } = await admin.call(endpoint, { query: asked })
  expect(status).toBe(200)
  const { steps, series } = body as unknown as { steps: ReportStep[]; series: Record<string, ReportStep[]> }
  return { body: body as unknown as SeriesReply, steps, series }
}

const valuesOf = (steps: readonly ReportStep[], side: Side) => steps.map((step) => step[side])
const figureOf = (body: SeriesReply, name: string, side: Side) => (body[name] as Record<Side, number>)[side]

test.each(endpoints)('$name tells of each day what happened on it', async (endpoint, names, main) => {
  const members = await query<{ id: string }>('select user_id as id from group_members where group_id = $1', [
    groupId,
  ])
  const ofGroup = new Set(members.map(({ id }) => id))
  for (const [asked, whose] of [
    [{ period: '30d' }],
    [{ period: '7d' }],
    [{ from: dayOf(daysAgo(50)), to: dayOf(daysAgo(20)) }],
    [{ period: '30d', groupId }, ofGroup],
  ] as const) {
    const { body, steps, series } = await ask(endpoint, asked)
    expect(Object.keys(series).toSorted()).toEqual(Object.keys(names).toSorted())
    const all = Object.entries(series).map(
      ([name, one]) => [name, (names as Record<string, string>)[name] ?? '', one] as const,
    )
    if (main) all.push([main, main, steps])
    for (const [name, counted, one] of all)
      for (const side of ['value', 'before'] as const) {
        const first = side === 'value' ? body.range.from : body.range.before.from
        const expected = countedOn(counted, { first, count: one.length, ...(whose && { whose }) })
        expect({ asked, name, side, days: valuesOf(one, side) }).toEqual({
          asked,
          name,
          side,
          days: expected,
        })
        expect({ asked, name, side, sum: sum(expected) }).toEqual({
          asked,
          name,
          side,
          sum: figureOf(body, name, side),
        })
      }
  }
})

test.each(endpoints)(
  '$name tells of the months together what the figure is',
  async (endpoint, names, main) => {
    const { body, steps, series } = await ask(endpoint, { period: '12m' })
    const all = Object.entries(series)
    if (main) all.push([main, steps])
    for (const [name, one] of all) {
      const { from, to } = body.range
      const counted = (names as Record<string, string>)[name] ?? name
      const days = countedOn(counted, { first: from, count: daysBetween(from, to) + 1 })
      const months = Map.groupBy(days.entries(), ([at]) => `${addDays(from, at).slice(0, 7)}-01`)
      const expected = [...months].map(([day, found]) => ({ day, value: sum(found.map(([, n]) => n)) }))
      expect([name, one.map(({ day, value }) => ({ day, value }))]).toEqual([name, expected])
      expect([name, sum(days)]).toEqual([name, figureOf(body, name, 'value')])
    }
  },
)

test('the data has days on which much and on which nothing happened', () => {
  for (const [name, list] of Object.entries(rows)) {
    const days = new Map(
      [...Map.groupBy(list, ({ day }) => day)].map(([day, found]) => [day, sum(found.map(({ n }) => n))]),
    )
    const filled = [...days.values()].filter((n) => n > 0)
    expect([name, filled.length >= 10, filled.length < 60]).toEqual([name, true, true])
  }
})

test('what may not be told of persons has no days either', async () => {
  await query(
    `update organizations set policies = policies || '{"trackingMode": "completed_only"}' where id = $1`,
  )
  const activity = await ask(reports.reportUserActivity, { period: '30d' })
  expect(activity.series['watchedMs']).toEqual([])
  expect(sum(valuesOf(activity.series['completed'] ?? [], 'value'))).toBe(
    figureOf(activity.body, 'completed', 'value'),
  )
  const engagement = await ask(reports.reportUserEngagement, { period: '30d' })
  expect([engagement.steps, engagement.body['watchedMs']]).toEqual([[], { value: null, before: null }])
})
