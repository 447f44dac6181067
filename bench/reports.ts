import { connect, type Database, type Tx } from '#server/platform/db/client.ts'
import { accountActivity } from '#server/reports/account-activity.ts'
import { userEngagement } from '#server/reports/engagement.ts'
import { scopeOf } from '#server/reports/scope.ts'
import { messageAnalytics } from '#server/reports/messages.ts'
import { findPeople, userActivity } from '#server/reports/user-activity.ts'
import type { Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { cpuSeconds } from './program.ts'
import { fillSending } from './sending-year.ts'
import { fillYear } from './viewing-year.ts'

const workload = 'reports'
const caller = { organizationId: null, role: 'superadmin' as const, groupIds: [] }
const rounds = 10
const warmUps = 2
const periods = ['30d', '12m'] as const
type Period = (typeof periods)[number]
type ReportRequest = { organizationId: string | undefined; period: Period }
type Bench = { database: BenchDatabase; db: Database }

/** As for a file, which is read to the end and each time. */
async function freshScope(...asked: Parameters<typeof scopeOf>): Promise<ReportScope> {
  return { ...(await scopeOf(...asked)), isForGood: true }
}

/**
 * A year of viewing in 20 organizations: whether its reports are what counting every day of every viewer finds, and
 * what the two on people cost. The floor is what it takes to count the same days by an index and to tell nobody apart.
 */
export async function reports({ sessions }: { sessions: number }): Promise<Figure[]> {
  const database = await startBenchDatabase()
  const db = connect(database.url, { max: 1 })
  try {
    console.log(`  ${workload}: filling with ${sessions} sessions, which takes several minutes for a million`)
    await fillYear(database, { sessions, organizations: 20, videos: 10 })
    await fillSending(database, { people: sessions / 5, entries: sessions / 2 })
    const bench = { database, db }
    const figures: Figure[] = []
    await database.query('vacuum analyze')
    console.log(`  ${workload}: asking`)
    const [largest] = await database.query<{ id: string }>(
      `select id from organizations where slug = 'org-1'`,
    )
    for (const organizationId of [largest?.id, undefined])
      for (const period of periods) {
        figures.push(...(await asking(bench, { organizationId, period })))
        figures.push(...(await askingMore(bench, { organizationId, period })))
      }
    for (const narrowed of await narrowings(database, largest?.id ?? ''))
      for (const period of periods) figures.push(...(await askingNarrowly(bench, { ...narrowed, period })))
    return figures
  } finally {
    await db.close()
    await database.close()
  }
}

async function asking(bench: Bench, asked: ReportRequest): Promise<Figure[]> {
  const where = `${asked.organizationId === undefined ? 'all organizations' : 'one organization'}, ${asked.period}`
  const days = await floorOf(bench, asked)
  const ask = (tx: Tx) => freshScope(tx, caller, asked)
  await compare(bench, asked)
  const beside = { name: 'floor' as const, value: days }
  return [
    {
      ...line,
      beside,
      what: `people, ${where}, CPU`,
      ours: await cpuOf(bench, async (tx) => userActivity(tx, await ask(tx))),
    },
    {
      ...line,
      beside,
      what: `engagement, ${where}, CPU`,
      ours: await cpuOf(bench, async (tx) => userEngagement(tx, await ask(tx))),
    },
  ]
}

const line = { workload, unit: 'ms', target: { of: 'figure', most: 100 } } as const

/** What else all organizations and one are asked for. */
async function askingMore(bench: Bench, asked: ReportRequest): Promise<Figure[]> {
  const where = `${asked.organizationId === undefined ? 'all organizations' : 'one organization'}, ${asked.period}`
  const works = {
    messages: messageAnalytics,
    'account activity': accountActivity,
    'people sorted by time watched': (tx: Tx, at: ReportScope) =>
      findPeople(tx, at, { sort: '-watchedMs', offset: 0, limit: 25 }),
  }
  const figures: Figure[] = []
  for (const [what, work] of Object.entries(works)) {
    const ours = await cpuOf(bench, async (tx) => work(tx, await freshScope(tx, caller, asked)))
    figures.push({ ...line, what: `${what}, ${where}, CPU`, ours })
  }
  return figures
}

type ReportScope = Awaited<ReturnType<typeof scopeOf>>
type Narrowing = {
  name: string
  caller: Parameters<typeof scopeOf>[1]
  narrowed: Omit<Parameters<typeof scopeOf>[2], 'period'>
}

/** A group of a hundredth of everybody, a project of 20 videos, the busiest video, the largest transmission, and a groupadmin's sight. */
async function narrowings(database: BenchDatabase, organizationId: string): Promise<Narrowing[]> {
  const idOf = async (from: string) =>
    (await database.query<{ id: string }>(`select id from ${from}`))[0]?.id ?? ''
  const groups = await database.query<{ id: string }>(`select id from groups where name <> 'Group 0'`)
  const groupadmin = { organizationId, role: 'groupadmin' as const, groupIds: groups.map(({ id }) => id) }
  const [group, project] = [await idOf(`groups where name = 'Group 0'`), await idOf('projects')]
  const video = await idOf(
    `(select video_id as id, count(*) as n from viewer_days group by 1 order by 2 desc limit 1) v`,
  )
  const transmission = await idOf(
    `(select transmission_id as id, count(*) as n from deliveries group by 1 order by 2 desc limit 1) t`,
  )
  return [
    { name: 'a group', caller, narrowed: { groupId: group } },
    { name: 'a groupadmin', caller: groupadmin, narrowed: { organizationId } },
    { name: 'a project', caller, narrowed: { projectId: project } },
    { name: 'a video', caller, narrowed: { videoId: video } },
    { name: 'a transmission', caller, narrowed: { transmissionId: transmission } },
  ]
}

async function askingNarrowly(
  bench: Bench,
  { name, caller: reader, narrowed, period }: Narrowing & { period: Period },
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [what, work] of Object.entries({ people: userActivity, engagement: userEngagement })) {
    const ours = await cpuOf(bench, async (tx) =>
      work(tx, await freshScope(tx, reader, { ...narrowed, period })),
    )
    figures.push({ ...line, what: `${what}, ${name}, ${period}, CPU`, ours })
  }
  return figures
}

/** Milliseconds of CPU of the database. */
async function cpuOf({ database, db }: Bench, work: (tx: Tx) => Promise<unknown>): Promise<number> {
  let before = 0
  for (let n = -warmUps; n < rounds; n++) {
    if (n === 0) before = cpuSeconds(database.pid)
    await db.as('system', work)
  }
  return ((cpuSeconds(database.pid) - before) * 1_000) / rounds
}

const ofPeriod = `($1::uuid is null or d.organization_id = $1) and d.day between $2 and $3`

async function spanOf({ db }: Bench, { organizationId, period }: ReportRequest) {
  const { spans } = await db.as('system', (tx) => scopeOf(tx, caller, { organizationId, period }))
  return spans
}

async function floorOf(bench: Bench, asked: ReportRequest): Promise<number> {
  const { span, before } = await spanOf(bench, asked)
  const { database } = bench
  const whose = asked.organizationId === undefined ? '' : `organization_id = '${asked.organizationId}' and`
  const began = cpuSeconds(database.pid)
  for (let n = 0; n < rounds; n++)
    for (const { from, to } of [span, before])
      await database.query(`select count(*) from viewer_days where ${whose} day between $1 and $2`, [
        from,
        to,
      ])
  return ((cpuSeconds(database.pid) - began) * 1_000) / rounds
}

/** Every figure about different people against a count of every day. */
async function compare(bench: Bench, asked: ReportRequest): Promise<void> {
  const { database, db } = bench
  const [activity, engagement] = await db.as('system', async (tx) => {
    const at = await freshScope(tx, caller, asked)
    return [await userActivity(tx, at), await userEngagement(tx, at)] as const
  })
  const spans = await spanOf(bench, asked)
  for (const [which, { from, to }] of [
    ['value', spans.span],
    ['before', spans.before],
  ] as const) {
    const [truth] = await database.query<Record<string, number>>(
      `select (select count(*)::int from (select d.user_id from viewer_days d where d.user_id is not null and ${ofPeriod}
            union select d.actor_id from (select a.*, (a.at at time zone 'UTC')::date::text as day from audit a) d
              where d.actor_id is not null and d.organization_id is not null and ${ofPeriod}) a) as active,
          count(distinct d.viewer_key)::int as viewers,
        count(distinct (d.video_id, d.viewer_key))::int as viewings from viewer_days d where ${ofPeriod}`,
      [asked.organizationId ?? null, from, to],
    )
    const found = {
      active: activity.active[which],
      viewers: engagement.viewers[which],
      viewings: engagement.viewings[which],
    }
    if (JSON.stringify(found) !== JSON.stringify(truth))
      throw new Error(`${asked.period}: ${JSON.stringify(found)} instead of ${JSON.stringify(truth)}`)
  }
}
