import type { ReasonCode } from '#contract/platform/reasons.ts'
import type { AnswerResult, AskedQuestion, Attempt } from '#contract/quizzes/quizzes.ts'
import { locale, sayOf } from '../words.ts'

export const say = sayOf('quiz')

export function clock(ms: number): string {
  const whole = Math.floor(ms / 1000)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 2, useGrouping: false })
export const rounded = (points: number): string => numbers.format(points)

export function pointsOf(points: number): string {
  return say('points', { count: points, shown: rounded(points) })
}

export function hintOf({ kind }: AskedQuestion): string {
  if (kind === 'multiple') return say('hintMultiple')
  return say(kind === 'number' ? 'hintNumber' : 'hintText')
}

const missing = {
  single: 'missingChoice',
  true_false: 'missingChoice',
  multiple: 'missingChoices',
  number: 'missingNumber',
  text: 'missingText',
} as const satisfies Record<AskedQuestion['kind'], string>
export function missingIn({ kind }: AskedQuestion): string {
  return say(missing[kind])
}

/** What the server found wrong with an answer. */
export function faultOf(problem: string | undefined): string {
  if (problem === 'ambiguous_number') return say('ambiguousNumber')
  return say(problem === 'invalid_number' ? 'invalidNumber' : 'invalid')
}

export function verdictOf({ correct }: AnswerResult): string {
  if (correct === null) return say('saved')
  return say(correct ? 'right' : 'wrong')
}

export type Outcome = NonNullable<Attempt['outcome']>

export function outcomeOf({ passed, passRequired }: Outcome): string {
  if (passed) return say('passed')
  return say(passRequired ? 'notPassed' : 'belowMark')
}

export function scoreOf({ score, maxScore, passMark }: Outcome): string {
  return say('score', {
    score: rounded(score),
    points: pointsOf(maxScore),
    share: percent(score / maxScore),
    needed: percent(passMark),
  })
}

/** Down to a hundredth of a percent, so that what is shown compares with the pass mark as what was decided. */
const percent = (share: number): string => hundredths.format(Math.floor(share * 10_000 + 1e-4) / 10_000)
const hundredths = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })

const dateAndTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

/** Whether and when it may be tried again; undefined when there is no need. */
export function chanceOf({ outcome, remaining }: Attempt, now = Date.now()): string | undefined {
  if (!outcome || outcome.passed) return undefined
  if (outcome.retakeAt === null) return say(outcome.passRequired ? 'noAttemptAsk' : 'noAttempt')
  const from = Date.parse(outcome.retakeAt)
  const when = from > now ? say('againFrom', { at: dateAndTime.format(from) }) : say('again')
  return remaining === null ? when : `${when} ${say('attemptsLeft', { count: remaining })}`
}

const noRetakes = {
  passed_already: 'passedAlready',
  no_attempt_left: 'noAttempt',
  attempt_too_early: 'tooEarly',
} as const satisfies Partial<Record<ReasonCode, string>>
const isKnown = (reason: string): reason is keyof typeof noRetakes => Object.hasOwn(noRetakes, reason)

/** Why there is no further attempt. Not from the table of the console, which this page would have to fetch whole. */
export const noRetake = (reason: ReasonCode | undefined): string =>
  say(reason !== undefined && isKnown(reason) ? noRetakes[reason] : 'notNow')
