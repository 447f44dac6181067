import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import type { exportQuizResults } from '#contract/quizzes/quiz-results.ts'
import { Answer, QuizQuestion } from '#contract/quizzes/quizzes.ts'
import { rows, type Database, type Scope, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { csvLine, utf8Mark } from '#contract/platform/csv.ts'
import { answerText } from './labels.ts'
import { Id } from '../../platform/db/rows.ts'

type Kind = ParsedQuery<typeof exportQuizResults>['rows']
export type Order = { db: Database; scope: Scope; versionId: string | undefined; kind: Kind }

/** Attempts of one statement and of one piece of the file. */
const stretch = 500

const ofAttempt = ['Attempt ID', 'Person', 'Email', 'Viewer', 'Attempt']
const headers: Record<Kind, string[]> = {
  attempts: [...ofAttempt, 'Started', 'Completed', 'Score', 'Full score', 'Passed', 'Transmission ID'],
  answers: [
    ...ofAttempt,
    'Position',
    'Question',
    'Try',
    'Answer',
    'Right',
    'Score',
    'Points',
    'Answered',
    'Seconds',
  ],
}

const Attempt = z.object({
  id: z.string(),
  name: z.nullable(z.string()),
  email: z.nullable(z.string()),
  viewerKey: z.string(),
  number: z.number(),
})
type Attempt = z.infer<typeof Attempt>
const AttemptLine = z.extend(Attempt, {
  startedAt: z.string(),
  completedAt: z.nullable(z.string()),
  score: z.number(),
  maxScore: z.number(),
  passed: z.nullable(z.boolean()),
  transmissionId: z.nullable(z.string()),
})
type AttemptLine = z.infer<typeof AttemptLine>
const AnswerLine = z.extend(Attempt, {
  position: z.number(),
  question: QuizQuestion,
  try: z.number(),
  answer: Answer,
  correct: z.boolean(),
  score: z.number(),
  answeredAt: z.string(),
  tookMs: z.number(),
})
type AnswerLine = z.infer<typeof AnswerLine>

/** A file in pieces, oldest attempt first. Every stretch is a transaction of its own: a slow reader holds no connection. */
export async function* exportedResults({ db, scope, versionId, kind }: Order): AsyncGenerator<string> {
  yield utf8Mark + csvLine(headers[kind])
  if (versionId === undefined) return
  let after: string | undefined
  do {
    const from = attemptsOf(versionId, after)
    const { lines, last } = await db.as(scope, (tx) => linesOf(tx, kind, from))
    yield lines.join('')
    after = last
  } while (after !== undefined)
}

function attemptsOf(versionId: string, after: string | undefined): SQL {
  const behind = after === undefined ? sql`` : sql`and a.id > ${after}`
  return sql`(select a.*, u.name, u.email from quiz_attempts a left join users u on u.id = a.user_id
    where a.version_id = ${versionId} ${behind} order by a.id limit ${stretch}) r`
}

const attemptColumns = sql`r.id, r.name, r.email, r.viewer_key as "viewerKey", r.number`

/** `last`: the attempt behind which the next stretch begins; undefined after the last one. */
async function linesOf(
  tx: Tx,
  kind: Kind,
  from: SQL,
): Promise<{ lines: string[]; last: string | undefined }> {
  const ids = await rows(tx, Id, sql`select r.id from ${from} order by r.id`)
  const last = ids.length === stretch ? ids.at(-1)?.id : undefined
  return { lines: kind === 'attempts' ? await attemptLines(tx, from) : await answerLines(tx, from), last }
}

function cells({ id, name, email, viewerKey, number }: Attempt) {
  return [id, name, email, viewerKey, number]
}

const yesNo = (value: boolean | null) => (value === null ? null : value ? 'yes' : 'no')

async function attemptLines(tx: Tx, from: SQL): Promise<string[]> {
  const found = await rows(
    tx,
    AttemptLine,
    sql`select ${attemptColumns}, ${isoText(sql`r.started_at`)} as "startedAt", ${isoText(sql`r.completed_at`)} as "completedAt",
        r.score, r.max_score as "maxScore", r.passed, r.transmission_id as "transmissionId" from ${from} order by r.id`,
  )
  return found.map((one) => {
    const { startedAt, completedAt, score, maxScore, passed, transmissionId } = one
    return csvLine([...cells(one), startedAt, completedAt, score, maxScore, yesNo(passed), transmissionId])
  })
}

async function answerLines(tx: Tx, from: SQL): Promise<string[]> {
  const found = await rows(
    tx,
    AnswerLine,
    sql`select ${attemptColumns}, i.position, i.question, w.try, w.answer, w.correct, w.score,
        ${isoText(sql`w.answered_at`)} as "answeredAt", w.took_ms as "tookMs"
      from ${from} join quiz_answers w on w.attempt_id = r.id join quiz_items i on i.id = w.item_id
      order by r.id, i.position, w.try`,
  )
  return found.map((one) => {
    const { position, question, answer, correct, score, answeredAt, tookMs } = one
    return csvLine([
      ...cells(one),
      position,
      question.prompt,
      one.try,
      answerText(question, answer),
      yesNo(correct),
      score,
      question.points,
      answeredAt,
      tookMs / 1_000,
    ])
  })
}
