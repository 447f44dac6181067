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
import { trainingLabels } from '#contract/training-labels.ts'

/** A state by word, sign and meaning; its colours are in training.css. */
export const states: Record<TrainingState, { word: string; icon: Icon; means: string }> = {
  passed: { ...trainingLabels.passed, icon: IconAward },
  completed: { ...trainingLabels.completed, icon: IconCheck },
  waived: { ...trainingLabels.waived, icon: IconCircleMinus },
  overdue: { ...trainingLabels.overdue, icon: IconAlertTriangle },
  out_of_attempts: { ...trainingLabels.out_of_attempts, icon: IconBan },
  failed: { ...trainingLabels.failed, icon: IconX },
  started: { ...trainingLabels.started, icon: IconPlayerPlay },
  delivered: { ...trainingLabels.delivered, icon: IconMail },
  assigned: { ...trainingLabels.assigned, icon: IconCircleDashed },
}

const byLetter = new Map<string, TrainingState>(
  trainingStates.map((state) => [trainingLetters[state], state]),
)

/** The state at a place of the letters of a row; undefined where nothing is known. */
export function stateAt(cells: string, at: number): TrainingState | undefined {
  return byLetter.get(cells[at] ?? '-')
}
