import { trainingLetters, type TrainingState } from '#contract/matrix/standing.ts'

/** These can be known of one person and one video. The position of each is its bit in the number of a cell. */
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
  /** The person has failed, and has no attempt left. */
  'exhausted',
  /** The video was completed, and that is not valid any more. */
  'expired',
] as const
export type TrainingFact = (typeof trainingFacts)[number]
export type Facts = Readonly<Record<TrainingFact, boolean>>

export const bitOf = (fact: TrainingFact): number => 2 ** trainingFacts.indexOf(fact)

/**
 * Says where somebody stands; docs/design/duty.md says why. What was done counts before what was excused, and that
 * before what is late. Answers alone complete no video, so whoever passed its questions without watching it has started.
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

/** Returns whether somebody was asked to watch, and was not excused. Shares are made of these cells. */
export function isRequired(facts: Facts): boolean {
  return facts.assigned && stateOf(facts) !== 'waived'
}

function factsOf(bits: number): Facts {
  // Every fact is named once.
  return Object.fromEntries(trainingFacts.map((fact) => [fact, (bits & bitOf(fact)) !== 0])) as Facts
}

/** The place in this list is the number of a cell, and the entry says what it means. */
export const combinations = Array.from({ length: 2 ** trainingFacts.length }, (_none, bits) => {
  const facts = factsOf(bits)
  const state = stateOf(facts)
  const required = isRequired(facts)
  return { state, required, done: required && (state === 'completed' || state === 'passed') }
})

/** The letter of every combination stands at the place of its number. The database looks it up there, and so says the same as `stateOf`. */
export const letters = combinations
  .map(({ state }) => (state === null ? '-' : trainingLetters[state]))
  .join('')
