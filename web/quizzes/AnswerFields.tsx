import { Textarea } from '@mantine/core'
import { quizFaults, type QuizFault } from '#contract/quizzes/quiz-faults.ts'
import { quizLimits, type QuizQuestion } from '#contract/quizzes/quizzes.ts'
import { Check } from './Check.tsx'
import { DecimalField } from './DecimalField.tsx'
import { hasOptions } from './kinds.ts'
import { OptionRows } from './OptionRows.tsx'
import shapes from '#web/ui/shapes.module.css'
import { cut } from '#contract/platform/text.ts'

type Props = {
  question: QuizQuestion
  faults: readonly QuizFault[]
  onChange: (change: (question: QuizQuestion) => QuizQuestion, tag?: string) => void
}

/** What is right, in the way of its kind. */
export function AnswerFields({ question, faults, onChange }: Props) {
  const { key, kind, number, texts, shuffle } = question
  const hintsOf = (field: QuizFault['field']) =>
    faults.filter((one) => one.field === field).map(({ code }) => quizFaults[code])
  if (kind === 'number')
    return (
      <>
        <div className={shapes.grid}>
          <DecimalField
            label="Right number"
            value={number?.value ?? null}
            least={-1e12}
            most={1e12}
            isOptional
            onChange={(value) =>
              onChange(
                (one) => ({
                  ...one,
                  number: value === null ? null : { value, tolerance: one.number?.tolerance ?? 0 },
                }),
                `number:${key}`,
              )
            }
          />
          <DecimalField
            label="Tolerance"
            value={number?.tolerance ?? 0}
            least={0}
            most={1e12}
            onChange={(tolerance) =>
              onChange(
                (one) =>
                  one.number ? { ...one, number: { ...one.number, tolerance: tolerance ?? 0 } } : one,
                `tolerance:${key}`,
              )
            }
          />
        </div>
        <p className={shapes.hint}>
          {number
            ? number.tolerance === 0
              ? `Only ${number.value} is right.`
              : `From ${round(number.value - number.tolerance)} to ${round(number.value + number.tolerance)} is right.`
            : hintsOf('number').join(' ')}
        </p>
      </>
    )
  if (kind === 'text')
    return (
      <>
        <Textarea
          label="Accepted answers"
          description="One in each line. Capital letters, accents, spaces, and how a hyphen or an apostrophe is written make no difference."
          rows={3}
          value={texts.join('\n')}
          onChange={(event) => {
            const lines = event.currentTarget.value.split('\n').slice(0, quizLimits.texts)
            onChange((one) => ({ ...one, texts: lines.map((line) => cut(line, 200)) }), `texts:${key}`)
          }}
        />
        <p className={shapes.hint}>{hintsOf('texts').join(' ')}</p>
      </>
    )
  return (
    <>
      <OptionRows question={question} errors={hintsOf('options')} onChange={onChange} />
      {hasOptions(kind) && kind !== 'true_false' && (
        <Check
          label="Shuffle the answers"
          hint="Everybody sees them in another order."
          isChecked={shuffle}
          onChange={(isShuffled) => onChange((one) => ({ ...one, shuffle: isShuffled }))}
        />
      )}
    </>
  )
}

/** Without the tail that sums of decimals have. */
const round = (value: number): number => Number(value.toPrecision(12))
