import { Button, Textarea, TextInput } from '@mantine/core'
import { IconSelector, IconMessage, IconPlus, IconTrash } from '@tabler/icons-react'
import { IconButton } from '#web/ui/IconButton.tsx'
import { useState, type KeyboardEvent, type PointerEvent } from 'react'
import { quizLimits, type QuizOption, type QuizQuestion } from '#contract/quizzes/quizzes.ts'
import { addOption, changeOption, markRight, moveOption, removeOption } from './draft.ts'
import { useMoves } from '#web/ui/look/motion.ts'
import { shows } from '#web/ui/overlays/tips.ts'
import classes from './OptionRows.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import tableClasses from '#web/ui/table/DataTable.module.css'
import buttonClasses from '#web/ui/IconButton.module.css'

type ChangeQuestion = (change: (question: QuizQuestion) => QuizQuestion, tag?: string) => void
type Props = { question: QuizQuestion; errors: readonly string[]; onChange: ChangeQuestion }

/** The answers to choose from: which are right, their order, and what who chose them is told. */
export function OptionRows({ question, errors, onChange }: Props) {
  const { key, kind, options } = question
  const [said, setSaid] = useState('')
  const list = useMoves<HTMLOListElement>(options.map(({ id }) => id))
  const isFixed = kind === 'true_false'
  const move = (id: string, by: number) => {
    const from = options.findIndex((one) => one.id === id)
    const to = Math.max(0, Math.min(options.length - 1, from + by))
    if (to === from) return
    onChange(moveOption(id, to - from), `order:${key}`)
    setSaid(`Answer ${from + 1} is now answer ${to + 1} of ${options.length}.`)
  }
  const placeAt = (y: number) => {
    if (!list.current) return -1
    // Where rows stand at rest, not where they are on the way to.
    const rows = [...list.current.querySelectorAll<HTMLElement>(':scope > li')]
    const top = list.current.getBoundingClientRect().top - (rows[0]?.offsetTop ?? 0)
    return rows.findIndex((row) => y < top + row.offsetTop + row.offsetHeight)
  }
  const remove = (id: string) => {
    const place = options.findIndex((one) => one.id === id)
    onChange(removeOption(id))
    const next = options[place + 1] ?? options[place - 1]
    requestAnimationFrame(() => document.getElementById(`option-${next?.id}`)?.focus())
  }
  const add = () => {
    onChange(addOption)
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLInputElement>('li:last-child input[id]')?.focus(),
    )
  }
  return (
    <fieldset className={shapes.stack}>
      <legend>
        {kind === 'multiple' ? 'Answers: tick all that are right' : 'Answers: mark the right one'}
      </legend>
      <ol ref={list} className={classes.options}>
        {options.map((option, at) => (
          <Row
            key={option.id}
            group={key}
            option={option}
            place={at + 1}
            isMany={kind === 'multiple'}
            isFixed={isFixed}
            isLast={options.length <= 2}
            onMark={(correct) => onChange(markRight(option.id, correct))}
            onText={(text) => onChange(changeOption(option.id, { text }), `option:${option.id}`)}
            onFeedback={(feedback) =>
              onChange(changeOption(option.id, { feedback }), `feedback:${option.id}`)
            }
            onRemove={() => remove(option.id)}
            onMove={(by) => move(option.id, by)}
            onDrag={(y) => {
              const to = placeAt(y)
              if (to >= 0) move(option.id, to - at)
            }}
            onEnter={at === options.length - 1 && options.length < quizLimits.options ? add : undefined}
          />
        ))}
      </ol>
      {errors.length > 0 && <p className={shapes.hint}>{errors.join(' ')}</p>}
      {!isFixed && (
        <div>
          <Button
            variant="default"
            size="compact-md"
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={options.length >= quizLimits.options}
            onClick={add}
          >
            {options.length >= quizLimits.options
              ? `${quizLimits.options} answers are the most`
              : 'Add an answer'}
          </Button>
        </div>
      )}
      <p className={shapes.sr} role="status">
        {said}
      </p>
    </fieldset>
  )
}

type RowProps = {
  group: string
  option: QuizOption
  place: number
  isMany: boolean
  isFixed: boolean
  /** Fewer answers than these say nothing. */
  isLast: boolean
  onMark: (correct: boolean) => void
  onText: (text: string) => void
  onFeedback: (feedback: string | null) => void
  onRemove: () => void
  onMove: (by: number) => void
  onDrag: (y: number) => void
  onEnter: (() => void) | undefined
}

function Row({ option, place, ...row }: RowProps) {
  const { text, correct, feedback } = option
  const [isTelling, setTelling] = useState(feedback !== null)
  const name = text.trim() || `answer ${place}`
  return (
    <li data-right={correct || undefined}>
      <div className={classes.option}>
        {row.isFixed ? <span /> : <Handle name={name} onMove={row.onMove} onDrag={row.onDrag} />}
        <span className={tableClasses.select}>
          <label>
            <input
              type={row.isMany ? 'checkbox' : 'radio'}
              name={`right-${row.group}`}
              checked={correct}
              aria-label={`Right: ${name}`}
              onChange={(event) => row.onMark(event.currentTarget.checked)}
            />
          </label>
        </span>
        <TextInput
          id={`option-${option.id}`}
          aria-label={`Answer ${place}`}
          placeholder={`Answer ${place}`}
          value={text}
          maxLength={500}
          onChange={(event) => row.onText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && row.onEnter?.()}
        />
        <IconButton
          tone="quiet"
          size={28}
          icon={IconMessage}
          label={`Feedback for ${name}`}
          isExpanded={isTelling}
          title="Feedback for who chooses it"
          onClick={() => setTelling(!isTelling)}
        />
        {row.isFixed ? (
          <span />
        ) : (
          <IconButton
            tone="quiet"
            size={28}
            icon={IconTrash}
            label={`Remove ${name}`}
            title="Remove"
            cannot={row.isLast && 'At least two answers'}
            onClick={row.onRemove}
          />
        )}
      </div>
      {isTelling && (
        <Textarea
          className={classes.feedback}
          aria-label={`Feedback for who chooses ${name}`}
          placeholder="What who chooses it is told"
          rows={2}
          maxLength={2_000}
          value={feedback ?? ''}
          onChange={(event) => row.onFeedback(event.currentTarget.value || null)}
        />
      )}
    </li>
  )
}

type HandleProps = { name: string; onMove: (by: number) => void; onDrag: (y: number) => void }

/** Drags a row, or moves it with the arrow keys. */
function Handle({ name, onMove, onDrag }: HandleProps) {
  const [isHeld, setHeld] = useState(false)
  const hold = (event: PointerEvent<HTMLButtonElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    setHeld(true)
  }
  const press = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!by) return
    event.preventDefault()
    onMove(by)
  }
  return (
    <button
      type="button"
      className={`${buttonClasses.button} ${classes.handle}`}
      data-size="28"
      data-tone="quiet"
      aria-label={`Move ${name} with the arrow keys`}
      {...shows('Drag, or press the arrow keys')}
      data-held={isHeld || undefined}
      onPointerDown={hold}
      onPointerMove={(event) => isHeld && onDrag(event.clientY)}
      onPointerUp={() => setHeld(false)}
      onPointerCancel={() => setHeld(false)}
      onKeyDown={press}
    >
      <IconSelector size={16} aria-hidden />
    </button>
  )
}
