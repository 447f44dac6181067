import type { QuizResults } from '#contract/quizzes/quiz-results.ts'
import { markText } from '../compare.ts'
import { Figure, Figures } from '#web/ui/Figure.tsx'
import { dash, formatDuration, formatNumber, formatShare, plural } from '#web/ui/format.ts'
import { StepPlot } from '#web/ui/plot/StepPlot.tsx'
import { tooFew } from './labels.ts'
import shapes from '#web/ui/shapes.module.css'

type Props = { results: QuizResults }

/** Shows how many people answered, and what they scored. */
export function Overview({ results }: Props) {
  const { assigned, attempted, attempts, completed } = results
  return (
    <>
      <Figures>
        <Figure
          label="People who answered"
          value={formatNumber(attempted)}
          hint={`${plural(assigned, 'recipient')}, ${formatNumber(completed)} completed, ${plural(attempts, 'attempt')}`}
        />
        <Passing results={results} />
      </Figures>
      <Histogram results={results} />
    </>
  )
}

function Passing({ results }: Props) {
  const { scores } = results
  if (!scores)
    return (
      <>
        <Figure label="Passed" value={dash} hint={tooFew(results)} />
        <Figure label="Median score" value={dash} hint={tooFew(results)} />
      </>
    )
  const { passedOfAttempted, passedOfAssigned, passedAtFirst, median, mean, deviation, medianMs } = scores
  return (
    <>
      <Figure
        label="Passed"
        value={formatShare(passedOfAttempted)}
        hint={passedOfAssigned === null ? null : `${formatShare(passedOfAssigned)} of the recipients`}
      />
      <Figure
        label="Passed at first"
        value={formatShare(passedAtFirst)}
        hint={`${scores.attemptsPerPerson.toFixed(1)} attempts per person`}
      />
      <Figure
        label="Median score"
        value={formatShare(median)}
        hint={`Mean ${formatShare(mean)}${deviation === null ? '' : ` ± ${formatShare(deviation)}`}, in ${formatDuration(medianMs)}`}
      />
    </>
  )
}

/** Of the tenth that begins at `at`: the pass mark may lie within it. */
function sideOf(at: number, passMark: number): string {
  if (at / 10 >= passMark - 1e-9) return 'passed'
  return (at + 1) / 10 <= passMark + 1e-9 ? 'not passed' : 'on either side of the pass mark'
}

/** People by tenths of the score, with the pass mark drawn through. */
function Histogram({ results }: Props) {
  const { scores, passMark, completed } = results
  if (!scores) return null
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="scores-title">
      <header className={shapes.apart}>
        <h2 id="scores-title">Scores at the first attempt</h2>
        <p>
          {plural(completed, 'person', 'people')}, pass mark {markText(passMark)}
        </p>
      </header>
      <StepPlot
        name="People by score"
        steps={scores.histogram.map((people, at) => ({
          label: `${at * 10}–${(at + 1) * 10}%`,
          value: people,
          text: `${plural(people, 'person', 'people')}, ${sideOf(at, passMark)}`,
        }))}
        line={{ at: passMark, name: 'Pass mark' }}
        format={formatNumber}
        unit={1}
        heads={['Score', 'People']}
      />
    </section>
  )
}
