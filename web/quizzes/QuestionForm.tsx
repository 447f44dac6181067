import { Button, Group, Radio, Textarea, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { quizFaults, type QuizFault } from '#contract/quizzes/quiz-faults.ts'
import { questionKinds, type QuizQuestion, quizLimits } from '#contract/quizzes/quizzes.ts'
import { More } from '#web/ui/More.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { Check } from './Check.tsx'
import { DecimalField } from './DecimalField.tsx'
import { teachesWith, usualTeaches, within } from './draft.ts'
import { changeKind, kindLabels, hasOptions } from './kinds.ts'
import { type Playhead, usePosition } from './playhead.ts'
import { cannot } from '#web/ui/overlays/tips.ts'
import classes from './QuestionForm.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { formatPosition, parsePosition } from './position.ts'
import { OptionRows } from './OptionRows.tsx'
import { cut } from '#contract/platform/text/text.ts'

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

type AnswerFieldsProps = {
  question: QuizQuestion
  faults: readonly QuizFault[]
  onChange: (change: (question: QuizQuestion) => QuizQuestion, tag?: string) => void
}

/** What is right, in the way of its kind. */
function AnswerFields({ question, faults, onChange }: AnswerFieldsProps) {
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

type Props = {
  label: string
  value: number
  /** The last moment that is possible, in milliseconds. */
  most: number | null
  playhead: Playhead
  error?: string | undefined
  onChange: (ms: number) => void
}

/** A moment of the video: typed, moved by a second with the arrow keys (ten with Shift), or taken from where the video stands. */
function TimeField({ label, value, most, playhead, error, onChange }: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  const parsed = typed === null ? value : parsePosition(typed)
  const wrong =
    parsed === null
      ? 'Write it like 1:05.'
      : most !== null && parsed > most
        ? `The video ends at ${formatPosition(most)}.`
        : undefined
  const take = () => {
    if (typed !== null && parsed !== null && wrong === undefined) {
      onChange(parsed)
      setTyped(null)
    }
  }
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return take()
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (!way || parsed === null) return
    event.preventDefault()
    setTyped(null)
    const next = parsed + way * (event.shiftKey ? 10_000 : 1_000)
    onChange(Math.max(0, Math.min(next, most ?? Infinity)))
  }
  return (
    <div className={classes.time}>
      <TextInput
        label={label}
        value={typed ?? formatPosition(value)}
        error={wrong ?? error}
        inputMode="decimal"
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={take}
        onKeyDown={move}
      />
      <PresentPosition playhead={playhead} about={label} onUse={onChange} />
    </div>
  )
}

type PresentProps = { playhead: Playhead; about: string; onUse: (ms: number) => void }

function PresentPosition({ playhead, about, onUse }: PresentProps) {
  const position = usePosition(playhead)
  return (
    <Button variant="default" onClick={() => onUse(playhead.read())}>
      Use&nbsp;{formatPosition(Math.floor(position / 1_000) * 1_000)}
      <span className={shapes.sr}>, the present position: {about}</span>
    </Button>
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
