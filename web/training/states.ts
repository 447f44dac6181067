import {
  IconAlertTriangle,
  IconAward,
  IconCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconMail,
  IconPlayerPlay,
  type Icon,
} from '@tabler/icons-react'
import { trainingLetters, trainingStates, type TrainingState } from '#contract/training.ts'

/** A state by word, sign and meaning; its colours are in training.css. */
export const states: Record<TrainingState, { word: string; icon: Icon; means: string }> = {
  passed: {
    word: 'Passed',
    icon: IconAward,
    means: 'Completed the video, and passed the questions in it.',
  },
  completed: {
    word: 'Completed',
    icon: IconCheck,
    means: 'Covered the video up to the threshold of the organization. It never falls back.',
  },
  waived: {
    word: 'Waived',
    icon: IconCircleMinus,
    means: 'Somebody decided, with a reason, that this person need not watch it.',
  },
  overdue: {
    word: 'Overdue',
    icon: IconAlertTriangle,
    means: 'Not completed, and the last day that any of its transmissions set is over.',
  },
  started: {
    word: 'Started',
    icon: IconPlayerPlay,
    means: 'Played some of it, or passed its questions without completing it.',
  },
  delivered: {
    word: 'Delivered',
    icon: IconMail,
    means: 'The mail server took the message, and nothing was played yet.',
  },
  assigned: {
    word: 'Assigned',
    icon: IconCircleDashed,
    means: 'It was sent to this person, and the message has not arrived: it waits, bounced or was rejected.',
  },
}

const byLetter = new Map<string, TrainingState>(
  trainingStates.map((state) => [trainingLetters[state], state]),
)

/** The state at a place of the letters of a row; undefined where nothing is known. */
export function stateAt(cells: string, at: number): TrainingState | undefined {
  return byLetter.get(cells[at] ?? '-')
}

export const meanings = [
  ...trainingStates.map((state) => ({ label: states[state].word, value: states[state].means })),
  {
    label: 'Which holds',
    value:
      'The first in this list that is true. Of several messages about one video the best evidence counts, and the latest day by which it was due.',
  },
  {
    label: 'Done',
    value:
      'Of the videos that were sent to a person and not waived, those completed or passed. Videos that were removed, and people who are disabled, are left out.',
  },
]
