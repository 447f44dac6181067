import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { readDashboard } from '#contract/directory/organizations.ts'
import { listPersonHistory } from '#contract/person/person.ts'
import { reportUserActivity } from '#contract/reports/reports.ts'
import { parseRanges, type Ranges } from '#server/platform/db/multirange.ts'
import { differences, aggregatedTables, resultsOf, somebody } from '#server/testing/viewing/crowd.ts'
import { until } from '#server/testing/until.ts'
import { openBooks } from '#server/testing/viewing/truth.ts'
import {
  addPlay,
  chance,
  durationMs,
  sent,
  shuffled,
  viewer,
  writeLog,
  type SentBatch,
  type Truth,
} from '#server/testing/viewing/viewers.ts'
import { addDelivery, addVideo } from '#server/testing/viewing/viewing.ts'
import { keepTrackDays } from './partitions.ts'
import { startAggregation } from './aggregate.ts'
import { followViewing } from '../duty/completions.ts'
import { aggregateOnce } from '../testing/viewing/aggregate.ts'
import { aServer, anOrganization } from '#server/testing/worlds.ts'
import { rebuild } from '../evidence/rebuild/rebuild.ts'
import { startPlay, type NewPlay } from '#server/tracking/ingest/token.ts'

type Viewer = { viewer_key: string; coverage: string }

const now = Date.now()

const server = await aServer()
const { query } = server
const organizationId = await server.organization()

const newPlay = () => addPlay(server, organizationId)
const begin = (play: NewPlay, at = now) => startPlay(server.services.keys, play, at).claims
const write = (batches: SentBatch[]) => writeLog(server, batches)

/** Ranges by looking at every single millisecond. */
function bruteForce(truth: Truth[]): Ranges {
  const seen = new Uint8Array(durationMs + 1)
  for (const { start, end, rate, flags } of truth)
    if (rate <= 200 && (flags & 1) === 0) seen.fill(1, start, end)
  const ranges: Ranges = []
  for (let ms = 0, from = -1; ms <= durationMs; ms++) {
    if (seen[ms] === 1 && from < 0) from = ms
    if (seen[ms] !== 1 && from >= 0) {
      ranges.push([from, ms])
      from = -1
    }
  }
  return ranges
}

describe('the aggregation', () => {
  it('equals brute force for thousands of sessions over a network that loses, doubles and shuffles, and so does a rebuild', async () => {
    const luck = chance(20_261_120)
    const plays = [await newPlay(), await newPlay(), await newPlay()]
    const crowds = Array.from({ length: 600 }, () => somebody(server, luck, luck.pick(plays)))
    const books = openBooks()
    for (const { sessions } of crowds) books.add(sessions)
    const order = shuffled(
      luck,
      crowds.flatMap(({ batches }) => batches),
    )
    for (let from = 0; from < order.length; from += 6_000) {
      await write(order.slice(from, from + 6_000))
      // Two at once, as two processes would.
      await Promise.all([aggregateOnce(server.services.db), aggregateOnce(server.services.db)])
    }
    expect(await aggregateOnce(server.services.db)).toBe(0)
    const videoIds = plays.map(({ video }) => video)
    expect(await books.faults(query, videoIds)).toEqual([])
    const people = crowds.flatMap(({ sessions }) => sessions).filter(({ program }) => !program)
    const stored = await query<Viewer>('select * from viewer_videos where video_id = any($1)', [videoIds])
    const wrong = stored.filter(({ viewer_key: key, coverage }) => {
      const own = people.filter(({ claims }) => claims.viewerKey === key)
      return (
        JSON.stringify(parseRanges(coverage)) !==
        JSON.stringify(bruteForce(own.flatMap((one) => one.watched)))
      )
    })
    expect(wrong.map(({ viewer_key: key }) => key)).toEqual([])

    const before = await resultsOf(server, videoIds)
    for (const videoId of videoIds)
      expect(await rebuild(server.services.db, videoId)).toMatchObject({ stored: 0, differences: [] })
    expect(differences(before, await resultsOf(server, videoIds))).toEqual([])
    for (const table of aggregatedTables) await query(`delete from ${table}`)
    for (const videoId of videoIds) await rebuild(server.services.db, videoId)
    expect(differences(before, await resultsOf(server, videoIds))).toEqual([])
  }, 240_000)

  it('tells what became of a delivery: opened, played, covered, completed', async () => {
    const person = await server.person(null, organizationId)
    const { videoId, versionId } = await addVideo(server, { organizationId, durationMs })
    const facts = { organizationId, videoId, versionId, userId: person.id }
    const { transmissionId, deliveryId } = await addDelivery(server, facts)
    const claims = begin({
      org: organizationId,
      video: videoId,
      version: versionId,
      durMs: durationMs,
      transmission: transmissionId,
      delivery: deliveryId,
      kind: 'recipient',
      userId: person.id,
      maxRate: 2,
      theta: 0.95,
    })
    const aggregate = () => aggregateOnce(server.services.db)
    const delivery = async () =>
      (
        await query<Record<string, unknown>>('select * from delivery_viewing where delivery_id = $1', [
          deliveryId,
        ])
      )[0]

    await write([
      sent(claims, { at: 1_200, elapsedMs: 1_000, spans: [], events: [[0, 'impression', 900, 0, null]] }),
    ])
    await aggregate()
    expect(await delivery()).toMatchObject({
      transmission_id: transmissionId,
      organization_id: organizationId,
      opened_at: new Date(now + 1_100),
      first_play_at: null,
      covered_ms: 0,
    })
    await write([
      sent(claims, { at: 40_200, elapsedMs: 40_000, batch: 1, spans: [[0, 0, 38_000, 38_000, 100, 0]] }),
    ])
    await aggregate()
    expect(await delivery()).toMatchObject({
      first_play_at: new Date(now + 2_200),
      coverage: '{[0,38000)}',
      covered_ms: 38_000,
      completed_at: null,
    })
    await write([
      sent(claims, { at: 62_200, elapsedMs: 62_000, batch: 3, spans: [[0, 0, 57_500, 57_500, 100, 0]] }),
    ])
    await aggregate()
    const completed = new Date(now + 2_200 + 0.95 * durationMs)
    expect(await delivery()).toMatchObject({ covered_ms: 57_500, completed_at: completed })
    expect(await query('select * from play_sessions where id = $1', [claims.session])).toMatchObject([
      {
        position: 57_500,
        batches_seen: 3,
        // The third was lost on the way, and its part came with the fourth.
        batches_expected: 3,
        flags: sessionFlags.impressed | sessionFlags.played,
      },
    ])
    const later = begin({ ...claims, userId: person.id, kind: 'recipient' }, now + 3_600_000)
    await write([sent(later, { at: 3_000, spans: [[0, 0, 2_000, 2_000, 100, 0]] })])
    await aggregate()
    expect(await delivery()).toMatchObject({ covered_ms: 57_500, watch_ms: '59500', completed_at: completed })
  })

  it('counts what a program watches nowhere but among the programs', async () => {
    const { orgId, admin } = await anOrganization(server, 'Visited by scanners')
    const person = await server.person(null, orgId)
    const { videoId, versionId } = await addVideo(server, { organizationId: orgId, durationMs })
    const facts = { organizationId: orgId, videoId, versionId, userId: person.id }
    const { transmissionId, deliveryId } = await addDelivery(server, facts)
    const claims = begin({
      ...(await addPlay(server, orgId)),
      video: videoId,
      version: versionId,
      transmission: transmissionId,
      delivery: deliveryId,
      userId: person.id,
    })
    const events: SentBatch['events'] = [[0, 'impression', 900, 0, null]]
    const whole = sent(claims, { at: 61_000, spans: [[0, 0, 60_000, 60_000, 100, 0]], events })
    await write([{ ...whole, userAgent: 'Mozilla/5.0 HeadlessChrome/156.0' }])
    await aggregateOnce(server.services.db)
    expect(await query('select 1 from play_sessions where video_id = $1', [videoId])).toHaveLength(1)
    for (const table of ['viewer_videos', 'viewer_days', 'video_heat', 'video_heat_days'])
      expect(await query(`select 1 from ${table} where video_id = $1`, [videoId]), table).toEqual([])
    expect(await query('select 1 from delivery_viewing where delivery_id = $1', [deliveryId])).toEqual([])
    const dashboard = (await admin.call(readDashboard)).body
    expect(dashboard).toMatchObject({ opened: 0, completed: 0, watchedMs: 0 })
    expect(dashboard.days.filter(({ viewers }) => viewers !== 0)).toEqual([])
    const { body } = await admin.call(reportUserActivity)
    expect(body.steps.filter(({ value }) => value > 0)).toEqual([])
    const history = await admin.call(listPersonHistory, { params: { orgId, userId: person.id } })
    expect(history.body.items.map(({ kind }) => kind)).not.toContain('viewing')
  })

  it('changes nothing when it fails half-way, and goes on afterwards', async () => {
    const claims = begin(await newPlay())
    await write([sent(claims, { at: 9_000, spans: [[0, 0, 8_000, 8_000, 100, 0]] })])
    const owner = new pg.Client({ connectionString: server.ownerUrl })
    await owner.connect()
    await owner.query(`create function stop_here() returns trigger language plpgsql as $$ begin raise 'power cut'; end $$;
      create trigger stop_here before insert on viewer_videos for each row execute function stop_here()`)
    await expect(aggregateOnce(server.services.db)).rejects.toThrow('Failed query')
    expect(await query('select 1 from play_sessions where id = $1', [claims.session])).toEqual([])
    await owner.query('drop trigger stop_here on viewer_videos; drop function stop_here()')
    await owner.end()
    await aggregateOnce(server.services.db)
    expect(await viewer(server, claims)).toMatchObject({ coveredMs: 8_000 })
  })

  it('follows the evidence by itself', async () => {
    const aggregating = startAggregation(server.services, followViewing)
    const claims = begin(await newPlay())
    await write([sent(claims, { at: 9_000, spans: [[0, 0, 8_000, 8_000, 100, 0]] })])
    const followed = until(async () => (await viewer(server, claims)).coveredMs === 8_000)
    await expect(followed).resolves.toBe(true)
    await aggregating.stop()
  })
})

describe('partitions of the raw log', () => {
  it('are made ahead, once', async () => {
    await keepTrackDays(server.services.db)
    await keepTrackDays(server.services.db)
    const found = await query<{ n: number }>(
      `select count(*)::int as n from pg_inherits join pg_class c on c.oid = inhrelid
        where inhparent = 'track_batches'::regclass and relname >= to_char(now() at time zone 'UTC', '"track_batches_"YYYYMMDD')`,
    )
    expect(found[0]?.n).toBe(1 + 8)
  })
})
