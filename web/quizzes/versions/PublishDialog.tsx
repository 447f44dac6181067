import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { quizFaults, type QuizFault } from '#contract/quizzes/quiz-faults.ts'
import {
  publishQuiz,
  readQuiz,
  readQuizVersion,
  type Quiz,
  type QuizDraft,
} from '#contract/quizzes/quizzes.ts'
import { sentence } from '#web/api/errors.ts'
import { queryOf, useChange } from '#web/api/query.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { plural } from '#web/ui/format.ts'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { changesBetween, nameOf, type QuizDifference } from './compare.ts'
import type { Editor, EditorState } from '../editor.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  editor: Editor
  state: EditorState
  faults: readonly QuizFault[]
  /** The video can be played, which publishing needs. */
  isReady: boolean
  onChoose: (key: string) => void
  onClose: () => void
}

/** Says what publishing changes, and for whom; or what has to be done first, with the way to each question. */
export function PublishDialog({ editor, state, faults, isReady, onChoose, onClose }: Props) {
  const { base, history } = state
  const publish = useChange(publishQuiz, [readQuiz])
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const next = (base.versions[0]?.number ?? 0) + 1
  const current = base.versions.find(({ isCurrent }) => isCurrent)
  const blockedReason = blockedReasonOf({ state, faults, isReady })
  const run = async () => {
    setBusy(true)
    setProblem(null)
    try {
      if (!(await editor.flush())) return setProblem('Your last changes are not saved yet.')
      const { base: ifMatch } = editor.read()
      const published = await publish.mutateAsync({ params: { videoId: base.videoId }, ifMatch })
      editor.hear(published)
      const version = published.versions.find(({ isCurrent }) => isCurrent)?.number ?? next
      toast.success(
        published.asksNothing
          ? `Version ${version} is published. Nobody is asked while the organization records only completions.`
          : `Version ${version} is published: viewers are asked these questions from now on.`,
      )
      onClose()
    } catch (error) {
      setProblem(sentence(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={faults.length > 0 ? 'Not ready to be published' : `Publish version ${next}?`}
      isOpen
      onClose={onClose}
      dismiss={blockedReason ? 'Close' : 'Cancel'}
      actions={
        !blockedReason && (
          <Button loading={isBusy} onClick={() => void run()}>
            Publish
          </Button>
        )
      }
    >
      {problem && <p role="alert">{problem}</p>}
      {blockedReason ? (
        <p>{blockedReason}</p>
      ) : (
        <Consequences quiz={base} draft={history.draft} number={next} current={current} />
      )}
      {faults.length > 0 && (
        <ul className={shapes.bullets}>
          {faults.map(({ key, code }) => (
            <li key={`${key} ${code}`}>
              {key === null ? (
                quizFaults[code]
              ) : (
                <>
                  <button
                    type="button"
                    className={shapes.link}
                    onClick={() => {
                      onClose()
                      onChoose(key)
                    }}
                  >
                    {nameOf(history.draft.questions, key)}
                  </button>
                  : {quizFaults[code]}
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}

type PublishState = Pick<Props, 'state' | 'faults' | 'isReady'>

/** Why it cannot be published; null when it can. */
function blockedReasonOf({ state: { base, save, history }, faults, isReady }: PublishState): string | null {
  if (save.kind === 'asking') return 'First choose what stays where both of you changed the same.'
  if (faults.length > 0)
    return history.draft.questions.length === 0
      ? 'There is nothing to publish yet.'
      : `${plural(faults.length, 'thing')} to finish first:`
  if (!isReady) return 'The questions can be published when the video can be played.'
  if (save.kind === 'saved' && !base.isChanged) {
    const current = base.versions.find(({ isCurrent }) => isCurrent)
    return `Nothing has changed since version ${current?.number ?? ''} was published.`
  }
  return null
}

type ConsequencesProps = {
  quiz: Quiz
  draft: Quiz['draft']
  number: number
  current: Quiz['versions'][number] | undefined
}

const words = { added: 'New', removed: 'Gone', changed: 'Changed' } as const

/** What is different between two versions, one line for each question or rule. */
function ChangeList({ changes }: { changes: readonly QuizDifference[] }) {
  return (
    <ul className={shapes.bullets}>
      {changes.map(({ kind, key, name, what }) => (
        <li key={`${kind} ${key}`} data-kind={kind}>
          <strong>{words[kind]}</strong> {name}: {what}
        </li>
      ))}
    </ul>
  )
}

function Consequences({ quiz, draft, number, current }: ConsequencesProps) {
  const params = { videoId: quiz.videoId, versionId: current?.id ?? '' }
  const version = useQuery({ ...queryOf(readQuizVersion, { params }), enabled: current !== undefined })
  const count = plural(draft.questions.length, 'question')
  if (quiz.asksNothing)
    return (
      <p>
        Version {number} with {count} is kept for later: as long as the organization records only who
        completed a video, nobody is asked.
      </p>
    )
  if (!current)
    return (
      <>
        <p>
          From now on everybody who watches this video is asked {count}. Who has completed it already stays
          completed.{needsPass(draft) && ' Everybody else completes it only by passing.'}
        </p>
        <Owed by={quiz.owedBy} />
      </>
    )
  return (
    <>
      <Owed by={quiz.owedBy} />
      <p>
        Who begins an attempt from now on is asked version {number} with {count}. Attempts that have started
        go on with version {current.number}; what was answered stays, and the results keep the versions apart.
      </p>
      <h3>Different from version {current.number}</h3>
      {version.data ? (
        <ChangeList changes={changesBetween(version.data, draft)} />
      ) : version.error ? (
        <p role="alert">{sentence(version.error)}</p>
      ) : (
        <Bone height={40} />
      )}
    </>
  )
}

/** Whom it concerns who have to see the video. */
function Owed({ by }: { by: number }) {
  return by > 0 ? (
    <p>
      {plural(by, 'person owes', 'people owe')} this video: what they have to do stays as their assignment
      says. Nobody who has completed it has to do anything again.
    </p>
  ) : null
}

const needsPass = ({ settings: { passMark, passRequired } }: QuizDraft) => passRequired && passMark > 0
