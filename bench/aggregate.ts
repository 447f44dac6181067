import type { AudiencePeriod, AudienceVersion } from '#contract/audience.ts'
import { connect, type Database, type Tx } from '#server/platform/db/client.ts'
import { qualityOf } from '#server/tracking/quality.ts'
import { deriveAll } from '#server/testing/derive.ts'
import { openBooks } from '#server/testing/truth.ts'
import { shuffled, chance, type SentBatch } from '#server/testing/viewers.ts'
import { figuresOf } from '#server/audience/figures.ts'
import { scopeOf, type AudienceScope } from '#server/audience/scope.ts'
import { heatOf } from '#server/audience/heat.ts'
import { relativeOf } from '#server/audience/relative.ts'
import { aggregateLog } from '#server/tracking/aggregate.ts'
import { openBatchWriter } from '#server/tracking/batch-writer.ts'
import { audienceOf, dayCount, organizationId, versionIds, videoIds, type Audience } from './audience.ts'
import { percentile, type Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { cpuSeconds } from './program.ts'

const day = 86_400_000
const asked = 40
/** Batches. */
const busyDay = 30_000

/**
 * Viewing of ninety days, written into the raw log day by day and aggregated; then every table of sums is compared with a brute-force
 * computation of the truth, second by second, and the questions that the console asks are timed.
 */
export async function aggregate(options: { sessions: number }): Promise<Figure[]> {
  const database = await startBenchDatabase()
  const db = connect(database.url, { max: 4 })
  try {
    const today = Math.floor(Date.now() / day) * day
    const audience = audienceOf(options.sessions, today)
    const { books, plan, sessions } = keepBooks(audience)
    await db.system.query(
      'select add_track_day((now() at time zone $1)::date - n) from generate_series(0, $2::int) n',
      ['UTC', dayCount],
    )
    await addVideos(database)
    const spent = await aggregateDays({ database, db, audience, plan })
    await database.query('analyze')
    for (const [n, videoId] of videoIds.entries()) {
      const faults = (await books[n]?.faults((text, values) => database.query(text, values), [videoId])) ?? []
      if (faults.length > 0)
        throw new Error(
          `${faults.length} figures of video ${n} are wrong:\n${faults.slice(0, 20).join('\n')}`,
        )
    }
    console.log(
      `  ${sessions.toLocaleString('en-US')} sessions, ${spent.batches.toLocaleString('en-US')} batches: every figure is what brute force finds`,
    )
    return [...aggregateFigures(spent, sessions), ...(await questionFigures(db))]
  } finally {
    await db.close()
    await database.close()
  }
}

export async function addVideos(database: BenchDatabase): Promise<void> {
  await database.query(
    `insert into organizations (id, name, slug, policies) values ($1, 'Bench', 'bench', '{}')`,
    [organizationId],
  )
  for (const [n, videoId] of videoIds.entries()) {
    const ids = [organizationId, videoId]
    await database.query(
      `insert into videos (organization_id, id, title, state, privacy) values ($1, $2, 'Video', 'ready', 'link')`,
      ids,
    )
    await database.query(
      `insert into video_versions (organization_id, video_id, id, number, file_name, size, duration_ms, width, height, ready_at)
        values ($1, $2, $3, 1, 'video.mp4', 1000, 600000, 1280, 720, now())`,
      [...ids, versionIds[n]],
    )
  }
}

/** The truth of every viewer goes into the books of their video; which of them were there on which day is kept for later. */
function keepBooks(audience: Audience) {
  const books = videoIds.map(() => openBooks())
  const plan = new Map<string, number[]>()
  let sessions = 0
  for (let viewer = 0; viewer < audience.viewers; viewer++) {
    const own = audience.sessionsOf(viewer)
    sessions += own.length
    books[videoIds.indexOf(own[0]?.claims.video ?? '')]?.add(own)
    for (const date of new Set(own.map(({ claims }) => dayOf(claims.iat)))) {
      const there = plan.get(date)
      if (there) there.push(viewer)
      else plan.set(date, [viewer])
    }
  }
  return { books, plan, sessions }
}

export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

type Aggregating = { database: BenchDatabase; db: Database; audience: Audience; plan: Map<string, number[]> }
/** `settling`: CPU seconds in which what is derived followed, in one go after each aggregation. */
type Spent = { ms: number; cpu: number; settling: number; batches: number }

/**
 * Only the aggregation itself is measured, not the writing of the log. It begins when as much waits as on a busy day, so that its steps
 * are as full as they are then.
 */
async function aggregateDays({ database, db, audience, plan }: Aggregating): Promise<Spent> {
  const spent: Spent = { ms: 0, cpu: 0, settling: 0, batches: 0 }
  const cpu = () => cpuSeconds(database.pid) + (process.cpuUsage().user + process.cpuUsage().system) / 1e6
  const luck = chance(1)
  const days = [...plan].toSorted(([a], [b]) => (a < b ? -1 : 1))
  let waiting = 0
  for (const [n, [date, viewers]] of days.entries()) {
    const there = viewers
      .flatMap((viewer) => audience.sessionsOf(viewer))
      .filter(({ claims }) => dayOf(claims.iat) === date)
    const batches = there.flatMap((session) => audience.batchesOf(session))
    await writeDay(db, shuffled(luck, batches))
    waiting += batches.length
    if (waiting < busyDay && n < days.length - 1) continue
    const [began, before] = [performance.now(), cpu()]
    spent.batches += await aggregateLog(db, '-infinity')
    const [aggregated, after] = [performance.now(), cpu()]
    await deriveAll(db)
    spent.ms += aggregated - began
    spent.cpu += after - before
    spent.settling += cpu() - after
    waiting = 0
  }
  return spent
}

export async function writeDay(db: Database, batches: SentBatch[]): Promise<void> {
  const writer = openBatchWriter(db.single)
  for (let from = 0; from < batches.length; from += 5_000)
    await Promise.all(
      batches.slice(from, from + 5_000).map(({ position, ...one }) =>
        writer.append({
          ...one,
          receivedAt: new Date(one.receivedAt),
          spans: JSON.stringify(one.spans),
          events: JSON.stringify(one.events),
          state: JSON.stringify({ position, visible: true }),
          ended: false,
          dropped: 0,
          capped: one.capped ?? false,
          userAgent: one.userAgent ?? null,
          network: one.network ?? null,
        }),
      ),
    )
}

function aggregateFigures({ ms, cpu, settling, batches }: Spent, sessions: number): Figure[] {
  const workload = 'aggregate'
  const budget = {
    beside: { name: 'budget' as const, value: 50 },
    target: { of: 'figure' as const, most: 50 },
  }
  return [
    {
      workload,
      what: 'one session, three batches each',
      unit: 'µs',
      ours: (ms * 1_000) / sessions,
      ...budget,
    },
    { workload, what: 'one batch', unit: 'µs', ours: (ms * 1_000) / batches },
    {
      workload,
      what: 'CPU of one session, with what is derived from it',
      unit: 'µs',
      ours: ((cpu + settling) * 1e6) / sessions,
      target: { of: 'figure', most: 250 },
    },
    { workload, what: 'of that, what is derived', unit: 'µs', ours: (settling * 1e6) / sessions },
  ]
}

type Question = (tx: Tx, database: AudienceScope) => Promise<unknown>

/** What the pages ask, each question of every video in turn, by the product's own functions. */
async function questionFigures(db: Database): Promise<Figure[]> {
  const withVersion = (
    ask: (tx: Tx, database: AudienceScope, version: AudienceVersion) => Promise<unknown>,
  ): Question => {
    return async (tx, database) => database.version && ask(tx, database, database.version)
  }
  const quality: Question = (tx, { video, since }) =>
    qualityOf(tx, { organizationId: video.organizationId, videoId: video.id, from: since ?? undefined })
  const questions: [string, AudiencePeriod, Question][] = [
    ['figures of an audience, all time', 'all', withVersion(figuresOf)],
    ['figures of an audience, 90 days', '90d', withVersion(figuresOf)],
    ['retention and drop-off, all time', 'all', withVersion(heatOf)],
    ['retention and drop-off, 90 days', '90d', withVersion(heatOf)],
    ['retention and drop-off, 30 days', '30d', withVersion(heatOf)],
    [
      'rank among similar videos',
      'all',
      withVersion((tx, { video }, version) => relativeOf(tx, video, version)),
    ],
    ['quality of the figures, 90 days', '90d', quality],
  ]
  const figures: Figure[] = []
  for (const [what, period, ask] of questions) {
    const times: number[] = []
    for (let n = 0; n < asked; n++)
      await db.as({ organizationId }, async (tx) => {
        const database = await scopeOf(tx, videoIds[n % videoIds.length] ?? '', {
          period,
          versionId: undefined,
        })
        const began = performance.now()
        await ask(tx, database)
        times.push(performance.now() - began)
      })
    const ours = percentile(
      times.toSorted((a, b) => a - b),
      0.95,
    )
    figures.push({
      workload: 'aggregate',
      what: `${what}, p95`,
      unit: 'ms',
      ours,
      beside: { name: 'budget', value: 100 },
      target: { of: 'figure', most: 100 },
    })
  }
  return figures
}
