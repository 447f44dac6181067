import { useState } from 'react'
import type { QuestionResult, QuizResults } from '#contract/quizzes/quiz-results.ts'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { formatClock, formatNumber, formatShare } from '#web/ui/format.ts'
import { Fold } from '#web/ui/Fold.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { StatusBadge } from '#web/ui/StatusBadge.tsx'
import { Answers } from './Answers.tsx'
import { WatchedBeforeSplit } from './WatchedBeforeSplit.tsx'
import { tooFew } from './labels.ts'
import classes from './Questions.module.css'
import shapes from '#web/ui/shapes.module.css'

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
