import {
  IconAlertTriangle,
  IconAward,
  IconBan,
  IconCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconClockX,
  IconMail,
  IconPlayerPlay,
  IconX,
  type Icon,
} from '@tabler/icons-react'
import { trainingLetters, trainingStates, type TrainingState } from '#contract/training.ts'
import { trainingLabels } from '#contract/training-labels.ts'
import type { Tone } from '#web/ui/StatusBadge.tsx'

type Shown = { word: string; icon: Icon; means: string; tone?: Tone }

/** A state by word, sign, meaning and tone; what asks nobody for anything has none. */
export const states: Record<TrainingState, Shown> = {
  passed: { ...trainingLabels.passed, icon: IconAward },
  completed: { ...trainingLabels.completed, icon: IconCheck },
  expired: { ...trainingLabels.expired, icon: IconClockX, tone: 'warning' },
  waived: { ...trainingLabels.waived, icon: IconCircleMinus },
  overdue: { ...trainingLabels.overdue, icon: IconAlertTriangle, tone: 'danger' },
  out_of_attempts: { ...trainingLabels.out_of_attempts, icon: IconBan, tone: 'danger' },
  failed: { ...trainingLabels.failed, icon: IconX, tone: 'danger' },
  started: { ...trainingLabels.started, icon: IconPlayerPlay },
  delivered: { ...trainingLabels.delivered, icon: IconMail },
  assigned: { ...trainingLabels.assigned, icon: IconCircleDashed },
}

const worst = ['overdue', 'out_of_attempts', 'failed', 'expired'] as const satisfies TrainingState[]

/** The worst of those that ask for something. */
export const worstOf = (all: readonly TrainingState[]): TrainingState | undefined =>
  worst.find((state) => all.includes(state))

const byLetter = new Map<string, TrainingState>(
  trainingStates.map((state) => [trainingLetters[state], state]),
)

/** The state at a place of the letters of a row; undefined where nothing is known. */
export function stateAt(cells: string, at: number): TrainingState | undefined {
  return byLetter.get(cells[at] ?? '-')
}
