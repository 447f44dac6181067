import { connect, type Database, type Tx } from '#server/platform/db/client.ts'
import { drain } from '#server/platform/derived/keys.ts'
import { itemFigures } from '#server/quizzes/item-figures.ts'
import { attention } from '#server/quizzes/watched-before.ts'
import { watchedBeforeAnswer } from '#server/quizzes/results/watched-before.ts'
import { quizResults } from '#server/quizzes/results/queries.ts'
import { scopeOf } from '#server/reports/scope.ts'
import { findQuizzes, quizMetrics } from '#server/reports/quiz-metrics.ts'
import { percentile, type Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { cpuSeconds } from './program.ts'
import { answering } from './quiz-answers.ts'
import { gatherQuizCrowd, type QuizCrowd } from './quiz-crowd.ts'

const workload = 'quiz'
const sizes = [20_000, 100_000]
const rounds = 20
const warmUps = 2

/** The results of ten questions that very many people have answered, and the report on them, by the product's own functions. */
export async function quiz(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const people of sizes) figures.push(...(await ofCrowd(people)))
  return figures
}

type Measure = { database: BenchDatabase; db: Database; crowd: QuizCrowd; people: number }

async function ofCrowd(people: number): Promise<Figure[]> {
  const database = await startBenchDatabase()
  const db = connect(database.url, { max: 1 })
  try {
    const crowd = await gatherQuizCrowd(database, people)
    const measure = { database, db, crowd, people }
    const figures = await settling(measure)
    await database.query('vacuum analyze')
    for (const one of questionsAbout(crowd)) figures.push(...(await timed(one, measure)))
    figures.push(...(await answering(measure)))
    return figures
  } finally {
    await db.close()
    await database.close()
  }
}

/** Everybody is new to it. */
async function settling({ database, db, people }: Measure): Promise<Figure[]> {
  const before = cpuSeconds(database.pid)
  await drain(db, attention)
  const ours = ((cpuSeconds(database.pid) - before) * 1e6) / people
  await drain(db, itemFigures)
  return [{ workload, what: `${of(people)}: what one person had watched, CPU`, unit: 'µs', ours }]
}

const of = (people: number) => `${people / 1_000},000 people`

type Subject = { groupId?: string; videoId?: string; projectId?: string }

function scopeFor(tx: Tx, { organizationId }: QuizCrowd, asked: Subject & { period?: '30d' | '12m' } = {}) {
  const caller = { organizationId, role: 'admin' as const, groupIds: [] }
  return scopeOf(tx, caller, { period: '30d', ...asked })
}

type Question = { what: string; ask: (tx: Tx, n: number) => Promise<unknown> }

function questionsAbout(crowd: QuizCrowd): Question[] {
  const { organizationId, videoId, versionId, itemIds, groupId, projectId } = crowd
  const report = (asked: Parameters<typeof scopeFor>[2]) => async (tx: Tx) =>
    quizMetrics(tx, await scopeFor(tx, crowd, asked))
  const limited = { organizationId, role: 'groupadmin' as const, groupIds: [groupId] }
  return [
    { what: 'figures of all questions', ask: (tx) => quizResults(tx, { videoId, versionId }) },
    {
      what: 'what those had watched who got one wrong',
      ask: (tx, n) => watchedBeforeAnswer(tx, { videoId, itemId: itemIds[n % itemIds.length] ?? '' }),
    },
    { what: 'report, 30 days', ask: report({}) },
    { what: 'report, 12 months', ask: report({ period: '12m' }) },
    {
      what: 'report, its table',
      ask: async (tx) =>
        findQuizzes(tx, await scopeFor(tx, crowd), { sort: '-lastAt', offset: 0, limit: 25 }),
    },
    { what: 'report, the video', ask: report({ videoId }) },
    { what: 'report, its project', ask: report({ projectId }) },
    { what: 'report, a group of a tenth of them', ask: report({ groupId }) },
    {
      what: 'report, a groupadmin of the same',
      ask: async (tx) => quizMetrics(tx, await scopeOf(tx, limited, { period: '30d' })),
    },
  ]
}

/** The target is of the CPU time of the database: on a busy machine the time that goes by says little. */
async function timed({ what, ask }: Question, { database, db, crowd, people }: Measure): Promise<Figure[]> {
  const times: number[] = []
  let before = 0
  for (let n = -warmUps; n < rounds; n++) {
    if (n === 0) before = cpuSeconds(database.pid)
    await db.as({ organizationId: crowd.organizationId }, async (tx) => {
      const began = performance.now()
      await ask(tx, n + warmUps)
      times.push(performance.now() - began)
    })
  }
  const cpu = ((cpuSeconds(database.pid) - before) * 1_000) / rounds
  const passed = percentile(
    times.toSorted((a, b) => a - b),
    0.5,
  )
  const line = { workload, unit: 'ms' }
  return [
    { ...line, what: `${of(people)}: ${what}, median`, ours: passed },
    { ...line, what: `${of(people)}: ${what}, CPU`, ours: cpu, target: { of: 'figure', most: 100 } },
  ]
}
