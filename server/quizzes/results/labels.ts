import type { Answer, QuizQuestion } from '#contract/quizzes/quizzes.ts'

/** What was answered, in words. */
export function answerText({ options }: QuizQuestion, answer: Answer): string {
  if (typeof answer === 'string') return answer
  const chosen = options.filter(({ id }) => answer.includes(id))
  return chosen.map(({ text }) => text).join(', ')
}
