import * as z from 'zod/mini'
import {
  enoughOfEither,
  enoughPeople,
  type GivenAnswer,
  type QuestionResult,
} from '#contract/quizzes/quiz-results.ts'
import { QuizQuestion } from '#contract/quizzes/quizzes.ts'
import { rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { Marks, Options } from '../item-figures.ts'
import { otherAnswers } from '../typed-answers.ts'
import { grade } from '../grade.ts'

/** Different answers that are listed where people typed them; the most frequent. */
const mostTyped = 8

const Item = z.object({
  id: z.string(),
  position: z.number(),
  gate: z.boolean(),
  points: z.number(),
  question: QuizQuestion,
  people: z.number(),
  options: Options,
  marks: Marks,
})
type Item = z.infer<typeof Item>

type Group = { people: number; otherwise: number }

/** Counts the people with these scores, and takes the mean of the points that they have in all OTHER questions. */
function groupOf(marks: Item['marks']): Group {
  const people = marks.reduce((sum, [, , n]) => sum + n, 0)
  return { people, otherwise: marks.reduce((sum, [x, t, n]) => sum + n * (t - x), 0) / people }
}

/** Of a question that has nothing to do with the others, chance alone puts one of the two groups a little ahead. */
const clearly = 1.1

/**
 * Tells whether the key of a question may be wrong: those who got it wrong have on average a tenth more points in all other questions than
 * those who got it right. It takes `enoughPeople` in all, and `enoughOfEither` who got it right and wrong; who did not answer it got it wrong.
 */
function mayBeMiskeyed(right: Group, wrong: Group): boolean {
  const isEnough =
    right.people + wrong.people >= enoughPeople && Math.min(right.people, wrong.people) >= enoughOfEither
  return isEnough && wrong.otherwise > clearly * right.otherwise
}

/** Lists options in their order, chosen or not, or the texts that were typed most often, each graded like every one for which it stands. */
function answersOf({ question, options, people }: Item): GivenAnswer[] {
  const counted = (text: string, correct: boolean, count = 0) => ({
    text,
    correct,
    count,
    share: count / people,
  })
  if (question.options.length > 0)
    return question.options.map(({ id, text, correct }) => counted(text, correct, options[id]))
  return Object.entries(options)
    .filter(([key]) => key !== otherAnswers)
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, mostTyped)
    .map(([key, count]) => counted(key, grade(question, key).correct, count))
}

/** Reads each question with its figures, in the order of the version, without going through the answers. */
export async function questionsOf(
  tx: Tx,
  versionId: string,
  smallestGroup: number,
): Promise<QuestionResult[]> {
  const items = await rows(
    tx,
    Item,
    sql`select i.id, i.position, i.gate, i.points, i.question, coalesce(s.n, 0) as people, coalesce(s.options, '{}') as options,
        coalesce(s.marks, '[]') as marks
      from quiz_items i left join quiz_item_stats s on s.item_id = i.id where i.version_id = ${versionId} order by i.position`,
  )
  return items.map((item) => resultOf(item, smallestGroup))
}

function resultOf(item: Item, smallestGroup: number): QuestionResult {
  const { id, position, gate, points, people, question, marks } = item
  const { kind, prompt, atMs, teaches } = question
  const hasAll = ([x]: Item['marks'][number]) => x >= points - 1e-9
  const right = groupOf(marks.filter(hasAll))
  const wrong = groupOf(marks.filter((one) => !hasAll(one)))
  const isShown = people >= smallestGroup
  return {
    id,
    position,
    gate,
    points,
    kind,
    prompt,
    atMs,
    teaches,
    people,
    right: isShown ? right.people : null,
    mayBeMiskeyed: isShown && mayBeMiskeyed(right, wrong),
    answers: isShown ? answersOf(item) : [],
  }
}
