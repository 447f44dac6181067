import { Button, Radio } from '@mantine/core'
import '../../../ui/fields/fields.ts'
import { formatMoment, plural } from '../../../ui/format.ts'
import mergeClasses from '../../../ui/fields/MergeNote.module.css'
import { around } from '../changeLabels.ts'
import { session } from '../../session.ts'
import {
  placeName,
  sideOf,
  type Conflict,
  type Drafted,
  type DraftKind,
  type Incoming,
  type SelfSaving,
  type SelfSavingState,
} from './selfSaving.ts'

type Props<R extends Drafted<D>, D, P> = {
  /** As in "changed these questions". */
  what: string
  editor: SelfSaving<R, D, P>
  state: SelfSavingState<R, D, P>
  kind: DraftKind<D, P>
  /** A value as people read it. */
  wordAt: (place: P, value: unknown) => string
}

/** So many lines are read; of more than these a number is told. */
const most = 8

/** What somebody else has changed meanwhile; where both changed the same, one of the two has to be chosen. */
export function IncomingNote<R extends Drafted<D>, D, P>(props: Props<R, D, P>) {
  const { what, editor, state, kind } = props
  const { incoming } = state
  if (!incoming) return null
  const isOpen = incoming.conflicts.some((one) => sideOf(one, state, kind) === null)
  const taken = merged(incoming.taken)
  return (
    <section className={mergeClasses.merge} aria-label="Changed meanwhile">
      <p role="status">
        <strong>
          {whoOf(incoming)} changed {what} at {formatMoment(incoming.at)}.
        </strong>{' '}
        {isOpen
          ? 'Your last changes are saved as soon as you have chosen.'
          : 'Your changes and theirs are both kept.'}
      </p>
      {taken.length > 0 && (
        <ul>
          {taken.slice(0, most).map(({ label, change }) => (
            <li key={label}>
              {label}: {change}
            </li>
          ))}
          {taken.length > most && <li>{plural(taken.length - most, 'further change')}</li>}
        </ul>
      )}
      {incoming.conflicts.map((conflict) => (
        <Choice key={placeName(conflict.place)} conflict={conflict} {...props} />
      ))}
      {!isOpen && (
        <div>
          <Button variant="default" size="compact-md" onClick={editor.dismiss}>
            Close this note
          </Button>
        </div>
      )}
    </section>
  )
}

function whoOf({ by }: Pick<Incoming<unknown>, 'by'>): string {
  if (by === null) return 'Somebody else'
  return by.id === session.read().user?.id ? 'In another window you' : by.name
}

/** The last word about each. */
const merged = (taken: readonly { label: string; change: string }[]) => [
  ...new Map(taken.map((one) => [one.label, one])).values(),
]

function Choice<R extends Drafted<D>, D, P>(props: Props<R, D, P> & { conflict: Conflict<P> }) {
  const { conflict, editor, state, kind, wordAt } = props
  const { place, label, base, theirs } = conflict
  const present = kind.valueAt(state.history.draft, place)
  const choice = sideOf(conflict, state, kind)
  const words = around(wordAt(place, choice === 'theirs' ? conflict.mine : present), wordAt(place, theirs))
  const sides = [
    { side: 'mine', text: 'Keep mine', value: words.mine },
    { side: 'theirs', text: 'Take theirs', value: words.theirs },
  ] as const
  return (
    <Radio.Group
      label={`${label}: both of you changed it`}
      description={`It was: ${wordAt(place, base)}`}
      value={choice}
      onChange={(side) => editor.decide(place, side === 'mine' ? 'mine' : 'theirs')}
    >
      <div className={mergeClasses.sides}>
        {sides.map(({ side, text, value }) => (
          <Radio key={side} value={side} label={text} description={value} />
        ))}
      </div>
    </Radio.Group>
  )
}
