import type { Obligation, ObligationState, UnsentReason } from './assignments.ts'

/** Where somebody stands, as the screen and files say it; in the order in which a bar has them: what is done first, what is missing last. */
export const obligationLabels: Record<ObligationState, { word: string; means: string }> = {
  done: { word: 'Done', means: 'What was required is there, with its evidence.' },
  watched: { word: 'Watched', means: 'The video is completed, its questions are not passed yet.' },
  unconfirmed: {
    word: 'To confirm',
    means: 'Watched, and the sentence of the assignment is not confirmed yet.',
  },
  started: { word: 'Started', means: 'A part of the video was watched.' },
  assigned: { word: 'Assigned', means: 'Nothing was watched yet.' },
  failed: { word: 'Failed', means: 'The questions were answered and not passed.' },
  overdue: { word: 'Overdue', means: 'The day by which it was due has passed.' },
  expired: { word: 'Expired', means: 'It was done, and is not valid any more.' },
  waived: { word: 'Waived', means: 'Somebody has excused this person.' },
  ended: { word: 'Ended', means: 'This person does not owe it any more.' },
}

/** As a file says it, where nothing beside tells what is missing. */
export function standingWords({ state, isUnconfirmed }: Pick<Obligation, 'state' | 'isUnconfirmed'>): string {
  if (!isUnconfirmed || state === 'waived') return obligationLabels[state].word
  return state === 'overdue' ? 'Overdue, watched, not confirmed' : 'Watched, not confirmed'
}

/** Why the newest message to somebody has not left, as the screen and files say it. */
export const unsentWords: Record<UnsentReason, string> = {
  held: 'Held',
  outbox: 'In the outbox',
  paused: 'Paused',
  turn: 'Leaves soon',
}
