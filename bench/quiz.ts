import { connect, type Database, type Tx } from '#server/db/client.ts'
import { questionAttention } from '#server/quizzes/results/attention.ts'
import { quizResults } from '#server/quizzes/results/queries.ts'
import { quizMetrics } from '#server/reports/quiz-metrics.ts'
import { percentile, type Figure } from './figures.ts'
import { layGround, type Ground } from './ground.ts'
import { cpuSeconds } from './program.ts'
import { gatherQuizCrowd, type QuizCrowd } from './quiz-crowd.ts'

const people = 20_000
const rounds = 20

/** The results of ten questions that very many people have answered, by the product's own functions. */
export async function quiz(): Promise<Figure[]> {
  const ground = await layGround()
  const db = connect(ground.url, { max: 1 })
  try {
    const crowd = await gatherQuizCrowd(ground, people)
    const { videoId, versionId, itemIds } = crowd
    const questions: Question[] = [
      {
        what: 'figures of all questions',
        most: 100,
        ask: (tx) => quizResults(tx, { videoId, versionId }),
      },
      {
        what: 'what those had watched who got one wrong',
        most: 1_000,
        ask: (tx, n) => questionAttention(tx, { videoId, itemId: itemIds[n % itemIds.length] ?? '' }),
      },
      {
        what: 'report on quizzes, 30 days',
        most: 1_000,
        ask: (tx) => quizMetrics(tx, lastDays(crowd)),
      },
    ]
    const figures: Figure[] = []
    for (const one of questions) figures.push(...(await timed(one, { ground, db, crowd })))
    return figures
  } finally {
    await db.close()
    await ground.close()
  }
}

const day = 86_400_000

function lastDays({ organizationId: id }: QuizCrowd): Parameters<typeof quizMetrics>[1] {
  const days = Array.from({ length: 30 }, (_, n) =>
    new Date(Date.now() - (29 - n) * day).toISOString().slice(0, 10),
  )
  const from = `${days[0]}T00:00:00.000Z`
  return { organization: { id, name: 'Quiz' }, groupIds: undefined, from, days, unit: 'day' }
}

type Question = { what: string; most: number; ask: (tx: Tx, n: number) => Promise<unknown> }

type Measure = { ground: Ground; db: Database; crowd: QuizCrowd }

/** The target is of the CPU time of the database: on a busy machine the time that goes by says little. */
async function timed({ what, most, ask }: Question, { ground, db, crowd }: Measure): Promise<Figure[]> {
  const times: number[] = []
  const { organizationId } = crowd
  const before = cpuSeconds(ground.pid)
  for (let n = 0; n < rounds; n++)
    await db.as({ organizationId }, async (tx) => {
      const began = performance.now()
      await ask(tx, n)
      times.push(performance.now() - began)
    })
  const cpu = ((cpuSeconds(ground.pid) - before) * 1_000) / rounds
  const passed = percentile(
    times.toSorted((a, b) => a - b),
    0.5,
  )
  const workload = 'quiz'
  return [
    { workload, what: `${what}, median`, unit: 'ms', ours: passed },
    { workload, what: `${what}, CPU`, unit: 'ms', ours: cpu, target: { of: 'figure', most } },
  ]
}
