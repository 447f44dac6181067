import { useState } from 'react'
import { enoughPeople, type QuestionResult, type QuizResults } from '#contract/quiz-results.ts'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { formatClock, formatDuration, formatNumber, formatShare } from '#web/ui/format.ts'
import { Fold } from '#web/ui/Fold.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { StatusBadge } from '#web/ui/StatusBadge.tsx'
import { Answers } from './Answers.tsx'
import { WatchedBeforeSplit } from './WatchedBeforeSplit.tsx'
import { Range } from './Range.tsx'
import { discriminationLabels, facilityLabels, notEnough, numberRange, shareRange, tooFew } from './labels.ts'
import range from './Range.module.css'
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
    width: '96px',
    cell: ({ right, people }) =>
      right === null ? null : `${formatNumber(right)} of ${formatNumber(people)}`,
  },
  {
    key: 'facility',
    header: 'Facility',
    width: '168px',
    cell: ({ facility }) =>
      facility && (
        <span className={range.measured}>
          <span>{formatShare(facility.value)}</span>
          <Range
            {...facility}
            from={0}
            to={1}
            text={`${formatShare(facility.value)}, range ${shareRange(facility.interval)}`}
          />
        </span>
      ),
  },
  {
    key: 'discrimination',
    header: 'Discrimination',
    width: '168px',
    cell: ({ discrimination }) =>
      discrimination && (
        <span className={range.measured}>
          <span>{formatNumber(discrimination.value)}</span>
          <Range
            value={discrimination.value}
            interval={discrimination.interval}
            from={-100}
            to={100}
            text={`${formatNumber(discrimination.value)}${discrimination.interval ? `, range ${numberRange(discrimination.interval)}` : ''}`}
          />
        </span>
      ),
  },
  {
    key: 'efficiency',
    header: 'Efficiency',
    align: 'end',
    width: '96px',
    from: 'lg',
    cell: ({ efficiency }) => efficiency !== null && `${formatNumber(efficiency)}%`,
  },
  {
    key: 'weight',
    header: 'Weight',
    align: 'end',
    width: '80px',
    from: 'lg',
    cell: ({ effectiveWeight }) => effectiveWeight !== null && `${formatNumber(effectiveWeight)}%`,
  },
  {
    key: 'time',
    header: 'Time',
    align: 'end',
    width: '72px',
    from: 'lg',
    cell: ({ medianMs }) => medianMs !== null && formatDuration(medianMs),
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

/** What the words beside the question mean. */
function Badges({ question: { facility, discrimination } }: { question: QuestionResult }) {
  const hard = facility && facilityLabels[facility.band]
  // That of a wrong key is said in its own line.
  const apart =
    discrimination && discrimination.label !== 'wrong_key' && discriminationLabels[discrimination.label]
  if (!hard && !apart) return null
  return (
    <p className={shapes.lead}>
      {hard && `${hard.word}: ${hard.means} `}
      {apart && `${apart.word}: a discrimination of ${apart.means.toLowerCase()}.`}
    </p>
  )
}

function Question({ question, results }: Props & { question: QuestionResult }) {
  const { position, prompt, people, facility, discrimination } = question
  const [isOpen, setOpen] = useState(results.questions.length <= 3 || discrimination?.label === 'wrong_key')
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
          <span className={`${shapes.row} ${shapes.end} ${classes.badges}`}>
            {facility && (
              <StatusBadge tone={facilityLabels[facility.band].tone}>
                {facilityLabels[facility.band].word}
              </StatusBadge>
            )}
            {discrimination && (
              <StatusBadge tone={discriminationLabels[discrimination.label].tone}>
                {discriminationLabels[discrimination.label].word}
              </StatusBadge>
            )}
          </span>
        </>
      }
    >
      <div className={`${shapes.pad} ${shapes.stack}`}>
        <Badges question={question} />
        {people < results.smallestGroup ? (
          <p className={shapes.lead}>{tooFew(results)}</p>
        ) : (
          <>
            {people < enoughPeople.question && (
              <p className={shapes.lead}>{notEnough(enoughPeople.question, people)}</p>
            )}
            {discrimination?.label === 'wrong_key' && (
              <Notice tone="danger">
                Who does well in the other questions gets this one wrong. Check which answer is marked as
                right.
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
