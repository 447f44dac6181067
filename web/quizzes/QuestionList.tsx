import { Button } from '@mantine/core'
import { IconChevronDown, IconPlus } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { quizFaults, type QuizFault } from '#contract/quizzes/quiz-faults.ts'
import type { QuizDraft, QuizQuestion } from '#contract/quizzes/quizzes.ts'
import { describe } from './versions/compare.ts'
import {
  duplicateQuestion,
  changeQuestion,
  moveAtEnd,
  newId,
  removeQuestion,
  restoreQuestion,
} from './draft.ts'
import type { Editor } from './editor.ts'
import type { Playhead } from './playhead.ts'
import { QuestionForm } from './QuestionForm.tsx'
import { Shape } from './Shape.tsx'
import { useMoves } from '#web/ui/look/motion.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { tip } from '#web/ui/overlays/tips.ts'
import fold from '#web/ui/Fold.module.css'
import two from '#web/ui/look/twoLines.module.css'
import classes from './QuestionList.module.css'
import shapes from '#web/ui/look/shapes.module.css'

export type Choosing = {
  /** Key of the question whose form is open. */
  chosen: string | null
  /** Key of a question that was just added. */
  fresh: string | null
  onChoose: (key: string | null) => void
}

type Props = Choosing & {
  draft: QuizDraft
  editor: Editor
  faults: readonly QuizFault[]
  durationMs: number | null
  playhead: Playhead
  onAddAtEnd: () => void
}

/** The questions in the order in which they are asked; the chosen one with its form. */
export function QuestionList(props: Props) {
  const { draft, editor, faults, chosen, fresh, onChoose } = props
  const { questions } = draft
  const list = useMoves<HTMLOListElement>(questions.map(({ key }) => key))
  const end = questions.filter(({ atMs }) => atMs === null)
  const remove = (question: QuizQuestion) => removeWithUndo({ editor, question, onChoose })
  const duplicate = (key: string) => {
    const copy = newId()
    editor.edit((one) => duplicateQuestion(one, key, copy))
    onChoose(copy)
  }
  return (
    <>
      <h2>
        Questions <small>{questions.length}</small>
      </h2>
      <ol ref={list} className={shapes.stack}>
        {questions.map((question, at) => {
          const { key } = question
          const isEnd = question.atMs === null
          const place = end.indexOf(question)
          return (
            <Card
              key={key}
              question={question}
              number={at + 1}
              isOpen={chosen === key}
              isFresh={fresh === key}
              faults={faults.filter((one) => one.key === key)}
              onToggle={() => onChoose(chosen === key ? null : key)}
              form={{
                durationMs: props.durationMs,
                playhead: props.playhead,
                onChange: (change, tag) => editor.edit((one) => changeQuestion(one, key, change), tag),
                onDuplicate: () => duplicate(key),
                onRemove: () => remove(question),
                onEarlier: isEnd && place > 0 ? () => editor.edit((one) => moveAtEnd(one, key, -1)) : null,
                onLater:
                  isEnd && place < end.length - 1 ? () => editor.edit((one) => moveAtEnd(one, key, 1)) : null,
              }}
            />
          )
        })}
      </ol>
      <div>
        <Button
          variant="subtle"
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={questions.length >= 100}
          onClick={props.onAddAtEnd}
        >
          Add a question at the end
        </Button>
      </div>
    </>
  )
}

type Removing = {
  editor: Editor
  question: QuizQuestion
  onChoose: Choosing['onChoose']
}

/** Where the questions stand, or what says that there are none: takes the focus when one goes. */
export const questionsId = 'quiz-questions'

/** Takes a question out; the message offers it back where it stood, whatever has been changed since. */
export function removeWithUndo({ editor, question, onChoose }: Removing): void {
  const place = editor.read().history.draft.questions.findIndex(({ key }) => key === question.key)
  editor.edit((one) => removeQuestion(one, question.key))
  onChoose(null)
  document.getElementById(questionsId)?.focus({ preventScroll: true })
  toast.success(`Question ${place + 1} is removed.`, {
    label: 'Undo',
    run() {
      editor.edit((one) => restoreQuestion(one, question, place))
      onChoose(question.key)
    },
  })
}

type CardProps = {
  question: QuizQuestion
  number: number
  isOpen: boolean
  isFresh: boolean
  faults: readonly QuizFault[]
  onToggle: () => void
  form: Omit<Parameters<typeof QuestionForm>[0], 'question' | 'faults' | 'isFresh'>
}

function Card({ question, number, isOpen, isFresh, faults, onToggle, form }: CardProps) {
  const { key, prompt, gate } = question
  const card = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isOpen) card.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const missing = faults.map(({ code }) => quizFaults[code]).join(' ')
  return (
    <li ref={card} data-row className={`${shapes.card} ${classes.card}`} id={`question-${key}`}>
      <h3>
        <button
          type="button"
          className={fold.line}
          aria-expanded={isOpen}
          onClick={onToggle}
          {...tip(missing)}
        >
          <Shape number={number} isGate={gate} />
          <span className={two.lines}>
            <span data-empty={prompt.trim() === '' || undefined}>{prompt.trim() || 'Not written yet'}</span>
            <small>
              {describe(question)}
              {gate ? ', must be answered' : ', may be skipped'}
            </small>
          </span>
          {faults.length > 0 && <StatusBadge tone="warning">Unfinished</StatusBadge>}
          <IconChevronDown size={16} aria-hidden />
        </button>
      </h3>
      {isOpen && <QuestionForm {...form} question={question} faults={faults} isFresh={isFresh} />}
    </li>
  )
}
