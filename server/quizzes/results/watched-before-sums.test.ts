import { expect, test } from 'vitest'
import { eraseEvidence } from '#contract/evidence/privacy.ts'
import { drain } from '../../platform/derived/keys.ts'
import { attention, watchedBeforeOf, markAllVerdicts } from '../watched-before.ts'
import { startPlay, type PlayClaims } from '../../tracking/ingest/token.ts'
import { sql } from '../../platform/db/sql.ts'
import { addAttempt, addQuiz, type AddedQuiz } from '../../testing/quizzes/answers.ts'
import { question } from '../../testing/quizzes/quizzes.ts'
import { chance, sendSomehow, shuffled, watchSomehow, writeLog } from '../../testing/viewing/viewers.ts'
import type { Chance, SentBatch } from '../../testing/viewing/viewers.ts'
import { addVideo } from '../../testing/viewing/viewing.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, setPolicies } from '../../testing/worlds.ts'
import { applyRetention } from '../../evidence/privacy/retention.ts'
import { rebuild } from '../../evidence/rebuild/rebuild.ts'

/** What those had watched who got a question wrong: the sums that are kept, against finding it out about everybody at that instant. */
const server = await aServer()
const { query } = server

const day = 86_400_000
const durationMs = 60_000

type Class = {
  orgId: string
  luck: Chance
  video: { videoId: string; versionId: string }
  quiz: AddedQuiz
  userIds: string[]
  numbers: Map<string, number>
}

async function gather(seed: number): Promise<Class> {
  const orgId = await server.organization()
  await setPolicies(server, orgId, { retentionMonths: 1, smallestGroup: 1 })
  const video = await addVideo(server, { organizationId: orgId, durationMs })
  const parts = [[0, 1_500] as const, [4_000, 6_000] as const, [15_000, 17_000] as const]
  const questions = [...parts.map(([from, to]) => question({ teaches: [from, to] })), question()]
  const quiz = await addQuiz(server, { organizationId: orgId, videoId: video.videoId }, { questions })
  const userIds: string[] = []
  for (let n = 0; n < 7; n++) userIds.push((await server.person(null, orgId)).id)
  return { orgId, luck: chance(seed), video, quiz, userIds, numbers: new Map() }
}

/** Somebody sits down with the video, and answers in the middle of it or afterwards. Gives what their player reports. */
async function watchAndAnswer(group: Class, at: number): Promise<SentBatch[]> {
  const { orgId, luck, video, userIds } = group
  const kind = luck.pick(['recipient', 'user', 'visitor'] as const)
  const { claims } = startPlay(
    server.services.keys,
    {
      org: orgId,
      video: video.videoId,
      version: video.versionId,
      durMs: durationMs,
      kind,
      ...(kind === 'visitor' ? {} : { userId: luck.pick(userIds) }),
      maxRate: 2,
      theta: 0.5,
    },
    at,
  )
  const answeredAt = at + luck.between(1_000, 150_000)
  if (luck.next() < 0.8) await answerSomehow(group, claims, answeredAt)
  const batches = sendSomehow(luck, claims, watchSomehow(luck, durationMs))
  const userAgent = luck.next() < 0.1 ? 'Mozilla/5.0 (compatible; MailScanner/2)' : null
  return batches.map((batch) => Object.assign(batch, { userAgent }))
}

async function answerSomehow({ luck, quiz, numbers }: Class, claims: PlayClaims, at: number): Promise<void> {
  const { viewerKey, session, kind } = claims
  const number = (numbers.get(viewerKey) ?? 0) + 1
  numbers.set(viewerKey, number)
  const [right, wrong] = [{ correct: true }, { correct: false }]
  await addAttempt(server, quiz, {
    viewerKey,
    number,
    ...(kind === 'visitor' ? {} : { userId: viewerKey.slice(kind.length + 1) }),
    ...(luck.next() < 0.8 ? { sessionId: session } : {}),
    answers: quiz.items.map(() => luck.pick([right, wrong, wrong, [wrong, right], [wrong, wrong, right]])),
    completed: luck.next() < 0.9,
    at: new Date(at),
  })
}

/** Half of those who have not got a question right yet do so at last, in an attempt that is over: the same in every run. */
const tryAgain = ({ quiz }: Class) =>
  query(
    `insert into quiz_answers (attempt_id, item_id, organization_id, try, answer, score, correct, answered_at)
      select attempt_id, item_id, organization_id, tries + 1, '[]', 0, true, at + interval '1 minute' from (
        select w.attempt_id, w.item_id, w.organization_id, max(w.try) as tries, max(w.answered_at) as at,
          row_number() over (order by max(w.answered_at), max(i.position)) as n
        from quiz_answers w join quiz_items i on i.id = w.item_id where i.version_id = $1 group by 1, 2, 3
        having not bool_or(w.correct)) wrong where n % 2 = 0`,
    [quiz.versionId],
  )

const emptyQueue = () => drain(server.services.db, attention)

class Undone extends Error {}

/** As if nothing had been kept, and everybody were new to the sums. */
async function foundOut({ orgId, video, quiz }: Class) {
  const found: unknown[] = []
  const undone = server.services.db.as('system', async (tx) => {
    for (const table of ['quiz_attention', 'dirty_keys']) await tx.execute(sql`delete from ${sql.raw(table)}`)
    await tx.execute(sql`insert into dirty_keys (figure, organization_id, subject, person)
      select 'attention', organization_id, video_id, coalesce(user_id::text, viewer_key) from quiz_attempts where completed_at is not null`)
    for (const { id } of quiz.items)
      found.push(await watchedBeforeOf(tx, { organizationId: orgId, videoId: video.videoId, itemId: id }))
    throw new Undone()
  })
  await expect(undone).rejects.toThrow(Undone)
  return found
}

async function storedSums({ orgId, video, quiz }: Class) {
  return server.services.db.as({ organizationId: orgId }, async (tx) => {
    const found: unknown[] = []
    for (const { id } of quiz.items)
      found.push(await watchedBeforeOf(tx, { organizationId: orgId, videoId: video.videoId, itemId: id }))
    return found
  })
}

async function expectTruth(group: Class): Promise<void> {
  const truth = await foundOut(group)
  expect(await storedSums(group)).toEqual(truth)
  await emptyQueue()
  expect(await query(`select 1 from dirty_keys where figure = 'attention'`)).toEqual([])
  expect(await storedSums(group)).toEqual(truth)
}

const aggregateAll = async () => {
  while ((await aggregateOnce(server.services.db)) > 0);
}

test(
  'is what it would be found to be, whatever comes late, goes, or is computed anew',
  { timeout: 300_000 },
  async () => {
    const group = await gather(61)
    const { luck, orgId, video, userIds } = group
    const admin = await server.person('admin', orgId)
    const late: SentBatch[] = []
    for (let n = 0; n < 48; n++) {
      const ago = luck.pick([50, 40, 12, 3]) * day + luck.between(0, day)
      const batches = shuffled(luck, await watchAndAnswer(group, Date.now() - ago))
      const soon = luck.between(0, batches.length)
      late.push(...batches.slice(soon))
      await writeLog(server, batches.slice(0, soon))
      if (n % 8 === 7) await expectTruth(group)
      if (n % 8 === 3) await aggregateAll()
    }
    await writeLog(server, late)
    await aggregateAll()
    await expectTruth(group)
    await tryAgain(group)
    await expectTruth(group)
    const verdicts = await query<{ verdict: number }>(
      'select distinct verdict from quiz_attention order by 1',
    )
    expect(verdicts.map(({ verdict }) => verdict)).toEqual([1, 2, 3, 4, 5])
    expect((await rebuild(server.services.db, video.videoId)).differences).toEqual([])
    await expectTruth(group)
    const [erased = ''] = userIds
    await admin.call(eraseEvidence, { params: { orgId, userId: erased }, body: { when: 'now' } })
    await expectTruth(group)
    expect(await query('select 1 from quiz_attention where person = $1', [erased])).toEqual([])
    const before = await query('select count(*)::int as n from play_sessions where video_id = $1', [
      video.videoId,
    ])
    await applyRetention(server.services)
    expect(
      await query('select count(*)::int as n from play_sessions where video_id = $1', [video.videoId]),
    ).not.toEqual(before)
    await expectTruth(group)
    const verdictsNow = () => query('select s::text from quiz_attention s order by 1')
    const settled = await verdictsNow()
    await server.services.db.as('system', markAllVerdicts)
    await emptyQueue()
    expect(await verdictsNow()).toEqual(settled)
    await query('delete from quiz_attempts where organization_id = $1', [orgId])
    await emptyQueue()
    expect(await verdictsNow()).toEqual([])
  },
)

test(
  'misses nobody while evidence is aggregated, answers come and verdicts are found at once',
  { timeout: 300_000 },
  async () => {
    const group = await gather(62)
    const { db } = server.services
    const batches: SentBatch[] = []
    const over = new AbortController()
    const until = async (work: () => Promise<unknown>) => {
      while (!over.signal.aborted) await work()
    }
    const others = [until(() => aggregateOnce(db)), until(emptyQueue)]
    for (let n = 0; n < 25; n++) {
      const ago = group.luck.between(1, 20) * day
      batches.push(...(await watchAndAnswer(group, Date.now() - ago)))
      await writeLog(server, batches.splice(0, group.luck.between(0, batches.length)))
    }
    await writeLog(server, batches)
    over.abort()
    await Promise.all(others)
    await aggregateAll()
    await expectTruth(group)
    expect(await query('select 1 from quiz_attention')).not.toEqual([])
  },
)
