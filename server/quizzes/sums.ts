import * as z from 'zod/mini'
import type { Answer, QuizQuestion } from '#contract/quizzes.ts'
import { otherAnswers, shortForm } from './typed-answers.ts'

/**
 * What the statistics of one question follow from, over the first completed attempt of each person with its version: x is the score
 * of the question (its first try), t that of the whole attempt.
 */
export const QuestionSums = z.object({
  n: z.number(),
  sumX: z.number(),
  sumXX: z.number(),
  sumT: z.number(),
  sumTT: z.number(),
  sumXT: z.number(),
  /** A choice, or a typed answer in its short form, to how often it was given and the sum of t − x of those who gave it. */
  options: z.record(z.string(), z.object({ n: z.number(), rest: z.number() })),
})
export type QuestionSums = z.infer<typeof QuestionSums>

export const noSums: QuestionSums = { n: 0, sumX: 0, sumXX: 0, sumT: 0, sumTT: 0, sumXT: 0, options: {} }

/** Different typed answers that are counted one by one; what comes later is counted together. */
const mostTyped = 200

export type Answered = {
  kind: QuizQuestion['kind']
  answer: Answer
  /** Points of this question and of the attempt. */
  score: number
  total: number
}

/** The sums with one more person in them. */
export function addPerson(sums: QuestionSums, { kind, answer, score, total }: Answered): QuestionSums {
  // Without a prototype: somebody may type "__proto__".
  const options: QuestionSums['options'] = Object.assign(Object.create(null), sums.options)
  for (const key of keysOf({ kind, answer })) {
    const counted =
      Object.hasOwn(options, key) || Object.keys(options).length < mostTyped ? key : otherAnswers
    const { n, rest } = options[counted] ?? { n: 0, rest: 0 }
    options[counted] = { n: n + 1, rest: rest + total - score }
  }
  return {
    n: sums.n + 1,
    sumX: sums.sumX + score,
    sumXX: sums.sumXX + score * score,
    sumT: sums.sumT + total,
    sumTT: sums.sumTT + total * total,
    sumXT: sums.sumXT + score * total,
    options,
  }
}

function keysOf({ kind, answer }: Pick<Answered, 'kind' | 'answer'>): string[] {
  if (typeof answer !== 'string') return answer
  return [shortForm(kind, answer)]
}
