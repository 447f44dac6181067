import type { ReasonCode } from '#contract/reasons.ts'
import type { AnswerResult, AskedQuestion, Attempt } from '#contract/quizzes.ts'

export function clock(ms: number): string {
  const whole = Math.floor(ms / 1000)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

function rounded(points: number): string {
  return String(Math.round(points * 100) / 100)
}

export function pointsOf(points: number): string {
  return points === 1 ? '1 point' : `${rounded(points)} points`
}

export function hintOf({ kind }: AskedQuestion): string {
  if (kind === 'multiple') return 'Choose everything that is right.'
  return kind === 'number' ? 'Your answer, a number' : 'Your answer'
}

const missing: Record<AskedQuestion['kind'], string> = {
  single: 'Please choose an answer.',
  true_false: 'Please choose an answer.',
  multiple: 'Please choose at least one answer.',
  number: 'Please type a number.',
  text: 'Please type an answer.',
}
export function missingIn({ kind }: AskedQuestion): string {
  return missing[kind]
}

/** What the server found wrong with an answer. */
export function faultOf(problem: string | undefined): string {
  return problem === 'invalid_number'
    ? 'This is not a number. Write it like 1250 or 12.5.'
    : 'This cannot be taken as an answer.'
}

export function verdictOf({ correct }: AnswerResult): string {
  if (correct === null) return 'Your answer is saved.'
  return correct ? 'That is right.' : 'That is not right.'
}

export type Outcome = NonNullable<Attempt['outcome']>

export function outcomeOf({ passed, passRequired }: Outcome): string {
  if (passed) return 'You have passed.'
  return passRequired
    ? 'You have not passed.'
    : 'You did not reach the pass mark, which is not needed to complete the video.'
}

export function scoreOf({ score, maxScore, passMark }: Outcome): string {
  const share = Math.floor((100 * score) / maxScore + 1e-6)
  return `${rounded(score)} of ${pointsOf(maxScore)}, that is ${share} %. To pass, ${Math.round(passMark * 100)} % are needed.`
}

const dateAndTime = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' })

/** Whether and when it may be tried again; undefined when there is no need. */
export function chanceOf({ outcome, remaining }: Attempt, now = Date.now()): string | undefined {
  if (!outcome || outcome.passed) return undefined
  if (outcome.retakeAt === null)
    return outcome.passRequired
      ? 'There is no attempt left. Please ask whoever sent you this video.'
      : 'There is no attempt left.'
  const left =
    remaining === null ? '' : remaining === 1 ? ' One attempt is left.' : ` ${remaining} attempts are left.`
  const from = Date.parse(outcome.retakeAt)
  return from > now
    ? `You may try again from ${dateAndTime.format(from)}.${left}`
    : `You may try again.${left}`
}

const noRetakes: Partial<Record<ReasonCode, string>> = {
  passed_already: 'You have passed already.',
  no_attempt_left: 'There is no attempt left.',
  attempt_too_early: 'It is too early for another attempt.',
}

/** Why there is no further attempt. Not from the table of the console, which this page would have to fetch whole. */
export const noRetake = (reason: ReasonCode | undefined): string =>
  (reason && noRetakes[reason]) ?? 'This is not possible right now.'
