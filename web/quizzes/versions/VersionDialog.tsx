import { useQuery } from '@tanstack/react-query'
import {
  readQuizVersion,
  type QuizQuestion,
  type QuizSettings,
  type QuizVersion,
} from '#contract/quizzes/quizzes.ts'
import { sentence } from '#web/api/errors.ts'
import { queryOf } from '#web/api/query.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { describe, settingValue, settingLabels } from './compare.ts'
import { wordAt } from './mergeDrafts.ts'
import { formatPosition } from '../position.ts'
import { Shape } from '../Shape.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { videoId: string; version: QuizVersion; onClose: () => void }

/** A published version to be read: it cannot be changed. */
export function VersionDialog({ videoId, version: { id: versionId, number }, onClose }: Props) {
  const { data, error } = useQuery(queryOf(readQuizVersion, { params: { videoId, versionId } }))
  return (
    <Dialog title={`Version ${number}`} isOpen onClose={onClose}>
      {error && <p role="alert">{sentence(error)}</p>}
      {!data && !error && <Bone height={240} />}
      {data && (
        <>
          <ol className={shapes.stack}>
            {data.questions.map((question, at) => (
              <Read key={question.key} question={question} number={at + 1} />
            ))}
          </ol>
          <Rules settings={data.settings} />
        </>
      )}
    </Dialog>
  )
}

function Read({ question, number }: { question: QuizQuestion; number: number }) {
  const { key, prompt, gate, options, texts, kind, backToMs, teaches, whenRight, whenWrong } = question
  const notes = [
    gate ? 'Must be answered' : 'May be skipped',
    ...(teaches ? [`taught from ${formatPosition(teaches[0])} to ${formatPosition(teaches[1])}`] : []),
    ...(backToMs === null ? [] : [`a wrong answer leads back to ${formatPosition(backToMs)}`]),
  ]
  return (
    <li>
      <h3>
        <Shape number={number} isGate={gate} /> {prompt}
      </h3>
      <p>{describe(question)}</p>
      {options.length > 0 && (
        <ul className={shapes.bullets}>
          {options.map(({ id, text, correct, feedback }) => (
            <li key={id} data-right={correct || undefined}>
              {text}
              {correct && <strong> (right)</strong>}
              {feedback && <p className={shapes.hint}>{feedback}</p>}
            </li>
          ))}
        </ul>
      )}
      {kind === 'number' && <p>Right: {wordAt({ in: 'question', key, field: 'number' }, question.number)}</p>}
      {kind === 'text' && <p>Accepted: {texts.join(', ')}</p>}
      {whenRight && <p>When right: {whenRight}</p>}
      {whenWrong && <p>When wrong: {whenWrong}</p>}
      <p>{notes.join(', ')}.</p>
    </li>
  )
}

function Rules({ settings }: { settings: QuizSettings }) {
  const names = Object.keys(settingLabels) as (keyof QuizSettings)[]
  return (
    <Facts
      facts={names.map((name) => ({ label: settingLabels[name], value: settingValue(settings, name) }))}
    />
  )
}
