import { IconAward, IconBan, IconCircleMinus, IconClockX, IconMail, type Icon } from '@tabler/icons-react'
import { trainingLetters, trainingStates, type TrainingState } from '#contract/matrix/standing.ts'
import { trainingLabels } from '#contract/matrix/training-labels.ts'
import { icons, type Label, type Tone } from './StatusBadge.tsx'

type Shown = Label & { icon: Icon }

const shown = (state: TrainingState, tone: Tone, icon = icons[tone]): Shown => ({
  ...trainingLabels[state],
  tone,
  icon,
})

/** A state by word, sign, meaning and tone: each has a sign of its own, by which it is told where there is no room for words. */
export const states: Record<TrainingState, Shown> = {
  passed: shown('passed', 'success', IconAward),
  completed: shown('completed', 'success'),
  expired: shown('expired', 'warning'),
  waived: shown('waived', 'neutral', IconCircleMinus),
  overdue: shown('overdue', 'danger', IconClockX),
  out_of_attempts: shown('out_of_attempts', 'danger', IconBan),
  failed: shown('failed', 'danger'),
  started: shown('started', 'running'),
  delivered: shown('delivered', 'info', IconMail),
  assigned: shown('assigned', 'neutral'),
}

const worst = ['overdue', 'out_of_attempts', 'failed', 'expired'] as const satisfies TrainingState[]

/** The worst of those that ask for something. */
export const worstOf = (all: readonly TrainingState[]): TrainingState | undefined =>
  worst.find((state) => all.includes(state))

/** In which nothing is asked, whatever was completed before. */
const over: ReadonlySet<TrainingState> = new Set(['passed', 'completed', 'expired', 'waived'])
export const isAsked = (state: TrainingState): boolean => !over.has(state)

const byLetter = new Map<string, TrainingState>(
  trainingStates.map((state) => [trainingLetters[state], state]),
)

/** The state at a place of the letters of a row; undefined where nothing is known. */
export function stateAt(cells: string, at: number): TrainingState | undefined {
  return byLetter.get(cells[at] ?? '-')
}
