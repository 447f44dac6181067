import type { QuizFault, QuizFaultCode } from './quiz-faults.ts'
import type { QuizDraft, QuizQuestion } from './quizzes.ts'

type UnkeyedFault = Omit<QuizFault, 'key'>
type Checked = { draft: QuizDraft; durationMs: number | null }

/**
 * Everything that keeps a draft from being published, in the order of the questions. `durationMs` is that of the video that plays
 * now; null where none does, and then no time is looked at.
 */
export function faultsOf(draft: QuizDraft, durationMs: number | null): QuizFault[] {
  if (draft.questions.length === 0) return [{ key: null, field: null, code: 'no_questions' }]
  return draft.questions.flatMap((question) => {
    const found: UnkeyedFault[] = [
      ...(question.prompt === '' ? [{ field: 'prompt', code: 'no_prompt' } as const] : []),
      ...answerFaults(question),
      ...timeFaults(question, { draft, durationMs }),
    ]
    return found.map(({ field, code }) => ({ key: question.key, field, code }))
  })
}

/** The questions of a draft that could be asked as they are. */
export function finishedOf(draft: QuizDraft, durationMs: number | null): QuizQuestion[] {
  const faults = faultsOf(draft, durationMs)
  return draft.questions.filter(({ key }) => !faults.some((fault) => fault.key === key))
}

function answerFaults(question: QuizQuestion): UnkeyedFault[] {
  if (question.kind === 'number')
    return question.number === null ? [{ field: 'number', code: 'no_number' }] : []
  if (question.kind === 'text')
    return question.texts.some((text) => text !== '') ? [] : [{ field: 'texts', code: 'no_texts' }]
  return optionFaults(question).map((code) => ({ field: 'options', code }))
}

function optionFaults({ kind, options }: QuizQuestion): QuizFaultCode[] {
  const texts = options.map(({ text }) => text.toLowerCase())
  const right = options.filter(({ correct }) => correct).length
  const count = kind === 'true_false' ? 'two_options' : 'few_options'
  const isCount = kind === 'true_false' ? options.length === 2 : options.length >= 2
  return [
    ...(isCount ? [] : ([count] as const)),
    ...(texts.includes('') ? (['empty_option'] as const) : []),
    ...(new Set(texts).size < texts.length && !texts.includes('') ? (['same_options'] as const) : []),
    ...(right === 0 ? (['no_right_option'] as const) : []),
    ...(right > 1 && kind !== 'multiple' ? (['many_right_options'] as const) : []),
  ]
}

function timeFaults(
  { atMs, backToMs, teaches }: QuizQuestion,
  { draft, durationMs }: Checked,
): UnkeyedFault[] {
  const end = durationMs ?? Infinity
  const asked = Math.min(atMs ?? end, end)
  const isTaught = teaches === null || (teaches[0] < teaches[1] && teaches[1] <= end)
  return [
    ...(atMs !== null && atMs > end ? [{ field: 'atMs', code: 'time_outside' } as const] : []),
    ...(backToMs !== null && backToMs >= asked
      ? [{ field: 'backToMs', code: 'back_not_before' } as const]
      : []),
    ...(backToMs !== null && draft.settings.feedback !== 'at_once'
      ? [{ field: 'backToMs', code: 'back_without_feedback' } as const]
      : []),
    ...(isTaught ? [] : [{ field: 'teaches', code: 'teaches_outside' } as const]),
  ]
}
