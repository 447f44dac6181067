import { describe, expect, it } from 'vitest'
import { differences, resultsOf, somebody, type Crowd } from '#server/testing/viewing/crowd.ts'
import { openBooks } from '#server/testing/viewing/truth.ts'
import {
  addPlay,
  chance,
  sent,
  shuffled,
  viewer,
  writeLog,
  type SentBatch,
} from '#server/testing/viewing/viewers.ts'
import { startPlay, type NewPlay, type PlayClaims } from '#server/tracking/ingest/token.ts'
import { unionOf } from '../../tracking/credit.ts'
import { forgetViewers } from '../../tracking/aggregate.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer } from '#server/testing/worlds.ts'
import { rebuild, rebuildAll } from './rebuild.ts'
import type { Rebuilt } from '../../tracking/rebuild.ts'

const server = await aServer()
const { query } = server
const organizationId = await server.organization()

const aggregate = () => aggregateOnce(server.services.db)
const again = (play: NewPlay) => rebuild(server.services.db, play.video)
const results = (play: NewPlay) => resultsOf(server, [play.video])

/** A video that a few people have watched; everything is aggregated. */
async function watchedVideo(seed: number, people = 40): Promise<{ play: NewPlay; crowds: Crowd[] }> {
  const luck = chance(seed)
  const play = await addPlay(server, organizationId)
  const crowds = Array.from({ length: people }, () => somebody(server, luck, play))
  const batches = crowds.flatMap((crowd) => crowd.batches)
  await writeLog(server, shuffled(luck, batches))
  await aggregate()
  return { play, crowds }
}

function booksOf(crowds: Crowd[]) {
  const books = openBooks()
  for (const { sessions } of crowds) books.add(sessions)
  return books
}

const claimsOf = (crowd: Crowd | undefined): PlayClaims => {
  const claims = crowd?.sessions[0]?.claims
  if (!claims) throw new Error('nobody')
  return claims
}
const isPerson = (crowd: Crowd) => crowd.sessions.every(({ program }) => !program)

describe('a rebuild', () => {
  it('repairs what is wrong, and says in how many rows of which table', async () => {
    const { play, crowds } = await watchedVideo(1)
    const books = booksOf(crowds)
    expect(await books.faults(query, [play.video])).toEqual([])
    await query('update video_heat set viewers_delta = viewers_delta + 1 where video_id = $1 and sec = 5', [
      play.video,
    ])
    await query('update viewer_days set sessions = sessions + 1 where video_id = $1', [play.video])
    const [days] = await query<{ n: number }>(
      'select count(*)::int as n from viewer_days where video_id = $1',
      [play.video],
    )
    expect((await books.faults(query, [play.video])).length).toBeGreaterThan(50)
    const done: Rebuilt[] = []
    await rebuildAll(server.services.db, (one) => done.push(one))
    expect(done.flatMap((one) => one.differences)).toEqual([
      { table: 'video_heat', rows: 2 },
      { table: 'viewer_days', rows: 2 * (days?.n ?? 0) },
    ])
    expect(await books.faults(query, [play.video])).toEqual([])
  })

  it('keeps what the log no longer shows: whole sessions, parts of them, and their spans', async () => {
    const { play, crowds } = await watchedVideo(2)
    const before = await results(play)
    const claims = crowds.filter(isPerson).map(claimsOf)
    const ids = claims.map(({ session }) => session)
    await query('delete from track_batches where session_id = any($1)', [ids.slice(0, 6)])
    await query(
      'delete from track_batches where session_id = any($1) and batch in (select min(batch) from track_batches group by session_id)',
      [ids.slice(6, 12)],
    )
    const rebuilt = await again(play)
    expect(rebuilt.stored).toBeGreaterThanOrEqual(12)
    expect(rebuilt.differences).toEqual([])
    expect(differences(before, await results(play))).toEqual([])

    // Without spans nothing can be judged any more; what was judged stays, and what comes later is added to it.
    const [person] = claims
    if (!person) throw new Error('nobody')
    await query('delete from track_batches where session_id = any($1)', [ids])
    await query('delete from play_spans where session_id = $1', [person.session])
    expect((await again(play)).differences).toEqual([])
    const known = (await viewer(server, person)).coverage
    const later = startPlay(server.services.keys, { ...play, userId: userOf(person) }).claims
    await writeLog(server, [sent(later, { at: 9_000, spans: [[0, 50_000, 58_000, 8_000, 100, 0]] })])
    await aggregate()
    expect((await viewer(server, person)).coverage).toEqual(unionOf([...known, [50_000, 58_000]]))
    expect((await again(play)).differences).toEqual([])
  })

  it('counts a person out again, and everybody else as before', async () => {
    const { play, crowds } = await watchedVideo(4)
    const leaving = crowds.filter(isPerson).slice(0, 5)
    const keys = leaving.map((crowd) => claimsOf(crowd).viewerKey)
    await server.services.db.as('system', (tx) => forgetViewers(tx, play.video, keys))
    const others = booksOf(crowds.filter((crowd) => !leaving.includes(crowd)))
    expect(await others.faults(query, [play.video])).toEqual([])
    await query('delete from track_batches where session_id = any($1)', [
      leaving.flatMap(({ sessions }) => sessions.map(({ claims }) => claims.session)),
    ])
    expect((await again(play)).differences).toEqual([])
  })
})

const userOf = ({ viewerKey }: PlayClaims) => viewerKey.split(':')[1] ?? ''

describe('whatever comes in whichever order', () => {
  const facts = async (play: NewPlay) => {
    const lines = await results(play)
    // Ids and instants of the two videos differ, and nothing else may.
    return lines.map((line) => line.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id'))
  }

  it.each<[string, Partial<SentBatch>]>([
    ['a program that tells late that it is one', { userAgent: 'Googlebot/2.1' }],
    ['two pages that both say what event 1 was', { events: [[1, 'pause', 900, 7_000, null]] }],
    ['two states of the same batch', { position: 3_000 }],
  ])('%s', async (_what, first) => {
    const at = Date.now() - 3_600_000
    const userId = crypto.randomUUID()
    const outcomes = []
    for (const turned of [false, true]) {
      const play = { ...(await addPlay(server, organizationId)), userId }
      const { claims } = startPlay(server.services.keys, play, at)
      const spans: [number, number, number, number, number, number][] = [[0, 0, 8_000, 8_000, 100, 0]]
      const one = {
        ...sent(claims, { at: 9_000, spans, events: [[0, 'impression', 500, 0, null]] }),
        ...first,
      }
      const other = sent(claims, {
        at: 20_000,
        batch: 'position' in first ? 0 : 1,
        spans: [[1, 30_000, 38_000, 8_000, 100, 0]],
        events: [[1, 'seek', 8_500, 30_000, { from: 8_000, to: 30_000 }]],
      })
      const batches = [one, other]
      for (const batch of turned ? batches.toReversed() : batches) {
        await writeLog(server, [batch, batch])
        await aggregate()
      }
      expect((await again(play)).differences).toEqual([])
      outcomes.push(await facts(play))
    }
    expect(outcomes[1]).toEqual(outcomes[0])
    expect(outcomes[0]?.length).toBeGreaterThan(2)
  })
})
