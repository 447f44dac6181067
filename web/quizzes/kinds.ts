import type { QuestionKind, QuizOption, QuizQuestion } from '#contract/quizzes/quizzes.ts'
import { newOption } from './draft.ts'

export const kindLabels: Record<QuestionKind, string> = {
  single: 'Single choice',
  multiple: 'Multiple choice',
  true_false: 'True or false',
  number: 'Number',
  text: 'Short text',
}

export const hasOptions = (kind: QuestionKind): boolean => kind !== 'number' && kind !== 'text'

/** Another kind of the same question. What was right stays right, as far as the new kind can say it. */
export function changeKind(question: QuizQuestion, kind: QuestionKind): QuizQuestion {
  if (kind === question.kind) return question
  const right = rightTexts(question)
  const plain = { ...question, kind, options: [], number: null, texts: [] }
  if (kind === 'text') return { ...plain, texts: right, shuffle: false }
  if (kind === 'number') return { ...plain, number: numberIn(right), shuffle: false }
  if (kind === 'true_false') return { ...plain, options: trueAndFalse(question), shuffle: false }
  return { ...plain, options: choices(question, { kind, right }) }
}

function rightTexts({ kind, options, number, texts }: QuizQuestion): string[] {
  if (kind === 'number') return number ? [String(number.value)] : []
  if (kind === 'text') return texts
  return options.filter(({ correct, text }) => correct && text.trim() !== '').map(({ text }) => text)
}

function numberIn(texts: readonly string[]): QuizQuestion['number'] {
  const value = texts.map((text) => Number(text.trim().replace(',', '.'))).find((one) => Number.isFinite(one))
  return value === undefined ? null : { value, tolerance: 0 }
}

/** Two choices become the two, whatever they were called; more of them say nothing about which of the two is right. */
function trueAndFalse({ options }: QuizQuestion): QuizOption[] {
  const [first, second] = options
  if (!first || !second || options.length > 2) return [newOption('True'), newOption('False')]
  const isSecond = second.correct && !first.correct
  return [
    { ...first, text: 'True', correct: first.correct },
    { ...second, text: 'False', correct: isSecond },
  ]
}

function choices(
  { kind: from, options }: QuizQuestion,
  { kind, right }: { kind: QuestionKind; right: readonly string[] },
): QuizOption[] {
  if (!hasOptions(from)) {
    const found = right.map((text, at) => newOption(text, kind === 'multiple' || at === 0))
    return [...found, ...[newOption('', found.length === 0), newOption()].slice(0, found.length > 0 ? 1 : 2)]
  }
  if (kind === 'multiple') return options
  const first = options.findIndex(({ correct }) => correct)
  return options.map((option, at) => ({ ...option, correct: at === first }))
}
