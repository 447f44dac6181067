import { IconCheck } from '@tabler/icons-react'
import type { GivenAnswer, QuestionResult } from '#contract/quizzes/quiz-results.ts'
import { formatNumber, formatShare, plural } from '#web/ui/format.ts'
import ink from '#web/ui/ink.module.css'
import plain from '#web/ui/PlainTable.module.css'
import classes from './Questions.module.css'
import shapes from '#web/ui/shapes.module.css'

/** Shows how often each answer was given. */
export function Answers({ question: { answers, kind, people } }: { question: QuestionResult }) {
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
