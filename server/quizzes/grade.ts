import * as z from 'zod/mini'
import type { FieldProblem } from '#contract/problems.ts'
import type { Answer, QuizQuestion } from '#contract/quizzes/quizzes.ts'
import { refuse } from '../platform/errors.ts'
import { normalizeText, readNumber } from './typed-answers.ts'

export const Grade = z.object({
  correct: z.boolean(),
  /** Points. */
  score: z.number(),
})
export type Grade = z.infer<typeof Grade>

/**
 * What an answer is worth. One choice, true or false, a number and a text are right or wrong. Of several choices each right one adds
 * its share of the points and each wrong one takes the same away, never below nothing. Refuses what is no answer to this question.
 */
export function grade(question: QuizQuestion, answer: Answer): Grade {
  if (question.kind === 'multiple') return gradeChoices(question, choicesOf(question, answer))
  const correct = isRight(question, answer)
  return { correct, score: correct ? question.points : 0 }
}

function isRight(question: QuizQuestion, answer: Answer): boolean {
  if (question.kind === 'number') return isNear(question.number, numberOf(answer))
  if (question.kind === 'text') {
    const given = normalizeText(typedOf(answer))
    if (given === '') throw invalid('required')
    return question.texts.some((text) => normalizeText(text) === given)
  }
  const chosen = choicesOf(question, answer)
  if (chosen.length !== 1) throw invalid('invalid')
  return question.options.some(({ id, correct }) => correct && id === chosen[0])
}

function gradeChoices({ options, points }: QuizQuestion, chosen: readonly string[]): Grade {
  const right = options.filter(({ correct }) => correct)
  const hits = right.filter(({ id }) => chosen.includes(id)).length
  const misses = chosen.length - hits
  return {
    correct: hits === right.length && misses === 0,
    score: (points * Math.max(0, hits - misses)) / Math.max(1, right.length),
  }
}

function choicesOf({ options }: QuizQuestion, answer: Answer): string[] {
  if (typeof answer === 'string') throw invalid('invalid')
  const chosen = [...new Set(answer)]
  if (chosen.length === 0) throw invalid('required')
  if (chosen.length < answer.length || chosen.some((id) => options.every((option) => option.id !== id)))
    throw invalid('invalid')
  return chosen
}

function typedOf(answer: Answer): string {
  if (typeof answer !== 'string') throw invalid('invalid')
  return answer
}

function numberOf(answer: Answer): number {
  const text = typedOf(answer)
  if (text.trim() === '') throw invalid('required')
  const number = readNumber(text)
  if (typeof number === 'string') throw invalid(number)
  return number
}

/** A billionth more than the tolerance, so that 0.3 lies within 0.1 of 0.2, as it does on paper. */
function isNear(wanted: QuizQuestion['number'], given: number): boolean {
  if (wanted === null) return false
  const { value, tolerance } = wanted
  return Math.abs(given - value) <= tolerance + 1e-9 * Math.max(1, Math.abs(value))
}

function invalid(problem: FieldProblem) {
  return refuse('validation_failed', { fields: { answer: [problem] } })
}

/** What would have been right, in words. */
export function solutionOf({ kind, options, number, texts }: QuizQuestion): string {
  if (kind === 'number') {
    if (number === null) return ''
    return number.tolerance === 0 ? `${number.value}` : `${number.value} (± ${number.tolerance})`
  }
  if (kind === 'text') return texts.filter((text) => text !== '').join(' · ')
  return options
    .filter(({ correct }) => correct)
    .map(({ text }) => text)
    .join(' · ')
}
