import type { MergeNoteProps } from '../../ui/fields/MergeNote.tsx'
import { around, wordTaken, wordValue } from './changeLabels.ts'
import { isSame, type Conflict, type Side, type TheirChange } from './merge.ts'

/** What somebody else has done to a thing that is being edited, and what of it is still to be decided. */
export type Note<R> = {
  /** When it was saved, and what they began with: ISO instants. */
  at: string
  since: string
  taken: TheirChange[]
  conflicts: Conflict[]
  /** Fields of conflicts in which the person has chosen. */
  decided: readonly string[]
  /** The versions that were read, newest first. */
  known: R[]
  /** Saving was tried without deciding. */
  isAsked: boolean
}

/** What was chosen, by the present value of the field: typing something new into it is a choice, too. */
export function choiceOf(
  { field, mine, theirs }: Omit<Conflict, 'base'>,
  { decided }: Pick<Note<unknown>, 'decided'>,
  present: unknown,
): Side | null {
  if (isSame(present, theirs)) return 'theirs'
  if (!isSame(present, mine)) return 'mine'
  return decided.includes(field) ? 'mine' : null
}

type Page<R> = {
  what: string
  labels: Record<string, string>
  words?: (field: string, value: unknown, known: readonly R[]) => string | undefined
  by: readonly string[]
  /** What the form holds. */
  valueOf: (field: string) => unknown
  isDirty: boolean
  choose: (field: string, side: Side) => void
}

export function notePropsOf<R>(note: Note<R>, page: Page<R>): MergeNoteProps {
  const { at, isAsked, known } = note
  const { what, by, isDirty, labels } = page
  const wording = (field: string, value: unknown) => page.words?.(field, value, known)
  const labelOf = (field: string) => labels[field] ?? field
  return {
    what,
    by,
    at,
    isAsked,
    isDirty,
    onChoose: page.choose,
    taken: note.taken.map((one) => ({ label: labelOf(one.field), change: wordTaken(one, wording) })),
    conflicts: note.conflicts.map((one) => {
      const { field, base, theirs } = one
      const present = page.valueOf(field)
      const mine = isSame(present, theirs) ? one.mine : present
      return {
        field,
        label: labelOf(field),
        before: wordValue(field, base, wording),
        ...around(wordValue(field, mine, wording), wordValue(field, theirs, wording)),
        choice: choiceOf(one, note, present),
      }
    }),
  }
}
