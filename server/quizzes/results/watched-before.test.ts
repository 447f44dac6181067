import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { readWatchedBeforeAnswer, type WatchedBefore } from '#contract/quizzes/quiz-results.ts'
import { addAttempt, addQuiz, type AddedQuiz, type Taken } from '../../testing/quizzes/answers.ts'
import { question } from '../../testing/quizzes/quizzes.ts'
import type { Person } from '../../testing/server.ts'
import { chance, type Chance } from '../../testing/viewing/viewers.ts'
import { addVideo } from '../../testing/viewing/viewing.ts'
import { aServer, anOrganization, setPolicies } from '../../testing/worlds.ts'

const server = await aServer()

let admin: Person
let organizationId: string
let video: { videoId: string; versionId: string }
let quiz: AddedQuiz
beforeEach(async () => {
  ;({ orgId: organizationId, admin } = await anOrganization(server))
  video = await addVideo(server, { organizationId, durationMs: 60_000 })
  await setPolicies(server, organizationId, { smallestGroup: 2 })
  const where = { organizationId, videoId: video.videoId }
  quiz = await addQuiz(server, where, { questions: [question({ teaches: [10_000, 20_000] })] })
})

const noon = Date.UTC(2026, 10, 20, 12)
/** So many seconds after noon. */
const at = (seconds: number) => new Date(noon + seconds * 1_000)

type Played = { start: number; end: number; began: number; rate?: number; refused?: string }
type Sitting = {
  viewerKey: string
  id?: string
  zero: number
  last: number
  played: Played[]
  versionId?: string
}

/** A session as the aggregation leaves it; all times in seconds, `began` after the session's zero. */
async function sit({
  viewerKey,
  id = randomUUID(),
  zero,
  last,
  played,
  versionId,
}: Sitting): Promise<string> {
  const credited = played.filter(({ refused }) => !refused)
  const coverage = `{${credited.map(({ start, end }) => `[${start * 1_000},${end * 1_000})`).join(',')}}`
  const { system } = server.services.db
  await system.query(
    `insert into play_sessions (id, organization_id, video_id, version_id, viewer_key, started_at, zero_at, last_at, coverage)
      values ($1, $2, $3, $4, $5, $6, $6, $7, $8)`,
    [
      id,
      organizationId,
      video.videoId,
      versionId ?? video.versionId,
      viewerKey,
      at(zero),
      at(last),
      coverage,
    ],
  )
  for (const [i, { start, end, began, rate = 1, refused = null }] of played.entries())
    await system.query(
      `insert into play_spans (session_id, i, organization_id, start_ms, end_ms, wall_ms, rate, flags, began_ms, seen_ms, refused)
        values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $8, $9)`,
      [
        id,
        i,
        organizationId,
        start * 1_000,
        end * 1_000,
        Math.round(((end - start) * 1_000) / rate),
        rate * 100,
        began * 1_000,
        refused,
      ],
    )
  return id
}

/** Somebody who answers wrong at this second after noon, and what else they do. */
async function fail(seconds: number, more: Partial<Taken> = {}): Promise<string> {
  const viewerKey = more.viewerKey ?? `visitor:${randomUUID()}`
  const answers = more.answers ?? [{ correct: false }]
  await addAttempt(server, quiz, { ...more, viewerKey, at: at(seconds), answers })
  return viewerKey
}

async function split() {
  const params = { videoId: video.videoId, itemId: quiz.items[0]?.id ?? '' }
  return (await admin.call(readWatchedBeforeAnswer, { params })).body
}

async function attention(): Promise<WatchedBefore | null | undefined> {
  // One more whose viewing is not known, so that the group is never too small.
  await fail(0)
  await fail(0)
  const found = (await split()).attention
  return found && { ...found, wrong: found.wrong - 2, unknown: found.unknown - 2 }
}

const nobody = { wrong: 0, notWatched: 0, watched: 0, rewatched: 0, unknown: 0, hadNotWatched: 0 }

test('what was played by the instant of the answer counts, and nothing later', async () => {
  // Both play the same; one answers when the part is over, the other three seconds before.
  for (const answered of [20, 17]) {
    const viewerKey = await fail(answered)
    await sit({ viewerKey, zero: 0, last: 60, played: [{ start: 0, end: 60, began: 0 }] })
  }
  expect(await attention()).toEqual({ ...nobody, wrong: 2, watched: 1, notWatched: 1, hadNotWatched: 1 })
})

test('95 % of the part is enough, at whatever speed, over several sessions and repeats counted once', async () => {
  const enough = await fail(100)
  await sit({ viewerKey: enough, zero: 0, last: 10, played: [{ start: 10, end: 14, began: 0 }] })
  await sit({
    viewerKey: enough,
    zero: 50,
    last: 200,
    played: [
      { start: 12, end: 19.5, began: 0, rate: 2 },
      { start: 0, end: 2, began: 90 },
    ],
  })
  const less = await fail(100)
  await sit({ viewerKey: less, zero: 0, last: 40, played: [{ start: 10, end: 19.4, began: 0 }] })
  expect(await attention()).toEqual({ ...nobody, wrong: 2, watched: 1, notWatched: 1, hadNotWatched: 1 })
})

test('parts without credit, and another version of the video, do not count', async () => {
  const tooFast = await fail(100)
  const skipped = [{ start: 0, end: 60, began: 0, refused: 'rate' }]
  await sit({ viewerKey: tooFast, zero: 0, last: 200, played: skipped })
  const replaced = await addVideo(server, { organizationId })
  const answering = await sit({ viewerKey: 'visitor:old', zero: 0, last: 90, played: [] })
  await fail(100, { viewerKey: 'visitor:old', sessionId: answering })
  const older = { viewerKey: 'visitor:old', versionId: replaced.versionId }
  await sit({ ...older, zero: -500, last: -400, played: [{ start: 0, end: 60, began: 0 }] })
  expect(await attention()).toEqual({ ...nobody, wrong: 2, notWatched: 2, hadNotWatched: 2 })
})

test('who plays the part after a wrong answer and then answers right has rewatched it', async () => {
  const again = [{ correct: false }, { correct: true }]
  // The second try comes a minute after the first.
  const back = await fail(30, { answers: [again] })
  await sit({
    viewerKey: back,
    zero: 0,
    last: 120,
    played: [
      { start: 0, end: 20, began: 0 },
      { start: 10, end: 20, began: 40 },
    ],
  })
  const guessed = await fail(30, { answers: [again] })
  await sit({ viewerKey: guessed, zero: 0, last: 120, played: [{ start: 0, end: 20, began: 0 }] })
  const tooLate = await fail(30, { answers: [again] })
  await sit({ viewerKey: tooLate, zero: 0, last: 200, played: [{ start: 10, end: 20, began: 100 }] })
  expect(await attention()).toEqual({
    ...nobody,
    wrong: 3,
    rewatched: 1,
    watched: 1,
    notWatched: 1,
    hadNotWatched: 1,
  })
})

test('a later attempt puts it right as well', async () => {
  const viewerKey = await fail(30)
  await sit({ viewerKey, zero: 600, last: 700, played: [{ start: 10, end: 20, began: 0 }] })
  await addAttempt(server, quiz, { viewerKey, number: 2, at: at(700), answers: [{ correct: true }] })
  expect(await attention()).toEqual({ ...nobody, wrong: 1, rewatched: 1, hadNotWatched: 1 })
})

test('where the spans are gone it is not known, and not held against anybody', async () => {
  const viewerKey = await fail(30)
  const id = await sit({ viewerKey, zero: 0, last: 60, played: [{ start: 0, end: 60, began: 0 }] })
  await server.query('delete from play_spans where session_id = $1', [id])
  expect(await attention()).toEqual({ ...nobody, wrong: 1, unknown: 1 })
})

test('an organization that records only whether a video was completed learns nothing of this', async () => {
  await setPolicies(server, organizationId, { trackingMode: 'completed_only' })
  await fail(30)
  expect(await split()).toEqual({ isRecorded: false, attention: null, taught: null, asOf: null })
})

/** Somebody with one or two sittings of some spans, who answers wrong somewhere in them, and perhaps right later. */
async function watchSomehow(luck: Chance): Promise<{ spans: Span[]; wrong: number; right: number | null }> {
  const viewerKey = `visitor:${randomUUID()}`
  const spans: Span[] = []
  for (let zero = 0, n = luck.between(1, 2); n > 0; n--, zero += 400) {
    const played: Played[] = []
    for (let began = 0; began < 90; began += luck.between(12, 30)) {
      const start = luck.between(0, 22)
      const [end, rate] = [start + luck.between(1, 12), luck.pick([1, 1, 1.5, 2])]
      played.push({ start, end, began, rate, ...(luck.next() < 0.15 ? { refused: 'rate' } : {}) })
    }
    for (const one of played) if (!one.refused) spans.push({ ...one, zero })
    await sit({ viewerKey, zero, last: zero + 130, played })
  }
  const wrong = luck.between(1, 500)
  const right = luck.next() < 0.5 ? wrong + 60 : null
  await fail(wrong, {
    viewerKey,
    answers: [right === null ? { correct: false } : [{ correct: false }, { correct: true }]],
  })
  return { spans, wrong, right }
}

type Span = Played & { zero: number }

/** Hundredths of seconds 10 to 20 of the video that were played between two instants: step by step. */
function shareBetween(spans: Span[], from: number, to: number): number {
  const seen = new Set<number>()
  for (const { start, end, began, zero, rate = 1 } of spans)
    for (let at = Math.max(1_000, start * 100); at < Math.min(2_000, end * 100); at++) {
      const played = zero + began + (at + 1 - start * 100) / 100 / rate
      if (played > from && played <= to + 1e-9) seen.add(at)
    }
  return seen.size / 1_000
}

test('among people who watch as it comes it says what brute force finds', async () => {
  const luck = chance(5)
  const expected = { ...nobody }
  for (let n = 0; n < 60; n++) {
    const { spans, wrong, right } = await watchSomehow(luck)
    const had = shareBetween(spans, -Infinity, wrong) >= 0.95
    const again = right !== null && shareBetween(spans, wrong, right) >= 0.95
    expected.wrong++
    if (!had) expected.hadNotWatched++
    expected[again ? 'rewatched' : had ? 'watched' : 'notWatched']++
  }
  expect(Math.min(expected.rewatched, expected.watched, expected.notWatched)).toBeGreaterThan(1)
  expect(await attention()).toEqual(expected)
})
