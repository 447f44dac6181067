import type { Answer, AnswerResult, AskedQuestion, Attempt } from '#contract/quizzes/quizzes.ts'
import { element } from './element.ts'
import {
  chanceOf,
  hintOf,
  missingIn,
  outcomeOf,
  pointsOf,
  rounded,
  say,
  scoreOf,
  verdictOf,
} from './labels.ts'
import { named } from './quiz.module.css?adopted'

export type Action = { label: string; run: () => void; isMain?: boolean }

function heading(text: string, more = ''): HTMLHeadingElement {
  return element('h2', { id: 'quiz-title', tabindex: '-1', class: more }, text)
}

const verdict = (isRight: boolean) => `${named('verdict')} ${named(isRight ? 'right' : 'wrong')}`

function actions(list: readonly (Action | undefined)[]): HTMLElement {
  const buttons = list.flatMap((one) =>
    one
      ? [
          element(
            'button',
            { type: 'button', class: one.isMain ? named('main') : '', onclick: one.run },
            one.label,
          ),
        ]
      : [],
  )
  return element('div', { class: named('actions') }, ...buttons)
}

type Message = { title: string; text?: string; actions?: (Action | undefined)[] }

/** Something to be read, and what can be done about it. */
export function messageView({ title, text, actions: list = [] }: Message): HTMLElement {
  return element('div', {}, heading(title), text === undefined ? null : element('p', {}, text), actions(list))
}

export type QuestionView = {
  root: HTMLElement
  /** Says what is wrong with the answer. */
  fault: (text: string) => void
  /** The answer is under way; `text` says what is being waited for. */
  wait: (text: string) => void
}

type Asking = {
  question: AskedQuestion
  step: string
  /** Why it is asked now, where that needs a word. */
  notice?: string | undefined
  onAnswer: (answer: Answer) => void
  others: (Action | undefined)[]
}

export function questionView({ question, step, notice = '', onAnswer, others }: Asking): QuestionView {
  const title = heading(question.prompt)
  const fields = question.options.length > 0 ? choiceFields(question) : typedField(question)
  const fault = element('p', { class: named('fault'), id: 'quiz-fault', role: 'alert' })
  const waiting = element('p', { class: named('notice'), role: 'status' })
  const send = element('button', { type: 'submit', class: named('main') }, say('answer'))
  let isWaiting = false

  const complain = (text: string) => {
    isWaiting = false
    fault.textContent = text
    waiting.textContent = ''
    send.removeAttribute('aria-disabled')
    for (const input of fields.inputs) input.setAttribute('aria-invalid', String(text !== ''))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (isWaiting) return
    const answer = fields.read()
    complain(answer.length === 0 ? missingIn(question) : '')
    if (answer.length === 0) fields.inputs[0]?.focus()
    else onAnswer(answer)
  }
  const bar = actions(others)
  bar.prepend(send)
  const root = element(
    'form',
    { novalidate: true, autocomplete: 'off', onsubmit: submit },
    element('p', { class: named('step') }, `${step} · ${pointsOf(question.points)}`),
    notice === '' ? null : element('p', { class: named('notice') }, notice),
    ...fields.wrap(title),
    fault,
    waiting,
    bar,
  )
  return {
    root,
    fault(text) {
      complain(text)
      fields.inputs[0]?.focus()
    },
    wait(text) {
      isWaiting = true
      waiting.textContent = text
      send.setAttribute('aria-disabled', 'true')
    },
  }
}

type Fields = {
  inputs: HTMLInputElement[]
  read: () => Answer
  wrap: (title: HTMLElement) => HTMLElement[]
}

function choiceFields(question: AskedQuestion): Fields {
  const type = question.kind === 'multiple' ? 'checkbox' : 'radio'
  const inputs = question.options.map(({ id }) =>
    element('input', { type, name: 'choice', value: id, 'aria-describedby': 'quiz-fault' }),
  )
  const labels = question.options.map(({ text }, n) =>
    element('label', { class: named('option') }, inputs[n] ?? null, element('span', {}, text)),
  )
  const hint = type === 'checkbox' ? element('p', { class: named('hint') }, hintOf(question)) : null
  return {
    inputs,
    read: () => inputs.filter(({ checked }) => checked).map(({ value }) => value),
    wrap: (title) => [element('fieldset', {}, element('legend', {}, title), hint, ...labels)],
  }
}

function typedField(question: AskedQuestion): Fields {
  const isNumber = question.kind === 'number'
  const input = element('input', {
    class: named('typed'),
    id: 'quiz-typed',
    type: 'text',
    maxlength: isNumber ? '40' : '1000',
    inputmode: isNumber ? 'decimal' : 'text',
    'aria-describedby': 'quiz-title quiz-fault',
  })
  return {
    inputs: [input],
    read: () => input.value.trim(),
    wrap: (title) => [title, element('label', { for: 'quiz-typed' }, hintOf(question)), input],
  }
}

type TakenAnswer = { result: AnswerResult; actions: (Action | undefined)[] }

const solutionText = ({ solution }: AnswerResult) => solution && say('solution', { solution })

/** What the viewer may know about an answer that was taken. */
export function resultView({ result, actions: list }: TakenAnswer): HTMLElement {
  const { correct, feedback } = result
  const solution = solutionText(result)
  return element(
    'div',
    {},
    heading(verdictOf(result), correct === null ? '' : verdict(correct)),
    feedback && element('p', {}, feedback),
    solution && element('p', {}, solution),
    actions(list),
  )
}

/** How the attempt ended: the score, every question with what may be told about it, and what comes next. */
export function outcomeView(attempt: Attempt, list: (Action | undefined)[]): HTMLElement {
  const { outcome } = attempt
  if (!outcome) return messageView({ title: say('unanswered'), actions: list })
  const chance = chanceOf(attempt)
  const isVisible = attempt.answered.some(({ correct }) => correct !== null)
  return element(
    'div',
    {},
    heading(outcomeOf(outcome), verdict(outcome.passed)),
    element('p', {}, scoreOf(outcome)),
    chance === undefined ? null : element('p', {}, chance),
    isVisible ? element('ol', {}, ...attempt.questions.map((question) => reviewOf(attempt, question))) : null,
    actions(list),
  )
}

/** What may be told about a question and its answer. */
function reviewOf({ answered }: Attempt, question: AskedQuestion): HTMLElement {
  const result = answered.find(({ itemId }) => itemId === question.id)
  if (!result) return element('li', {}, question.prompt)
  const given = result.answer
  const said =
    typeof given === 'string'
      ? given
      : question.options
          .filter(({ id }) => given.includes(id))
          .map(({ text }) => text)
          .join(' · ')
  const points = { score: rounded(result.score ?? 0), points: pointsOf(question.points) }
  const lines = [say('reached', { ...points, answer: said }), result.feedback, solutionText(result)]
  const shown = lines.map((line) => line && element('p', { class: named('said') }, line))
  return element('li', {}, element('p', {}, question.prompt), ...shown)
}
