import { Button, Group, Radio, Textarea } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { quizFaults, type QuizFault } from '#contract/quizzes/quiz-faults.ts'
import { questionKinds, type QuizQuestion } from '#contract/quizzes/quizzes.ts'
import { More } from '#web/ui/More.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { AnswerFields } from './AnswerFields.tsx'
import { Check } from './Check.tsx'
import { DecimalField } from './DecimalField.tsx'
import { teachesWith, usualTeaches, within } from './draft.ts'
import { changeKind, kindLabels } from './kinds.ts'
import type { Playhead } from './playhead.ts'
import { TimeField } from './TimeField.tsx'
import { cannot } from '#web/ui/tips.ts'
import classes from './QuestionForm.module.css'
import shapes from '#web/ui/shapes.module.css'

export type QuestionFormProps = {
  question: QuizQuestion
  faults: readonly QuizFault[]
  /** Of the video that plays now; null where none does. */
  durationMs: number | null
  playhead: Playhead
  /** It was just added: writing can begin. */
  isFresh: boolean
  onChange: (change: (question: QuizQuestion) => QuizQuestion, tag?: string) => void
  onDuplicate: () => void
  onRemove: () => void
  /** Of a question at the end; null where it cannot go further. */
  onEarlier: (() => void) | null
  onLater: (() => void) | null
}

const kinds = questionKinds.map((value) => ({ value, label: kindLabels[value] }))

/** Everything about one question. What is typed is there at once; saving is not its matter. */
export function QuestionForm(props: QuestionFormProps) {
  const { question, isFresh, onChange, onDuplicate, onRemove, onEarlier, onLater } = props
  const { key, kind, prompt, points, atMs } = question
  const first = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (isFresh) first.current?.focus()
  }, [isFresh])
  return (
    <div className={`${shapes.stack} ${classes.form}`}>
      <Textarea
        ref={first}
        label="Question"
        rows={2}
        maxLength={2_000}
        className={classes.grows}
        value={prompt}
        onChange={(event) => {
          const text = event.currentTarget.value
          onChange((one) => ({ ...one, prompt: text }), `prompt:${key}`)
        }}
      />
      <div className={shapes.grid}>
        <NativeChoice
          label="Kind"
          data={kinds}
          value={kind}
          onChange={(event) => {
            const wanted = questionKinds.find((one) => one === event.currentTarget.value)
            if (wanted) onChange((one) => changeKind(one, wanted))
          }}
        />
        <DecimalField
          label="Points"
          value={points}
          least={0.5}
          most={100}
          onChange={(value) => onChange((one) => ({ ...one, points: value ?? one.points }), `points:${key}`)}
        />
      </div>
      <AnswerFields {...props} />
      <When {...props} />
      <Taught {...props} />
      <Told {...props} />
      <div className={`${shapes.row} ${classes.actions}`}>
        {atMs === null && (
          <>
            <Button
              variant="subtle"
              size="compact-md"
              leftSection={<IconArrowUp size={16} aria-hidden />}
              {...(onEarlier ? {} : cannot('It is the first one at the end'))}
              onClick={() => onEarlier?.()}
            >
              Ask earlier
            </Button>
            <Button
              variant="subtle"
              size="compact-md"
              leftSection={<IconArrowDown size={16} aria-hidden />}
              {...(onLater ? {} : cannot('It is the last one'))}
              onClick={() => onLater?.()}
            >
              Ask later
            </Button>
          </>
        )}
        <Button
          variant="subtle"
          size="compact-md"
          leftSection={<IconCopy size={16} aria-hidden />}
          onClick={onDuplicate}
        >
          Duplicate
        </Button>
        <Button
          variant="subtle"
          size="compact-md"
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={onRemove}
        >
          Remove
        </Button>
      </div>
    </div>
  )
}

function faultAt(faults: readonly QuizFault[], field: QuizFault['field']): string | undefined {
  const found = faults.filter((one) => one.field === field).map(({ code }) => quizFaults[code])
  return found.length > 0 ? found.join(' ') : undefined
}

/** When it is asked, and whether the video waits for it. */
function When({ question, faults, durationMs, playhead, onChange }: QuestionFormProps) {
  const { key, atMs, gate } = question
  const place = (at: number | null) => onChange((one) => ({ ...one, atMs: at }), `at:${key}`)
  return (
    <fieldset className={shapes.stack}>
      <legend>When it is asked</legend>
      <Group gap={24}>
        <Radio
          name={`when-${key}`}
          label="In the video"
          checked={atMs !== null}
          onChange={() => place(within(playhead.read(), durationMs))}
        />
        <Radio name={`when-${key}`} label="At the end" checked={atMs === null} onChange={() => place(null)} />
      </Group>
      {atMs !== null && (
        <TimeField
          label="Time"
          value={atMs}
          most={durationMs}
          playhead={playhead}
          error={faultAt(faults, 'atMs')}
          onChange={(ms) => place(within(ms, durationMs))}
        />
      )}
      <Check
        label="It must be answered"
        hint={
          gate
            ? atMs === null
              ? 'The video counts as completed only after this was answered.'
              : 'The video stops and goes on only after an answer; without it, it does not count as completed.'
            : 'Viewers may skip it.'
        }
        isChecked={gate}
        onChange={(isGate) => onChange((one) => ({ ...one, gate: isGate }))}
      />
    </fieldset>
  )
}

/** The part of the video that teaches the answer: the results compare answers with who watched it. */
function Taught({ question, faults, durationMs, playhead, onChange }: QuestionFormProps) {
  const { key, teaches } = question
  const change = (patch: { from: number } | { to: number }) =>
    onChange((one) => ({ ...one, teaches: one.teaches && teachesWith(one.teaches, patch) }), `teaches:${key}`)
  return (
    <fieldset className={shapes.stack}>
      <legend>The part that teaches the answer</legend>
      {teaches ? (
        <>
          <div className={shapes.grid}>
            <TimeField
              label="From"
              value={teaches[0]}
              most={durationMs}
              playhead={playhead}
              onChange={(ms) => change({ from: within(ms, durationMs) })}
            />
            <TimeField
              label="To"
              value={teaches[1]}
              most={durationMs}
              playhead={playhead}
              error={faultAt(faults, 'teaches')}
              onChange={(ms) => change({ to: within(ms, durationMs) })}
            />
          </div>
          <div>
            <Button
              variant="default"
              size="compact-md"
              onClick={() => onChange((one) => ({ ...one, teaches: null }))}
            >
              Remove the part
            </Button>
          </div>
        </>
      ) : (
        <>
          <p>The results then tell who did not watch it from who watched it and still failed.</p>
          <div>
            <Button
              variant="default"
              size="compact-md"
              onClick={() => onChange((one) => ({ ...one, teaches: usualTeaches(one, durationMs) }))}
            >
              Name the part
            </Button>
          </div>
        </>
      )}
    </fieldset>
  )
}

/** What viewers are told, and where a wrong answer leads. */
function Told({ question, faults, durationMs, playhead, onChange }: QuestionFormProps) {
  const { key, whenRight, whenWrong, backToMs, teaches, atMs } = question
  const isUsed = whenRight !== null || whenWrong !== null || backToMs !== null
  return (
    <More
      about="Feedback and going back"
      isOpenAtFirst={isUsed}
      hasError={faultAt(faults, 'backToMs') !== undefined}
    >
      <Textarea
        label="When right"
        rows={2}
        maxLength={2_000}
        className={classes.grows}
        value={whenRight ?? ''}
        onChange={(event) => {
          const text = event.currentTarget.value || null
          onChange((one) => ({ ...one, whenRight: text }), `right:${key}`)
        }}
      />
      <Textarea
        label="When wrong"
        rows={2}
        maxLength={2_000}
        className={classes.grows}
        value={whenWrong ?? ''}
        onChange={(event) => {
          const text = event.currentTarget.value || null
          onChange((one) => ({ ...one, whenWrong: text }), `wrong:${key}`)
        }}
      />
      <Check
        label="A wrong answer leads back in the video"
        hint="The viewer watches the part again and answers once more; the first answer counts."
        isChecked={backToMs !== null}
        onChange={(isBack) => {
          const usual = teaches?.[0] ?? Math.max(0, (atMs ?? durationMs ?? 0) - 15_000)
          onChange((one) => ({ ...one, backToMs: isBack ? usual : null }))
        }}
      />
      {backToMs !== null && (
        <TimeField
          label="Back to"
          value={backToMs}
          most={durationMs}
          playhead={playhead}
          error={faultAt(faults, 'backToMs')}
          onChange={(ms) => onChange((one) => ({ ...one, backToMs: within(ms, durationMs) }), `back:${key}`)}
        />
      )}
    </More>
  )
}
