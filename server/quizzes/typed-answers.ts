import type { QuestionKind } from '#contract/quizzes.ts'
import { cut } from '#contract/text.ts'

/** Stands for all typed answers beyond those that are counted one by one. */
export const otherAnswers = '…'

/** As two texts are compared: without case, accents, and spaces that say nothing. */
export function normalizeText(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim()
}

/** Under which name a typed answer is counted. */
export function shortForm(kind: QuestionKind, answer: string): string {
  return kind === 'number' ? cut(answer.trim(), 40) : cut(normalizeText(answer), 80)
}
