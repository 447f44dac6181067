import type { Database } from '#server/platform/db/client.ts'
import { startPlay } from '#server/tracking/token.ts'
import { keysOf } from '#server/platform/keys.ts'
import { keepAnswer } from '#server/quizzes/answers.ts'
import { findCurrent, lockRun, startRun } from '#server/quizzes/attempts.ts'
import { deriveAll } from '#server/testing/derive.ts'
import type { Figure } from './figures.ts'
import type { BenchDatabase } from './database.ts'
import { cpuSeconds } from './program.ts'
import type { QuizCrowd } from './quiz-crowd.ts'

const attempts = 150
const turns = 4
const tables = ['quiz_attempts', 'quiz_answers']

/** What it costs to answer all questions, with their keys and without them by turns, and then with what the keys bring about. */
export async function answering(measure: {
  database: BenchDatabase
  db: Database
  crowd: QuizCrowd
  people: number
}): Promise<Figure[]> {
  const { database, db, people } = measure
  const [kept, plain, settled] = [[0], [0], [0]]
  for (let turn = 0; turn < turns; turn++) {
    kept.push(await cpuOf(database, () => answerAll(measure)))
    settled.push(await cpuOf(database, () => deriveAll(db)))
    await switchKeys(database, 'disable')
    plain.push(await cpuOf(database, () => answerAll(measure)))
    await switchKeys(database, 'enable')
  }
  const each = (list: number[]) => (list.reduce((sum, n) => sum + n, 0) * 1_000) / turns / attempts
  const workload = 'quiz'
  const beside = { name: 'floor', value: each(plain) } as const
  const of = `${people / 1_000},000 people`
  return [
    {
      workload,
      what: `${of}: an attempt with ten answers, CPU`,
      unit: 'ms',
      ours: each(kept),
      beside,
    },
    {
      workload,
      what: `${of}: the same, and then its sums`,
      unit: 'ms',
      ours: each(kept) + each(settled),
      beside,
    },
  ]
}

async function cpuOf(database: BenchDatabase, work: () => Promise<void>): Promise<number> {
  const before = cpuSeconds(database.pid)
  await work()
  return cpuSeconds(database.pid) - before
}

async function switchKeys(database: BenchDatabase, how: 'enable' | 'disable'): Promise<void> {
  for (const table of tables) {
    const found = await database.query<{ name: string }>(
      `select tgname as name from pg_trigger where tgrelid = $1::regclass and tgname like 'mark_dirty%'`,
      [table],
    )
    for (const one of found) await database.query(`alter table ${table} ${how} trigger ${one.name}`)
  }
}

/** Visitors without a session, who get some questions right. */
async function answerAll({ db, crowd }: { db: Database; crowd: QuizCrowd }): Promise<void> {
  const { organizationId, videoId, mediaVersionId, quizId } = crowd
  const play = {
    org: organizationId,
    video: videoId,
    version: mediaVersionId,
    durMs: 600_000,
    kind: 'visitor' as const,
    maxRate: 2,
    theta: 0.95,
  }
  const keys = keysOf('0'.repeat(64))
  for (let n = 0; n < attempts; n++) {
    const { claims } = startPlay(keys, play)
    const as = { organizationId }
    const begun = await db.as(as, async (tx) => {
      const quiz = await findCurrent(tx, claims, quizId)
      return startRun(tx, { claims, quiz, again: false, now: new Date() })
    })
    const mine = { quizId, attemptId: begun.id, viewerKey: claims.viewerKey }
    for (const [at, { id, question }] of begun.items.entries())
      await db.as(as, async (tx) => {
        const run = await lockRun(tx, mine)
        const isRight = (n + at) % 10 < 6
        const option = question.options[isRight ? 0 : 1]?.id
        const answer = option === undefined ? (isRight ? 'car park' : 'lobby') : [option]
        await keepAnswer(tx, {
          run,
          claims,
          reply: { itemId: id, try: 1, answer },
          tookMs: 5_000,
          now: new Date(),
        })
      })
  }
}
