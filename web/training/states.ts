import {
  IconAlertTriangle,
  IconAward,
  IconBan,
  IconCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconMail,
  IconPlayerPlay,
  IconX,
  type Icon,
} from '@tabler/icons-react'
import { trainingLetters, trainingStates, type TrainingState } from '#contract/training.ts'
import { trainingWords } from '#contract/training-words.ts'

/** A state by word, sign and meaning; its colours are in training.css. */
export const states: Record<TrainingState, { word: string; icon: Icon; means: string }> = {
  passed: { ...trainingWords.passed, icon: IconAward },
  completed: { ...trainingWords.completed, icon: IconCheck },
  waived: { ...trainingWords.waived, icon: IconCircleMinus },
  overdue: { ...trainingWords.overdue, icon: IconAlertTriangle },
  out_of_attempts: { ...trainingWords.out_of_attempts, icon: IconBan },
  failed: { ...trainingWords.failed, icon: IconX },
  started: { ...trainingWords.started, icon: IconPlayerPlay },
  delivered: { ...trainingWords.delivered, icon: IconMail },
  assigned: { ...trainingWords.assigned, icon: IconCircleDashed },
}

const byLetter = new Map<string, TrainingState>(
  trainingStates.map((state) => [trainingLetters[state], state]),
)

/** The state at a place of the letters of a row; undefined where nothing is known. */
export function stateAt(cells: string, at: number): TrainingState | undefined {
  return byLetter.get(cells[at] ?? '-')
}
