import { describe, expect, it } from 'vitest'
import type { AskedQuestion, Attempt } from '#contract/quizzes/quizzes.ts'
import { dueAt, nearMs, nextStop, openQuestions, type Course } from './course.ts'

const asked = (id: string, atMs: number | null, gate = false): AskedQuestion => {
  return { id, atMs, gate, kind: 'text', prompt: id, points: 1, options: [] }
}
const questions = [
  asked('a', 1_000),
  asked('gate', 5_000, true),
  asked('b', 5_000),
  asked('c', 9_000),
  asked('end', null, true),
]

function course(change: { answered?: string[]; skipped?: string[]; retrying?: string[] } = {}): Course {
  const told = {
    try: 1,
    answer: 'x',
    correct: false,
    score: 0,
    feedback: null,
    solution: null,
    backToMs: 0,
    mayRetry: true,
  }
  const answered = (change.answered ?? []).map((itemId) => Object.assign({ itemId }, told))
  const attempt: Attempt = {
    id: '',
    number: 1,
    remaining: null,
    questions,
    answered,
    completedAt: null,
    outcome: null,
  }
  return { attempt, skipped: new Set(change.skipped), retrying: new Set(change.retrying) }
}
const due = (change: Parameters<typeof course>[0], from: number, to: number) =>
  dueAt(course(change), { from, to })?.id

describe('the question that is due', () => {
  it('is the first one that was passed', () => {
    expect(due({}, 0, 900)).toBeUndefined()
    expect(due({}, 0, 1_010)).toBe('a')
    expect(due({ answered: ['a'] }, 0, 1_010)).toBeUndefined()
    expect(due({ answered: ['a'] }, 4_000, 5_100)).toBe('gate')
    expect(due({ answered: ['a', 'gate'] }, 4_000, 5_100)).toBe('b')
  })

  it('is asked at the first instant, and where the look before ended but not asked', () => {
    const first = { ...course(), attempt: { ...course().attempt, questions: [asked('first', 0)] } }
    expect(dueAt(first, { from: -410, to: 0 })?.id).toBe('first')
    expect(dueAt(first, { from: -410, to: 250 })?.id).toBe('first')
    expect(dueAt(first, { from: 0, to: 250 })).toBeUndefined()
    expect(due({}, 1_000 - nearMs, 1_000)).toBe('a')
  })

  it('is a gate, wherever somebody jumps behind it, but no other question', () => {
    expect(due({}, 9_500, 9_500)).toBe('gate')
    expect(due({ answered: ['gate'] }, 9_500, 9_500)).toBeUndefined()
    expect(due({}, 4_000, 4_000)).toBeUndefined()
  })

  it('is not one that was put off, and is one to be tried again when its time comes', () => {
    expect(due({ skipped: ['a'] }, 0, 1_100)).toBeUndefined()
    expect(due({ answered: ['gate'], retrying: ['gate'] }, 4_000, 5_000)).toBe('gate')
    expect(due({ answered: ['gate'], retrying: ['gate'] }, 9_500, 9_500)).toBeUndefined()
  })
})

it('what is open, and the next stop, follow from the answers', () => {
  const some = course({ answered: ['a', 'gate'], skipped: ['b'], retrying: ['gate'] })
  expect(openQuestions(some).map(({ id }) => id)).toEqual(['gate', 'b', 'c', 'end'])
  expect(nextStop(some, 0)).toBe(5_000)
  expect(nextStop(some, 5_000)).toBe(9_000)
  expect(nextStop(some, 9_000)).toBe(Infinity)
})
