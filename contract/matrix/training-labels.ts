import { trainingStates, type TrainingState } from './standing.ts'

/** There is a word for each state in which a person stands with a video, and what it means. */
export const trainingLabels: Record<TrainingState, { word: string; means: string }> = {
  passed: { word: 'Passed', means: 'Completed the video, and passed the questions in it.' },
  completed: {
    word: 'Completed',
    means:
      'Has seen the video up to the threshold of the organization, and passed its questions where they have to be passed. It never falls back.',
  },
  expired: {
    word: 'Expired',
    means: 'Completed for an assignment, and the time for which that is valid is over.',
  },
  waived: {
    word: 'Waived',
    means: 'Somebody decided, with a reason, that this person need not watch it.',
  },
  overdue: {
    word: 'Late',
    means:
      'Not completed, failed ones included, and the due day that an assignment or a transmission set is over.',
  },
  out_of_attempts: {
    word: 'No attempt left',
    means: 'Failed the questions, which have to be passed, and has used up the attempts.',
  },
  failed: {
    word: 'Failed',
    means: 'Failed the questions, which have to be passed, and may try again.',
  },
  started: {
    word: 'Started',
    means: 'Played some or all of it without completing it, or passed its questions without seeing it.',
  },
  delivered: {
    word: 'Delivered',
    means: 'The mail server took the message, and nothing was played yet.',
  },
  assigned: {
    word: 'Assigned',
    means:
      'It was sent to this person or is asked of them, and no message has arrived: it waits, was returned or was refused.',
  },
}

export const trainingLead = 'Who has completed what, who has not, and what is late.'

export const trainingMeanings = [
  ...trainingStates.map((state) => ({
    label: trainingLabels[state].word,
    value: trainingLabels[state].means,
  })),
  {
    label: 'Which holds',
    value:
      'The first in this list that is true. Where an assignment asks for a video, only what was watched since then counts, and its day. Of several transmissions of one video the best evidence counts, and the latest day by which it was due.',
  },
  {
    label: 'Completed, in sums and shares',
    value:
      'Of the videos that were sent to a person or asked for by an assignment, and not waived, those completed and still valid, whoever passed included. Videos that were removed, and people who are disabled, are left out.',
  },
]
