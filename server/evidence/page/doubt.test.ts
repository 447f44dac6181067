import { expect, it } from 'vitest'
import { listAudit } from '#contract/platform/audit.ts'
import { readReceipt } from '#contract/evidence/certificates.ts'
import {
  countEvidenceSession,
  doubtEvidenceSession,
  readEvidence,
  readEvidenceSession,
} from '#contract/evidence/evidence.ts'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { addVideo } from '#server/testing/viewing/viewing.ts'
import { sent, writeLog, type SentBatch } from '#server/testing/viewing/viewers.ts'
import { startPlay, type PlayClaims } from '#server/tracking/ingest/token.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, anOrganization } from '#server/testing/worlds.ts'
import { rebuild } from '../rebuild/rebuild.ts'

const program = 'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/156.0.0.0 Safari/537.36'
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const durMs = 8_000

const server = await aServer()
const { orgId, admin } = await anOrganization(server)
const video = await addVideo(server, { organizationId: orgId, durationMs: durMs })

/** A report of what was played from the beginning up to `end`, with what the browser calls itself. */
function report(claims: PlayClaims, end: number, { batch, userAgent }: { batch: number; userAgent: string }) {
  const at = end + 1_000 + batch
  const batchSent: SentBatch = {
    ...sent(claims, { at, batch, spans: [[0, 0, end, end, 100, 0]] }),
    userAgent,
  }
  return batchSent
}

async function take(...batches: SentBatch[]): Promise<void> {
  await writeLog(server, batches)
  await aggregateOnce(server.services.db)
}

async function someone() {
  const { id: userId } = await server.person(null, orgId)
  const { videoId, versionId } = video
  const play = { org: orgId, video: videoId, version: versionId, durMs, userId, maxRate: 2, theta: 0.95 }
  const { claims, token: playToken } = startPlay(
    server.services.keys,
    { ...play, kind: 'recipient' },
    Date.now() - 60_000,
  )
  const params = { orgId, userId, videoId: video.videoId }
  const session = { ...params, sessionId: claims.session }
  const read = async () => {
    const { body } = await admin.call(readEvidence, { params })
    const [version] = body.versions
    return {
      covered: version?.coveredMs ?? 0,
      completed: version?.completedAt ?? null,
      doubt: body.sessions.items[0]?.doubt,
      marks: body.sessions.items[0]?.marks ?? [],
    }
  }
  return { userId, claims, playToken, params, session, read }
}

it('what was counted is never taken back by a later report, and only what that one brings does not count', async () => {
  const { claims, session, read } = await someone()
  await take(report(claims, 4_000, { batch: 0, userAgent: browser }))
  await take(report(claims, 7_000, { batch: 1, userAgent: program }))
  const found = await read()
  expect(found).toMatchObject({ covered: 4_000, doubt: { userAgent: program, decision: null } })
  expect(found.marks).not.toContain('bot')
  const { body } = await admin.call(readEvidenceSession, { params: session })
  expect(body.spans.map(({ endMs, refused }) => [endMs, refused])).toEqual([
    [4_000, null],
    [7_000, 'program'],
  ])
  await take(report(claims, 6_000, { batch: 2, userAgent: browser }))
  expect(await read()).toMatchObject({ covered: 6_000 })
})

it('gives the same in whichever order the reports come, and after a rebuild', async () => {
  const [one, other] = [await someone(), await someone()]
  const reports = ({ claims }: typeof one) => [
    report(claims, 2_000, { batch: 0, userAgent: program }),
    report(claims, 4_000, { batch: 1, userAgent: browser }),
    report(claims, 7_000, { batch: 2, userAgent: program }),
  ]
  for (const each of reports(one)) await take(each)
  for (const each of reports(other).toReversed()) await take(each)
  expect(await one.read()).toMatchObject({ covered: 4_000 })
  expect(await other.read()).toMatchObject({ covered: 4_000 })
  await admin.call(countEvidenceSession, {
    params: one.session,
    body: { reason: 'They were seen watching.' },
  })
  expect(await one.read()).toMatchObject({ covered: 7_000 })
  expect(await rebuild(server.services.db, video.videoId)).toMatchObject({ differences: [] })
  expect(await one.read()).toMatchObject({ covered: 7_000 })
})

it('an administrator decides with a reason that a person watched, and takes that back; a completion stays', async () => {
  const { claims, playToken, session, read } = await someone()
  await take(report(claims, claims.durMs, { batch: 0, userAgent: program }))
  expect(await read()).toMatchObject({ covered: 0, completed: null })
  expect((await read()).marks).toContain('bot')
  const receipt = async () => (await server.call(readReceipt, { body: { playToken } })).body
  expect(await receipt()).toMatchObject({ isDoubted: true, share: 0 })

  const by: unknown = expect.any(String)
  const reason = 'Their browser is set up by the company.'
  const decided = await admin.call(countEvidenceSession, { params: session, body: { reason } })
  expect(decided.body).toMatchObject({ reason, by })
  const counted = await read()
  expect(counted).toMatchObject({ covered: claims.durMs, doubt: { decision: { reason, by } } })
  expect(counted.completed).not.toBeNull()
  expect(await receipt()).toMatchObject({ isDoubted: false, share: 10_000 })
  const { body } = await admin.call(readEvidenceSession, { params: session })
  expect(body.spans).toMatchObject([{ credited: [0, claims.durMs], refused: null }])

  expect((await admin.call(doubtEvidenceSession, { params: session })).status).toBe(200)
  expect(await read()).toMatchObject({ covered: 0, completed: counted.completed, doubt: { decision: null } })
  await rebuild(server.services.db, video.videoId)
  expect(await read()).toMatchObject({ covered: 0, completed: counted.completed })
  expect((await admin.call(doubtEvidenceSession, { params: session })).status).toBe(200)
  const log = await admin.call(listAudit, {
    query: { organizationId: orgId, entityId: session.userId, entity: 'user' },
  })
  expect(log.body.items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['evidence.counted', 'evidence.doubted']),
  )
})

it('is decided by administrators, about others, and only where something bears the sign of a program', async () => {
  const { claims, session } = await someone()
  const body = { reason: 'They were seen watching.' }
  await take(report(claims, 4_000, { batch: 0, userAgent: browser }))
  expect((await server.call(countEvidenceSession, { params: session, body })).status).toBe(401)
  expect((await admin.call(countEvidenceSession, { params: session, body })).status).toBe(404)
  await take(report(claims, 6_000, { batch: 1, userAgent: program }))
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(countEvidenceSession, { params: session, body })).status).toBe(403)
  const foreign = await server.person('admin', await server.organization())
  expect((await foreign.call(countEvidenceSession, { params: session, body })).status).toBe(404)
  const mine = { ...session, userId: admin.id }
  expect((await admin.call(countEvidenceSession, { params: mine, body })).status).toBe(403)
  expect((await admin.call(countEvidenceSession, { params: session, body: { reason: ' ' } })).status).toBe(
    422,
  )
})

it('reads sessions from the days when one report made all of it a program’s', async () => {
  const [counted, marked] = [await someone(), await someone()]
  const setFlags = ({ claims }: typeof counted, flags: number) =>
    server.services.db.system.query('update play_sessions set flags = $2 where id = $1', [
      claims.session,
      flags,
    ])
  await take(report(counted.claims, 4_000, { batch: 0, userAgent: browser }))
  await setFlags(counted, sessionFlags.played)
  await take(report(counted.claims, 6_000, { batch: 1, userAgent: program }))
  expect(await counted.read()).toMatchObject({ covered: 4_000 })

  await take(report(marked.claims, 4_000, { batch: 0, userAgent: browser }))
  await setFlags(marked, sessionFlags.bot)
  await server.query('delete from viewer_videos where viewer_key = $1', [marked.claims.viewerKey])
  const body = { reason: 'They were seen watching.' }
  expect((await admin.call(countEvidenceSession, { params: marked.session, body })).status).toBe(200)
  expect(await marked.read()).toMatchObject({ covered: 4_000 })
})
