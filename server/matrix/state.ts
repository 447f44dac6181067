import { trainingLetters, type TrainingState } from '#contract/matrix/standing.ts'

/** What can be known of one person and one video; the position is the bit in a cell's number. */
export const trainingFacts = [
  'assigned',
  'delivered',
  'started',
  'completed',
  'passed',
  'waived',
  /** The day that was set is over. */
  'late',
  /** The questions have to be passed, and were not. */
  'failed',
  /** And there is no attempt left. */
  'exhausted',
  /** What was completed is not valid any more. */
  'expired',
] as const
export type TrainingFact = (typeof trainingFacts)[number]
export type Facts = Readonly<Record<TrainingFact, boolean>>

export const bitOf = (fact: TrainingFact): number => 2 ** trainingFacts.indexOf(fact)

/**
 * Where somebody stands; docs/design/duty.md says why. What was done counts before what was excused, and that
 * before what is late. Answers alone complete no video: who passed its questions without watching it has started.
 */
export function stateOf(facts: Facts): TrainingState | null {
  if (facts.completed && facts.expired) return 'expired'
  if (facts.completed) return facts.passed ? 'passed' : 'completed'
  if (facts.waived) return 'waived'
  if (facts.assigned && facts.late) return 'overdue'
  if (facts.failed && (facts.assigned || facts.started)) return facts.exhausted ? 'out_of_attempts' : 'failed'
  if (facts.started || facts.passed) return 'started'
  if (!facts.assigned) return null
  return facts.delivered ? 'delivered' : 'assigned'
}

/** Counts where somebody was asked to watch, and was not excused: these make a share. */
export function isRequired(facts: Facts): boolean {
  return facts.assigned && stateOf(facts) !== 'waived'
}

function factsOf(bits: number): Facts {
  // Every fact is named once.
  return Object.fromEntries(trainingFacts.map((fact) => [fact, (bits & bitOf(fact)) !== 0])) as Facts
}

/** Whatever a cell's number means. */
export const combinations = Array.from({ length: 2 ** trainingFacts.length }, (_none, bits) => {
  const facts = factsOf(bits)
  const state = stateOf(facts)
  const required = isRequired(facts)
  return { state, required, done: required && (state === 'completed' || state === 'passed') }
})

/** The letter of every combination, at the place of its number: so the database says the same as `stateOf`, by looking it up. */
export const letters = combinations
  .map(({ state }) => (state === null ? '-' : trainingLetters[state]))
  .join('')
