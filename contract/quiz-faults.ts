import type { QuizDraft, QuizQuestion } from './quizzes.ts'

/** What keeps a draft from being published, and a sentence for its author. */
export const quizFaults = {
  no_questions: 'Add a question first.',
  no_prompt: 'Write the question.',
  few_options: 'Offer at least two answers.',
  two_options: 'True or false has exactly two answers.',
  empty_option: 'Write a text for each answer.',
  same_options: 'Two answers say the same.',
  no_right_option: 'Mark the right answer.',
  many_right_options: 'Only one answer can be right here. For more than one, use several choices.',
  no_number: 'Say which number is right.',
  no_texts: 'Write at least one right answer.',
  time_outside: 'The video is over by then.',
  back_not_before: 'Going back has to lead to a moment before the question.',
  back_without_feedback: 'Going back tells that the answer was wrong: it needs feedback at once.',
  teaches_outside: 'The part that teaches this has to lie within the video and last a while.',
} as const satisfies Record<string, string>
export type QuizFaultCode = keyof typeof quizFaults

export type QuizFault = {
  /** Of the question; null: of the questions as a whole. */
  key: string | null
  /** What is to be changed; null: the list of questions. */
  field: keyof QuizQuestion | null
  code: QuizFaultCode
}

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
