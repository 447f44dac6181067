import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import {
  quizLimits,
  Answer,
  type AnswerResult,
  type AskedQuestion,
  type Attempt,
  QuizQuestion,
  QuizSettings,
} from '#contract/quizzes/quizzes.ts'
import { refuse } from '../platform/errors.ts'
import { grade, solutionOf, Grade } from './grade.ts'
import { shuffled } from './order.ts'

/** One question of one published version. */
export const Item = z.object({ id: z.string(), position: z.number(), question: QuizQuestion })
export type Item = z.infer<typeof Item>
/** One answer as it was given and graded. */
export const GivenAnswer = z.extend(Grade, { itemId: z.string(), try: z.number(), answer: Answer })
export type GivenAnswer = z.infer<typeof GivenAnswer>

/** One attempt of one viewer with all that decides about it. */
export const AttemptRun = z.object({
  id: z.string(),
  versionId: z.string(),
  number: z.number(),
  seed: z.number(),
  settings: QuizSettings,
  items: z.array(Item),
  /** In the order in which they were given. */
  answers: z.array(GivenAnswer),
  /** Attempts of this viewer with this version that count now, this one included. */
  begun: z.number(),
  /** Completed before its viewer came to owe passing anew. */
  isOfEarlierDuty: z.boolean(),
  maxScore: z.number(),
  completedAt: z.nullable(z.date()),
})
export type AttemptRun = z.infer<typeof AttemptRun>

/** As the database gives it. */
export const StoredRun = z.extend(z.omit(AttemptRun, { completedAt: true }), {
  completedAt: z.nullable(z.string()),
})

export const runFrom = (stored: z.infer<typeof StoredRun>): AttemptRun => ({
  ...stored,
  completedAt: stored.completedAt === null ? null : new Date(stored.completedAt),
})

/** Sum of the first tries, to a millionth: shares of points do not add up in binary. */
export function scoreOf({ answers }: Pick<AttemptRun, 'answers'>): number {
  const sum = answers.filter((given) => given.try === 1).reduce((total, { score }) => total + score, 0)
  return Math.round(sum * 1e6) / 1e6
}

export function hasPassed(run: AttemptRun): boolean {
  return scoreOf(run) >= run.settings.passMark * run.maxScore - 1e-6
}

/** When another attempt may begin; null: never, or no need. */
export function retakeAt(run: AttemptRun): Date | null {
  const { completedAt, settings } = run
  if (completedAt === null || hasPassed(run) || remainingOf(run) === 0) return null
  return new Date(completedAt.getTime() + settings.retakeAfterHours * 3_600_000)
}

function remainingOf({ settings, begun }: AttemptRun): number | null {
  return settings.attempts === null ? null : Math.max(0, settings.attempts - begun)
}

export type Reply = { itemId: string; try: number; answer: Answer }

/**
 * The attempt after this answer. The same answer to the same try again changes nothing; another one is refused, because what was
 * answered stays. Refuses what may not be answered (again), and what is no answer.
 */
export function answer(
  run: AttemptRun,
  reply: Reply,
  now: Date,
): { run: AttemptRun; given: GivenAnswer; isNew: boolean } {
  const item = run.items.find(({ id }) => id === reply.itemId)
  if (!item) throw refuse('not_found')
  const earlier = run.answers.filter(({ itemId }) => itemId === item.id)
  const known = earlier.find((given) => given.try === reply.try)
  if (known && isDeepStrictEqual(known.answer, reply.answer)) return { run, given: known, isNew: false }
  const last = earlier.at(-1)
  const isDue = last ? reply.try === last.try + 1 && mayRetry(run, item, last) : reply.try === 1
  if (known || !isDue) throw refuse('conflict', { reason: { code: 'answered_already' } })
  const given = { ...reply, ...grade(item.question, reply.answer) }
  const answers = [...run.answers, given]
  const isComplete = run.items.every(({ id }) => answers.some(({ itemId }) => itemId === id))
  const completedAt = run.completedAt ?? (isComplete ? now : null)
  return { run: { ...run, answers, completedAt }, given, isNew: true }
}

/** After the part was watched again; and only where a viewer may know that the answer was wrong. */
function mayRetry(
  { settings }: AttemptRun,
  { question }: Item,
  { correct, try: tries }: GivenAnswer,
): boolean {
  const leadsBack = question.backToMs !== null && settings.feedback === 'at_once'
  return leadsBack && !correct && tries < quizLimits.tries
}

/** What the viewer may be told about the latest answer to a question. */
export function resultOf(run: AttemptRun, itemId: string): AnswerResult {
  const item = run.items.find(({ id }) => id === itemId)
  const earlier = run.answers.filter((given) => given.itemId === itemId)
  const [first, last] = [earlier[0], earlier.at(-1)]
  if (!item || !first || !last) throw refuse('not_found')
  const { feedback } = run.settings
  const isVisible = feedback === 'at_once' || (feedback === 'at_end' && run.completedAt !== null)
  const known = { itemId, try: last.try, answer: last.answer }
  if (!isVisible)
    return {
      ...known,
      correct: null,
      score: null,
      feedback: null,
      solution: null,
      backToMs: null,
      mayRetry: false,
    }
  const again = mayRetry(run, item, last)
  return {
    ...known,
    correct: last.correct,
    score: first.score,
    feedback: feedbackOf(item.question, last),
    solution: again || last.correct ? null : solutionOf(item.question),
    backToMs: last.correct ? null : item.question.backToMs,
    mayRetry: again,
  }
}

/** What the author wrote for this answer: to the question as a whole, then to each choice that was made. */
function feedbackOf({ options, whenRight, whenWrong }: QuizQuestion, given: GivenAnswer): string | null {
  const chosen = options.filter(({ id }) => Array.isArray(given.answer) && given.answer.includes(id))
  const texts = [given.correct ? whenRight : whenWrong, ...chosen.map((option) => option.feedback)]
  return texts.filter((text) => text !== null && text !== '').join('\n') || null
}

/** The whole attempt as the viewer may see it. */
export function attemptOf(run: AttemptRun): Attempt {
  const answered = new Set(run.answers.map(({ itemId }) => itemId))
  const outcome = {
    score: scoreOf(run),
    maxScore: run.maxScore,
    passMark: run.settings.passMark,
    passRequired: run.settings.passRequired && run.settings.passMark > 0,
    passed: hasPassed(run),
    retakeAt: retakeAt(run)?.toISOString() ?? null,
  }
  return {
    id: run.id,
    number: run.number,
    remaining: remainingOf(run),
    questions: askedIn(run),
    answered: [...answered].map((itemId) => resultOf(run, itemId)),
    completedAt: run.completedAt?.toISOString() ?? null,
    outcome: run.completedAt === null ? null : outcome,
  }
}

/** The questions as this attempt asks them: those in the video by their time, then those at the end. Nothing of a key. */
export function askedIn({ items, seed, settings }: AttemptRun): AskedQuestion[] {
  const inside = items.filter(({ question }) => question.atMs !== null)
  const timed = inside.toSorted(
    (a, b) => (a.question.atMs ?? 0) - (b.question.atMs ?? 0) || a.position - b.position,
  )
  const final = items.filter(({ question }) => question.atMs === null)
  const last = settings.shuffle ? shuffled(final, seed) : final.toSorted((a, b) => a.position - b.position)
  return [...timed, ...last].map((item) => asked(item, seed))
}

function asked({ id, position, question }: Item, seed: number): AskedQuestion {
  const { kind, prompt, points, atMs, gate, shuffle, options } = question
  const mixes = shuffle && kind !== 'true_false'
  const shown = mixes ? shuffled(options, seed + position + 1) : options
  return {
    id,
    kind,
    prompt,
    points,
    atMs,
    gate,
    options: shown.map((option) => ({ id: option.id, text: option.text })),
  }
}
