import { openStore } from '../../ui/browser/store.ts'
import { adopt, merge, valueAt, type Values } from './merge.ts'
import { choiceOf, type Note } from './mergeNote.ts'

export type Resource = { updatedAt: string }

type BaseVersion<V> = { base: V; version: string }
type State<R, V> = {
  /** The version that a change is made from. */
  base: R
  /** What the person had seen when they typed: older than `base` while something is to be decided. */
  before: BaseVersion<V>
  note: Note<R> | null
}

/** In storage beside the values. */
type StoredEdit<V> = BaseVersion<V> & { values: V }

type Opening<R, V> = {
  loaded: R
  valuesOf: (resource: R) => V
  /** Puts right what two changes that fit each by itself have made of fields that depend on each other. */
  normalize: (values: V) => V
  /** What an earlier page has left in storage. */
  stored: unknown
}

/**
 * What a form that is saved by a press knows beside its values: the version it builds on, and what somebody else has changed. (What
 * saves itself and has steps to undo, as questions and captions do, is `selfSaving/`.)
 */
export function openFormVersions<R extends Resource, V extends Values>(opening: Opening<R, V>) {
  const { loaded, valuesOf, normalize } = opening
  const begun = (base: R): State<R, V> => ({
    base,
    before: { base: valuesOf(base), version: base.updatedAt },
    note: null,
  })
  const { read, set, subscribe } = openStore(() => begun(loaded))
  const isSettled = (values: V): boolean => {
    const { note } = read()
    return !note?.conflicts.some((one) => choiceOf(one, note, valueAt(values, one.field)) === null)
  }

  /** Builds on theirs from now on. The values with both sides' changes, or null when nothing came in. */
  const absorb = (theirs: R, mine: V): V | null => {
    const { base, before } = read()
    const { values, taken, conflicts } = merge({ base: before.base, mine, theirs: valuesOf(theirs) })
    const next = begun(theirs)
    if (taken.length + conflicts.length === 0) {
      set(next)
      return null
    }
    set({
      ...next,
      // A reload before the choice is made has to ask again.
      before: conflicts.length > 0 ? before : next.before,
      note: {
        at: theirs.updatedAt,
        since: before.version,
        taken,
        conflicts,
        decided: [],
        known: [theirs, base],
        isAsked: false,
      },
    })
    return normalize(values)
  }

  const resume = (): V | null => {
    const stored = opening.stored as Partial<StoredEdit<V>> | null
    if (!stored?.values) return null
    const mine = adopt(valuesOf(loaded), stored.values)
    if (!stored.version || stored.version === loaded.updatedAt) return mine
    set({ ...read(), before: { base: adopt(valuesOf(loaded), stored.base), version: stored.version } })
    return absorb(loaded, mine) ?? mine
  }

  return {
    /** The values that the form opens with, where an earlier page has left some. */
    resumed: resume(),
    read,
    subscribe,
    absorb,
    isSettled,
    begin: (resource: R): void => set(begun(resource)),
    /** Everything is decided: what is typed now is typed from the present version. */
    leaveOldBase: (): void => set({ ...read(), before: begun(read().base).before }),
    /** Says at each open choice that it has to be made. */
    ask(): void {
      const { note } = read()
      if (note) set({ ...read(), note: { ...note, isAsked: true } })
    },
    /** The person has chosen in this field; what the field then holds says which side. */
    decide(field: string): void {
      const { note } = read()
      if (note) set({ ...read(), note: { ...note, decided: [...note.decided, field] } })
    },
    keep: (values: V): StoredEdit<V> => ({
      ...(isSettled(values) ? begun(read().base).before : read().before),
      values,
    }),
  }
}
