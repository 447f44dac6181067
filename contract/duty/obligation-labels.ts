import type { Obligation, ObligationState, UnsentReason } from '../assignments/assignments.ts'
import type { Lacking } from './lacking.ts'

/**
 * The screen and files say with these words where somebody stands. They are in the order of a bar: what is done comes first, what is
 * missing last.
 */
export const obligationLabels: Record<ObligationState, { word: string; means: string }> = {
  done: { word: 'Completed', means: 'What was required is there, with its evidence.' },
  watched: { word: 'Seen', means: 'Enough of the video is seen, its questions are not passed yet.' },
  unconfirmed: {
    word: 'To confirm',
    means: 'Enough of the video is seen, the sentence of the assignment is not confirmed yet.',
  },
  started: { word: 'Started', means: 'A part of the video is seen.' },
  assigned: { word: 'Assigned', means: 'Nothing is seen yet.' },
  failed: { word: 'Failed', means: 'The questions were answered and not passed.' },
  overdue: { word: 'Late', means: 'The day by which it was due has passed.' },
  expired: { word: 'Expired', means: 'It was completed, and is not valid any more.' },
  waived: { word: 'Waived', means: 'Somebody has excused this person.' },
  ended: { word: 'Ended', means: 'This person does not owe it any more.' },
}

/** These words say what is missing where it is more than viewing, in a word for a column and as a file says it. */
export const lackWords: Record<Exclude<Lacking, 'viewing'>, { word: string; means: string }> = {
  evidence: { word: 'Evidence', means: 'Seen, but the evidence does not hold' },
  questions: { word: 'Questions', means: 'Seen, questions not answered' },
  passing: { word: 'Passing', means: 'Seen, questions not passed' },
  confirmation: { word: 'Confirmation', means: 'Seen, not confirmed' },
}

/** Says where somebody stands as a file does, where nothing beside tells what is missing: “Late, seen, not confirmed”. */
export function standingWords({ state, lacks }: Pick<Obligation, 'state' | 'lacks'>): string {
  const { word } = obligationLabels[state]
  if (lacks === null || lacks === 'viewing' || state === 'waived') return word
  const { means } = lackWords[lacks]
  return state === 'overdue' ? `${word}, ${means.toLowerCase()}` : means
}

/** The screen and files say with these words why the newest message to somebody has not left. */
export const unsentWords: Record<UnsentReason, string> = {
  held: 'Held',
  outbox: 'In the outbox',
  paused: 'Paused',
  turn: 'Leaves soon',
}
