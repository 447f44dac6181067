import type { Standing as StandingFacts, TrainingState } from '#contract/matrix/standing.ts'
import { formatDate } from '../format.ts'
import { isAsked, states } from './standings.ts'
import classes from './Standing.module.css'
import shapes from '../look/shapes.module.css'

/** A state as sign and word; one that asks for something as colour, too. */
export function Mark({ state }: { state: TrainingState }) {
  const { icon: Sign, word, tone } = states[state]
  return (
    <span className={classes.mark} data-state={state} data-tone={tone}>
      <Sign size={16} aria-hidden />
      {word}
    </span>
  )
}

type Props = {
  standing: StandingFacts
  /** Of whatever they completed; null: nothing. */
  completedAt: string | null
  /** What else is to be known, where that says no more. */
  besides?: string | false
  /** The day that the page says of everybody already. */
  saidAlready?: string | null
}

/** Where somebody stands, with what its word alone does not say, such as by which day, or that it is asked for again. */
export function Standing({ standing, completedAt, besides, saidAlready }: Props) {
  const says = asked(standing, { isCompleted: completedAt !== null, saidAlready }) ?? besides
  return (
    <span className={classes.standing}>
      <Mark state={standing.state} />
      {says && <span className={shapes.hint}>{says}</span>}
    </span>
  )
}

type StandingContext = { isCompleted: boolean; saidAlready: string | null | undefined }

const dayOf = (instant: string | null | undefined) => (instant ? formatDate(instant) : null)

function asked(
  { state, dueAt }: StandingFacts,
  { isCompleted, saidAlready }: StandingContext,
): string | null {
  const due = dayOf(dueAt)
  if (isCompleted && isAsked(state)) return due === null ? 'asked again' : `asked again, due ${due}`
  return state === 'overdue' && due !== null && due !== dayOf(saidAlready) ? `due ${due}` : null
}
