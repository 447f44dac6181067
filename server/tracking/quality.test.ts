import { expect, it } from 'vitest'
import { somebody } from '#server/testing/viewing/crowd.ts'
import { addPlay, chance, sent, writeLog } from '#server/testing/viewing/viewers.ts'
import { aggregateOnce } from '../testing/viewing/aggregate.ts'
import { aServer } from '#server/testing/worlds.ts'
import { qualityOf, type QualityScope } from './quality.ts'
import { startPlay } from './ingest/token.ts'

const server = await aServer()

const ask = (scope: QualityScope) => server.services.db.as('system', (tx) => qualityOf(tx, scope))

it('tells how good the evidence is: of everything, of a video, of some days, and up to which instant', async () => {
  const luck = chance(7)
  const organizationId = await server.organization()
  const plays = [await addPlay(server, organizationId), await addPlay(server, organizationId)]
  const crowds = Array.from({ length: 60 }, () => somebody(server, luck, luck.pick(plays)))
  await writeLog(
    server,
    crowds.flatMap(({ batches }) => batches),
  )
  await aggregateOnce(server.services.db)
  const sessions = crowds.flatMap((crowd) => crowd.sessions)
  const people = sessions.filter(({ program }) => !program)
  const sum = (list: typeof people, of: (one: (typeof people)[number]) => number) =>
    list.reduce((total, one) => total + of(one), 0)
  const wanted = (list: typeof sessions) => {
    const counted = list.filter(({ program }) => !program)
    return {
      sessions: counted.length,
      anonymous: counted.filter(({ claims }) => claims.kind === 'visitor').length,
      bots: list.length - counted.length,
      capped: counted.filter(({ capped }) => capped).length,
      batchesSeen: sum(counted, ({ batches }) => new Set(batches).size),
      // What did not arrive came again with a later one: nothing is lost.
      batchesExpected: sum(counted, ({ batches }) => new Set(batches).size),
    }
  }
  const all = wanted(sessions)
  expect(all.bots).toBeGreaterThan(0)
  const numbers = sum(sessions, ({ batches }) => Math.max(...batches) + 1)
  expect(all.batchesSeen, 'many were lost on the way').toBeLessThan(numbers)
  const began = Date.now()
  const quality = await ask({ organizationId })
  expect(quality).toMatchObject(all)
  expect(quality.refused).toBeGreaterThan(0)
  expect(Date.parse(quality.completeTo)).toBeGreaterThanOrEqual(began - 1)
  expect(await ask({})).toMatchObject(all)
  expect(await ask({ organizationId: await server.organization() })).toMatchObject({ sessions: 0, bots: 0 })

  const [video] = plays
  const ofVideo = sessions.filter(({ claims }) => claims.video === video?.video)
  expect(await ask({ organizationId, videoId: video?.video })).toMatchObject(wanted(ofVideo))
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
  const day = dayOf(sessions[0]?.claims.iat ?? 0)
  const ofDay = sessions.filter(({ claims }) => dayOf(claims.iat) === day)
  expect(await ask({ organizationId, from: day, to: day })).toMatchObject(wanted(ofDay))

  // Of somebody the reports 1 and 2 never came, and nobody told again what stood in them.
  const third = await addPlay(server, organizationId)
  const { claims } = startPlay(server.services.keys, third, Date.now() - 60_000)
  await writeLog(server, [
    sent(claims, { at: 3_000, spans: [[0, 0, 2_000, 2_000, 100, 0]] }),
    sent(claims, { at: 30_000, batch: 3, spans: [[3, 20_000, 22_000, 2_000, 100, 0]] }),
  ])
  await aggregateOnce(server.services.db)
  expect(await ask({ organizationId })).toMatchObject({
    batchesSeen: all.batchesSeen + 2,
    batchesExpected: all.batchesExpected + 4,
  })

  // Two reports wait: the older one is how far the figures go.
  const late = Date.now() - 60_000
  for (const play of plays) {
    const { claims } = startPlay(server.services.keys, play, late)
    const at = play === video ? 2_000 : 7_000
    await writeLog(server, [sent(claims, { at, spans: [] })])
  }
  const completeTo = new Date(late + 2_000).toISOString()
  expect(await ask({ organizationId })).toMatchObject({ completeTo })
  expect(await ask({ organizationId, videoId: plays[1]?.video })).toMatchObject({
    completeTo: new Date(late + 7_000).toISOString(),
  })
})
