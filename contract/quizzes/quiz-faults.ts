import type { QuizQuestion } from './quizzes.ts'

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
