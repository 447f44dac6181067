import { expect, test } from 'vitest'
import type { TrainingState } from '#contract/matrix/standing.ts'
import {
  bitOf,
  isRequired,
  combinations,
  letters,
  stateOf,
  trainingFacts,
  type Facts,
  type TrainingFact,
} from './state.ts'

const facts = (known: readonly TrainingFact[]): Facts =>
  Object.fromEntries(trainingFacts.map((fact) => [fact, known.includes(fact)])) as Facts

const table: [known: TrainingFact[], state: TrainingState | null, required: boolean][] = [
  [[], null, false],
  [['assigned'], 'assigned', true],
  [['assigned', 'delivered'], 'delivered', true],
  [['assigned', 'delivered', 'started'], 'started', true],
  [['started'], 'started', false],
  // Answers alone complete nothing.
  [['assigned', 'passed'], 'started', true],
  [['assigned', 'delivered', 'late'], 'overdue', true],
  [['assigned', 'delivered', 'started', 'late'], 'overdue', true],
  [['assigned', 'passed', 'late'], 'overdue', true],
  // What was done is never late, and needs no excuse.
  [['assigned', 'delivered', 'started', 'completed', 'late'], 'completed', true],
  [['assigned', 'started', 'completed', 'passed', 'late'], 'passed', true],
  [['assigned', 'started', 'completed', 'waived'], 'completed', true],
  [['completed'], 'completed', false],
  [['completed', 'passed'], 'passed', false],
  // An excuse holds whatever else is missing.
  [['assigned', 'delivered', 'waived'], 'waived', false],
  [['assigned', 'delivered', 'started', 'waived', 'late'], 'waived', false],
  [['waived'], 'waived', false],
]

test.each(table)('%j is %s', (known, state, required) => {
  expect(stateOf(facts(known))).toBe(state)
  expect(isRequired(facts(known))).toBe(required)
})

test('the database looks up the same', () => {
  const letterOf: Record<string, string> = {
    passed: 'p',
    completed: 'c',
    waived: 'w',
    overdue: 'o',
    started: 's',
    delivered: 'd',
    assigned: 'a',
  }
  expect(letters).toHaveLength(2 ** trainingFacts.length)
  for (const [known, state, required] of table) {
    const at = known.reduce((sum, fact) => sum + bitOf(fact), 0)
    expect(letters[at]).toBe(state === null ? '-' : letterOf[state])
    expect(combinations[at]).toMatchObject({ state, required })
  }
})
