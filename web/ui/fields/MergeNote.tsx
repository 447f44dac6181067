import { Radio } from '@mantine/core'
import { language } from '#contract/platform/text/language.ts'
import './fields.ts'
import { formatMoment } from '../format.ts'
import shapes from '../look/shapes.module.css'
import classes from './MergeNote.module.css'

type Side = 'mine' | 'theirs'
export type MergeNoteProps = {
  /** What was changed by somebody else: "this group". */
  what: string
  /** Who has changed it, if that is known; "You" from another window. */
  by: readonly string[]
  /** When, as an ISO instant. */
  at: string
  /** What only they have changed: it is in the form. */
  taken: readonly { label: string; change: string }[]
  /** What both have changed, in words. */
  conflicts: readonly {
    field: string
    label: string
    before: string
    mine: string
    theirs: string
    choice: Side | null
  }[]
  /** Saving was tried before everything was chosen. */
  isAsked: boolean
  /** Whether anything is left to save. */
  isDirty: boolean
  onChoose: (field: string, side: Side) => void
}

const names = new Intl.ListFormat(language)

/** Two people changed the same thing: what came in, and where both changed one field, which of the two stays. */
export function MergeNote({ what, by, at, taken, conflicts, isAsked, isDirty, onChoose }: MergeNoteProps) {
  const who = by.length > 0 ? names.format(by) : 'Somebody else'
  const isOpen = conflicts.some(({ choice }) => choice === null)
  return (
    <section
      className={`${shapes.stack} ${classes.merge}`}
      aria-label="Changed meanwhile"
      tabIndex={-1}
      data-error-summary
    >
      <p>
        <strong>
          {who} changed {what} at {formatMoment(at)}, while you were editing.
        </strong>{' '}
        Your changes are not saved yet.
      </p>
      {taken.length > 0 && (
        <ul className={shapes.bullets}>
          {taken.map(({ label, change }) => (
            <li key={label}>
              {label}: {change}. It is in the form.
            </li>
          ))}
        </ul>
      )}
      {conflicts.map((conflict) => (
        <Choice key={conflict.field} {...conflict} isMissed={isAsked} onChoose={onChoose} />
      ))}
      <p role="status">{whatNow(isOpen, isDirty)}</p>
    </section>
  )
}

function whatNow(isOpen: boolean, isDirty: boolean): string {
  if (isOpen) return 'Choose which one stays, then save again.'
  return isDirty
    ? 'Look it over, then save again.'
    : 'The form is now as it was saved. Nothing is left to save.'
}

type ChoiceProps = MergeNoteProps['conflicts'][number] & {
  isMissed: boolean
  onChoose: MergeNoteProps['onChoose']
}

function Choice({ field, label, before, mine, theirs, choice, isMissed, onChoose }: ChoiceProps) {
  const sides = [
    { side: 'mine', label: 'Keep mine', value: mine },
    { side: 'theirs', label: 'Take theirs', value: theirs },
  ] as const
  return (
    <Radio.Group
      label={`${label}: both of you changed it`}
      description={`It was: ${before}`}
      error={isMissed && choice === null ? 'Please choose one of the two.' : undefined}
      value={choice}
      onChange={(side) => onChoose(field, side === 'mine' ? 'mine' : 'theirs')}
    >
      <div className={`${shapes.grid} ${classes.sides}`}>
        {sides.map(({ side, value, ...text }) => (
          <Radio key={side} className={shapes.tile} value={side} label={text.label} description={value} />
        ))}
      </div>
    </Radio.Group>
  )
}
