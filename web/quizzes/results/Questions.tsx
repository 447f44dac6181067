import { useState } from 'react'
import type { QuestionResult, QuizResults, GivenAnswer } from '#contract/quizzes/quiz-results.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { formatClock, formatNumber, formatShare, plural } from '#web/ui/format.ts'
import { Fold } from '#web/ui/Fold.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { WatchedBeforeSplit } from './WatchedBeforeSplit.tsx'
import { tooFew } from './labels.ts'
import classes from './Questions.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { IconCheck } from '@tabler/icons-react'
import ink from '#web/ui/look/ink.module.css'
import plain from '#web/ui/table/PlainTable.module.css'

const columns: readonly Column<QuestionResult>[] = [
  {
    key: 'prompt',
    header: 'Question',
    isName: true,
    cell: ({ position, prompt }) => `${position + 1}. ${prompt}`,
  },
  {
    key: 'at',
    header: 'Asked',
    width: '88px',
    dimmed: true,
    from: 'lg',
    cell: ({ atMs }) => (atMs === null ? 'At the end' : formatClock(atMs)),
  },
  {
    key: 'right',
    header: 'Right',
    align: 'end',
    width: '168px',
    cell: ({ right, people }) =>
      right === null
        ? null
        : `${formatNumber(right)} of ${formatNumber(people)}, ${formatShare(right / people)}`,
  },
]

type Props = { results: QuizResults }

/** All questions in a table, then each with what was answered and what had been watched. */
export function Questions({ results }: Props) {
  const { questions } = results
  return (
    <section className={shapes.stack} aria-labelledby="questions-title">
      <h2 id="questions-title">Questions</h2>
      <DataTable
        name="Questions and their figures"
        columns={columns}
        rows={questions}
        rowKey={({ id }) => id}
        empty={null}
      />
      {questions.map((question) => (
        <Question key={question.id} question={question} results={results} />
      ))}
    </section>
  )
}

const idOf = (id: string) => `question-${id}`

/** Unfolds a question, brings it into sight and gives it the focus. */
export function openQuestion(id: string): void {
  const details = document.getElementById(idOf(id))
  if (!(details instanceof HTMLDetailsElement)) return
  details.open = true
  details.scrollIntoView({ block: 'start' })
  details.querySelector('summary')?.focus({ preventScroll: true })
}

function Question({ question, results }: Props & { question: QuestionResult }) {
  const { position, prompt, people, mayBeMiskeyed } = question
  const [isOpen, setOpen] = useState(results.questions.length <= 3 || mayBeMiskeyed)
  return (
    <Fold
      id={idOf(question.id)}
      className={`${shapes.card} ${classes.question}`}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      line={
        <>
          <span className={`${shapes.disc} ${classes.number}`} aria-hidden>
            {position + 1}
          </span>
          <h3>{prompt}</h3>
          {mayBeMiskeyed && (
            <span className={`${shapes.row} ${shapes.end}`}>
              <StatusBadge tone="warning">Look at the key</StatusBadge>
            </span>
          )}
        </>
      }
    >
      <div className={`${shapes.pad} ${shapes.stack}`}>
        {people < results.smallestGroup ? (
          <p className={shapes.lead}>{tooFew(results)}</p>
        ) : (
          <>
            {mayBeMiskeyed && (
              <Notice tone="warning">
                People who did well otherwise get this one wrong: look at which answer is marked as right.
              </Notice>
            )}
            <Answers question={question} />
            {isOpen && <WatchedBeforeSplit question={question} results={results} />}
          </>
        )}
      </div>
    </Fold>
  )
}

/** Shows how often each answer was given. */
function Answers({ question: { answers, kind, people } }: { question: QuestionResult }) {
  if (answers.length === 0) return null
  const isTyped = kind === 'text' || kind === 'number'
  return (
    <div>
      <h4>{isTyped ? 'Typed most often' : 'What was chosen'}</h4>
      <table className={`${plain.table} ${classes.answers}`}>
        <caption className={shapes.sr}>Answers of {plural(people, 'person', 'people')}</caption>
        <thead>
          <tr>
            <th scope="col">Answer</th>
            <th scope="col">People</th>
          </tr>
        </thead>
        <tbody>
          {answers.map((answer) => (
            <Row key={answer.text} answer={answer} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ answer }: { answer: GivenAnswer }) {
  const { text, correct, count, share } = answer
  return (
    <tr>
      <th scope="row">
        <span className={`${shapes.row} ${classes.answer}`}>
          {correct && <IconCheck size={16} role="img" aria-label="Right answer" />}
          <span>{text}</span>
        </span>
      </th>
      <td>
        <span className={`${classes.bar} ${ink.ink}`}>
          <span aria-hidden>
            <i data-right={correct || undefined} style={{ width: `${share * 100}%` }} />
          </span>
          <span>
            {formatNumber(count)} <small>{formatShare(share)}</small>
          </span>
        </span>
      </td>
    </tr>
  )
}
