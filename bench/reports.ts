import { connect, type Tx } from '#server/platform/db/client.ts'
import { accountActivity } from '#server/reports/account-activity.ts'
import { userEngagement } from '#server/reports/engagement.ts'
import { scopeOf } from '#server/reports/scope.ts'
import { messageAnalytics } from '#server/reports/messages.ts'
import { findPeople, userActivity } from '#server/reports/user-activity.ts'
import { bound, type Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { cpuSeconds } from './program.ts'
import { fillSending } from './sending-year.ts'
import { fillYear } from './viewing-year.ts'

const workload = 'reports'
const rounds = 10
const warmUps = 2
const periods = ['30d', '12m'] as const

type ReportScope = Awaited<ReturnType<typeof scopeOf>>
type Report = (tx: Tx, at: ReportScope) => Promise<unknown>

const ofPeople: Record<string, Report> = { people: userActivity, engagement: userEngagement }
const every: Record<string, Report> = {
  ...ofPeople,
  messages: messageAnalytics,
  'account activity': accountActivity,
  'people sorted by time watched': (tx, at) =>
    findPeople(tx, at, { sort: '-watchedMs', offset: 0, limit: 25 }),
}

/** What the reports on a year of viewing in 20 organizations cost. */
export async function reports({ sessions }: { sessions: number }): Promise<Figure[]> {
  const database = await startBenchDatabase()
  const db = connect(database.url)
  try {
    console.log(`  ${workload}: filling with ${sessions} sessions, which takes several minutes for a million`)
    await fillYear(database, { sessions, organizations: 20, videos: 10 })
    await fillSending(database, { people: sessions / 5, entries: sessions / 2 })
    await database.query('vacuum analyze')
    console.log(`  ${workload}: asking`)
    const figures: Figure[] = []
    for (const { name, by, narrowed, works } of await viewsOf(database))
      for (const period of periods)
        for (const [what, work] of Object.entries(works)) {
          // As for a file, which is read to the end and each time.
          const ask = async (tx: Tx) =>
            work(tx, { ...(await scopeOf(tx, by, { ...narrowed, period })), isForGood: true })
          figures.push({
            workload,
            what: `${what}, ${name}, ${period}, CPU`,
            unit: 'ms',
            ours: await cpuOf(database, () => db.as('system', ask)),
            target: bound(100),
          })
        }
    return figures
  } finally {
    await db.close()
    await database.close()
  }
}

/** Who asks for what. */
type View = {
  name: string
  by: Parameters<typeof scopeOf>[1]
  narrowed: Omit<Parameters<typeof scopeOf>[2], 'period'>
  works: Record<string, Report>
}

/**
 * The largest organization and all of them; then a group of a hundredth of everybody, a groupadmin's sight, a project of 20 videos, the
 * busiest video and the largest transmission.
 */
async function viewsOf(database: BenchDatabase): Promise<View[]> {
  const idsOf = async (from: string) =>
    (await database.query<{ id: string }>(`select id from ${from}`)).map(({ id }) => id)
  const idOf = async (from: string) => (await idsOf(from))[0] ?? ''
  const largest = (id: string, table: string) =>
    idOf(`(select ${id} as id, count(*) as n from ${table} group by 1 order by 2 desc limit 1) t`)
  const organizationId = await idOf(`organizations where slug = 'org-1'`)
  const by = { organizationId: null, role: 'superadmin' as const, groupIds: [] }
  const groupIds = await idsOf(`groups where name <> 'Group 0'`)
  const groupadmin = { organizationId, role: 'groupadmin' as const, groupIds }
  const group = await idOf(`groups where name = 'Group 0'`)
  const video = await largest('video_id', 'viewer_days')
  const transmission = await largest('transmission_id', 'deliveries')
  return [
    { name: 'one organization', by, narrowed: { organizationId }, works: every },
    { name: 'all organizations', by, narrowed: {}, works: every },
    { name: 'a group', by, narrowed: { groupId: group }, works: ofPeople },
    { name: 'a groupadmin', by: groupadmin, narrowed: { organizationId }, works: ofPeople },
    { name: 'a project', by, narrowed: { projectId: await idOf('projects') }, works: ofPeople },
    { name: 'a video', by, narrowed: { videoId: video }, works: ofPeople },
    { name: 'a transmission', by, narrowed: { transmissionId: transmission }, works: ofPeople },
  ]
}

/** Milliseconds of CPU of the database. */
async function cpuOf({ pid }: BenchDatabase, work: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < warmUps; n++) await work()
  const before = cpuSeconds(pid)
  for (let n = 0; n < rounds; n++) await work()
  return ((cpuSeconds(pid) - before) * 1_000) / rounds
}
