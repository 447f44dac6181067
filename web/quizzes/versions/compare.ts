import type { QuizDraft, QuizQuestion, QuizSettings } from '#contract/quizzes/quizzes.ts'
import { plural } from '#web/ui/format.ts'
import { normalised } from '../draft.ts'
import { kindLabels } from '../kinds.ts'
import { formatPosition } from '../position.ts'
import { shortened } from '#contract/platform/text/text.ts'

export const fieldLabels: Record<Exclude<keyof QuizQuestion, 'key'>, string> = {
  kind: 'kind',
  prompt: 'wording',
  points: 'points',
  atMs: 'time',
  gate: 'must be answered',
  options: 'answers',
  number: 'right number',
  texts: 'accepted answers',
  shuffle: 'order of the answers',
  whenRight: 'feedback when right',
  whenWrong: 'feedback when wrong',
  backToMs: 'where a wrong answer leads back to',
  teaches: 'the part that teaches it',
}

export const settingLabels: Record<keyof QuizSettings, string> = {
  passMark: 'Pass mark',
  passRequired: 'Passing',
  attempts: 'Attempts',
  retakeAfterHours: 'Wait before another attempt',
  shuffle: 'Order of the questions at the end',
  feedback: 'Feedback',
}

export const feedbackLabels: Record<QuizSettings['feedback'], string> = {
  at_once: 'At once, after each answer',
  at_end: 'At the end of the attempt',
  never: 'Never',
}

export type QuizDifference = {
  kind: 'added' | 'removed' | 'changed'
  key: string
  name: string
  what: string
}

/** "Question 2, “Which exit …”". */
export function nameOf(questions: readonly QuizQuestion[], key: string): string {
  const place = questions.findIndex((one) => one.key === key)
  const prompt = questions[place]?.prompt.trim() ?? ''
  const short = shortened(prompt, 61)
  return short === '' ? `Question ${place + 1}` : `Question ${place + 1}, “${short}”`
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** What the second says otherwise than the first, in the order of the second; what is gone comes last. */
export function changesBetween(first: QuizDraft, second: QuizDraft): QuizDifference[] {
  const [before, after] = [normalised(first), normalised(second)]
  const settings = (Object.keys(settingLabels) as (keyof QuizSettings)[])
    .filter((name) => before.settings[name] !== after.settings[name])
    .map((name) => ({
      kind: 'changed' as const,
      key: name,
      name: settingLabels[name],
      what: `now ${settingValue(after.settings, name)}, was ${settingValue(before.settings, name)}`,
    }))
  const questions = after.questions.flatMap((now): QuizDifference[] => {
    const was = before.questions.find(({ key }) => key === now.key)
    const about = { key: now.key, name: nameOf(after.questions, now.key) }
    if (!was) return [{ kind: 'added', ...about, what: describe(now) }]
    const fields = (Object.keys(fieldLabels) as (keyof typeof fieldLabels)[]).filter(
      (field) => !isSame(was[field], now[field]),
    )
    return fields.length === 0
      ? []
      : [{ kind: 'changed', ...about, what: fields.map((field) => fieldLabels[field]).join(', ') }]
  })
  const gone = before.questions
    .filter((was) => !after.questions.some(({ key }) => key === was.key))
    .map((was) => ({
      kind: 'removed' as const,
      key: was.key,
      name: nameOf(before.questions, was.key),
      what: describe(was),
    }))
  return [...settings, ...questions, ...gone]
}

/** "single choice at 1:05, 2 points". */
export function describe({ kind, atMs, points }: Pick<QuizQuestion, 'kind' | 'atMs' | 'points'>): string {
  const when = atMs === null ? 'at the end' : `at ${formatPosition(atMs)}`
  return `${kindLabels[kind].toLowerCase()} ${when}, ${points === 1 ? '1 point' : `${points} points`}`
}

export function settingValue(settings: QuizSettings, name: keyof QuizSettings): string {
  const { passMark, passRequired, attempts, retakeAfterHours, shuffle, feedback } = settings
  if (name === 'passMark') return markText(passMark)
  if (name === 'passRequired') return passRequired ? 'required' : 'not required'
  if (name === 'attempts') return attempts === null ? 'without limit' : plural(attempts, 'attempt')
  if (name === 'retakeAfterHours') return retakeAfterHours === 0 ? 'none' : plural(retakeAfterHours, 'hour')
  if (name === 'shuffle') return shuffle ? 'another one for everybody' : 'as written'
  return feedbackLabels[feedback].toLowerCase()
}

/** To a tenth, as it is set. */
export const markText = (passMark: number): string => `${Math.round(passMark * 1_000) / 10}%`
