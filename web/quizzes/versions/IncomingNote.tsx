import { Button, Radio } from '@mantine/core'
import '#web/ui/fields/fields.ts'
import { around } from '#web/api/forms/changeLabels.ts'
import { useUser } from '#web/session/useSession.ts'
import { formatMoment } from '#web/ui/format.ts'
import { sideOf, type Editor, type EditorState, type Incoming } from '../editor.ts'
import { placeName, valueAt, wordAt, type Conflict } from './mergeDrafts.ts'
import mergeClasses from '#web/ui/fields/MergeNote.module.css'

type Props = { editor: Editor; state: EditorState }

/** What somebody else has changed meanwhile; where both changed the same, one of the two has to be chosen. */
export function IncomingNote({ editor, state }: Props) {
  const { incoming } = state
  const { id: self } = useUser()
  if (!incoming) return null
  const isOpen = incoming.conflicts.some((one) => sideOf(one, state) === null)
  return (
    <section className={mergeClasses.merge} aria-label="Changed meanwhile">
      <p role="status">
        <strong>
          {whoOf(incoming, self)} changed these questions at {formatMoment(incoming.at)}.
        </strong>{' '}
        {isOpen
          ? 'Your last changes are saved as soon as you have chosen.'
          : 'Your changes and theirs are both kept.'}
      </p>
      {incoming.taken.length > 0 && (
        <ul>
          {merged(incoming.taken).map(({ label, change }) => (
            <li key={label}>
              {label}: {change}
            </li>
          ))}
        </ul>
      )}
      {incoming.conflicts.map((conflict) => (
        <Choice key={placeName(conflict.place)} conflict={conflict} editor={editor} state={state} />
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

function whoOf({ by }: Incoming, self: string): string {
  if (by === null) return 'Somebody else'
  return by.id === self ? 'In another window you' : by.name
}

/** The last word about each. */
const merged = (taken: readonly { label: string; change: string }[]) => [
  ...new Map(taken.map((one) => [one.label, one])).values(),
]

function Choice({ conflict, editor, state }: Props & { conflict: Conflict }) {
  const { place, label, base, theirs } = conflict
  const present = valueAt(state.history.draft, place)
  const choice = sideOf(conflict, state)
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
