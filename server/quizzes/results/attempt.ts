import * as z from 'zod/mini'
import { QuizAttemptResult, type ReadAnswer } from '#contract/quizzes/quiz-results.ts'
import { Answer, QuizQuestion } from '#contract/quizzes/quizzes.ts'
import { row, rows, together, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { solutionOf } from '../grade.ts'
import { answerText } from './labels.ts'

const GivenAnswer = z.extend(
  z.omit(
    z.object({
      answer: z.string(),
      correct: z.boolean(),
      score: z.number(),
      answeredAt: z.string(),
      tookMs: z.number(),
    }),
    { answer: true },
  ),
  { answer: Answer },
)
type GivenAnswer = z.infer<typeof GivenAnswer>
const AskedQuestion = z.object({
  itemId: z.string(),
  position: z.number(),
  question: QuizQuestion,
  tries: z.array(GivenAnswer),
})
type AskedQuestion = z.infer<typeof AskedQuestion>

const QuizAttemptRow = z.omit(QuizAttemptResult, { answers: true })

/** Refuses attempts with the questions of another video with `not_found`. */
export async function quizAttempt(
  tx: Tx,
  { videoId, attemptId }: { videoId: string; attemptId: string },
): Promise<QuizAttemptResult> {
  const [attempt, asked] = await together(
    row(
      tx,
      QuizAttemptRow,
      sql`select a.id, a.number, u.name, ${isoText(sql`a.started_at`)} as "startedAt",
          ${isoText(sql`a.completed_at`)} as "completedAt", a.score, a.max_score as "maxScore", a.passed,
          (select json_agg(json_build_object('id', b.id, 'number', b.number) order by b.number, b.id) from quiz_attempts b
            where b.version_id = a.version_id
              and coalesce(b.user_id::text, b.viewer_key) = coalesce(a.user_id::text, a.viewer_key)) as attempts
        from quiz_attempts a join videos v on v.id = a.video_id and v.deleted_at is null left join users u on u.id = a.user_id
        where a.id = ${attemptId} and a.video_id = ${videoId}`,
    ),
    rows(
      tx,
      AskedQuestion,
      sql`select i.id as "itemId", i.position, i.question, coalesce(json_agg(json_build_object('answer', w.answer, 'correct', w.correct,
            'score', w.score, 'answeredAt', ${isoText(sql`w.answered_at`)}, 'tookMs', w.took_ms) order by w.try)
          filter (where w.try is not null), '[]') as tries
        from quiz_attempts a join quiz_items i on i.version_id = a.version_id
        left join quiz_answers w on w.attempt_id = a.id and w.item_id = i.id
        where a.id = ${attemptId} and a.video_id = ${videoId} group by i.id order by i.position`,
    ),
  )
  if (!attempt) throw refuse('not_found')
  return { ...attempt, answers: asked.map(toAnswer) }
}

function toAnswer({ question, tries, ...item }: AskedQuestion): ReadAnswer {
  return {
    ...item,
    prompt: question.prompt,
    points: question.points,
    tries: tries.map((one) => ({ ...one, answer: answerText(question, one.answer) })),
    solution: solutionOf(question),
  }
}
