import { trainingStates, type TrainingState } from '#contract/matrix/standing.ts'
import type { TrainingVideo } from '#contract/matrix/training.ts'
import { formatNumber } from '#web/ui/format.ts'
import { Mark } from '#web/ui/Standing.tsx'
import { states } from '#web/ui/standings.ts'
import styles from './Training.module.css'
import { tip } from '#web/ui/tips.ts'
import shapes from '#web/ui/shapes.module.css'

type Props = {
  counts: TrainingVideo['counts']
  state: TrainingState | ''
  onState: (state: TrainingState | '') => void
}

/** What the signs mean, how often each stands there, and a filter. What nobody is in is left out. */
export function Legend({ counts, state, onState }: Props) {
  const shown = trainingStates.filter((one) => counts[one] || one === state)
  if (shown.length === 0) return null
  return (
    <ul
      className={`${shapes.row} ${styles.legend}`}
      data-stop
      aria-label="States; press one to see only people who have it"
    >
      {shown.map((one) => (
        <li key={one}>
          <button
            type="button"
            aria-pressed={state === one}
            {...tip(states[one].means)}
            onClick={() => onState(state === one ? '' : one)}
          >
            <Mark state={one} />
            <strong>{formatNumber(counts[one] ?? 0)}</strong>
          </button>
        </li>
      ))}
    </ul>
  )
}
