import { explain, isContested, sentence } from '../../errors.ts'
import { openStore } from '../../../ui/browser/store.ts'
import type { Side } from '../merge.ts'
import { choiceOf } from '../mergeNote.ts'

/** What is read and saved: its draft, and who saved it last when; null where nothing has been saved yet, or nobody is known. */
export type Drafted<D> = {
  draft: D
  updatedAt: string | null
  updatedBy: { id: string; name: string } | null
}

/** What somebody else did, as a line for people. */
export type TheirChange = { label: string; change: string }
/** Both have changed it, to different things. */
export type Conflict<P> = { place: P; label: string; base: unknown; mine: unknown; theirs: unknown }
export type Three<D> = { base: D; mine: D; theirs: D }
export type MergedDraft<D, P> = { draft: D; taken: TheirChange[]; conflicts: Conflict<P>[] }

/** What the drafts of a kind are made of, and how those of two people become one. */
export type DraftKind<D, P> = {
  isSame: (a: D, b: D) => boolean
  /** As it is saved. */
  normalised: (draft: D) => D
  merge: (three: Three<D>) => MergedDraft<D, P>
  /** Undefined where the thing is gone. */
  valueAt: (draft: D, place: P) => unknown
  withValueAt: (draft: D, place: P, value: unknown) => D
}

export const placeName = (place: unknown): string => JSON.stringify(place)

/** Milliseconds after the last change until it is saved. */
export const saveAfter = 800
/** Milliseconds until another try where that can help. */
const retryAfter = 5_000
/** Changes of others while one save is under way; after that it waits its turn again. */
const tries = 4

export type SaveState =
  | { kind: 'saved' }
  | { kind: 'waiting' }
  | { kind: 'saving' }
  /** `isRetried`: it is tried again by itself. */
  | { kind: 'failed'; why: string; isRetried: boolean }
  /** Something has to be decided first. */
  | { kind: 'asking' }

/** What somebody else has changed meanwhile. */
export type Incoming<P> = {
  /** When it was saved, and since when: ISO instants; null where nothing had been saved before. */
  at: string
  since: string | null
  /** Who saved last, where that is known. */
  by: Drafted<unknown>['updatedBy']
  taken: readonly TheirChange[]
  conflicts: readonly Conflict<P>[]
  /** Names of the places in which the person has chosen. */
  decided: readonly string[]
}

/** Steps that can be taken back: more than anybody remembers. */
const most = 100
/** Milliseconds within which typing in the same field is one step. */
const pause = 1_500

type History<D> = {
  draft: D
  past: readonly D[]
  future: readonly D[]
  /** What the last step changed, and when. */
  last: { tag: string; at: number } | null
}

const begin = <D>(draft: D): History<D> => ({ draft, past: [], future: [], last: null })

/** A step; steps with the same tag shortly after one another are one, such as the letters of a word. */
function step<D>(
  history: History<D>,
  draft: D,
  { tag, at }: { tag?: string | undefined; at: number },
): History<D> {
  if (draft === history.draft) return history
  const { past, last } = history
  const isSameStep = tag !== undefined && last?.tag === tag && at - last.at < pause
  return {
    draft,
    past: isSameStep ? past : [...past.slice(1 - most), history.draft],
    future: [],
    last: tag === undefined ? null : { tag, at },
  }
}

function undo<D>(history: History<D>): History<D> {
  const draft = history.past.at(-1)
  if (draft === undefined) return history
  return { draft, past: history.past.slice(0, -1), future: [history.draft, ...history.future], last: null }
}

function redo<D>(history: History<D>): History<D> {
  const [draft, ...future] = history.future
  if (draft === undefined) return history
  return { draft, past: [...history.past, history.draft], future, last: null }
}

/** Puts into every step what came in from elsewhere, so that taking back one's own steps does not take back those of others. */
function rebased<D>(history: History<D>, change: (draft: D) => D): History<D> {
  return {
    draft: change(history.draft),
    past: history.past.map(change),
    future: history.future.map(change),
    last: null,
  }
}

export type SelfSavingState<R extends Drafted<D>, D, P> = {
  history: History<D>
  /** As it was saved last: what the next save builds on. */
  base: R
  save: SaveState
  incoming: Incoming<P> | null
}

/** In storage beside what is not saved yet. */
export type StoredDraft<D> = { base: D; version: string | null; draft: D }

export type SelfSavingWays<R, D, P> = {
  kind: DraftKind<D, P>
  save: (draft: D, base: R) => Promise<R>
  read: () => Promise<R>
  /** Puts what is not saved yet into storage; null: there is nothing. */
  keep: (edit: StoredDraft<D> | null) => void
}

/** The side that was chosen; typing something else there is a choice, too. */
export function sideOf<R extends Drafted<D>, D, P>(
  { place, mine, theirs }: Conflict<P>,
  state: SelfSavingState<R, D, P>,
  { valueAt }: Pick<DraftKind<D, P>, 'valueAt'>,
): Side | null {
  const conflict = { field: placeName(place), mine, theirs }
  return choiceOf(conflict, { decided: state.incoming?.decided ?? [] }, valueAt(state.history.draft, place))
}

/** A draft while it is being written: its steps, and the saving of it, which happens by itself. */
export function openSelfSaving<R extends Drafted<D>, D, P>(
  loaded: R,
  ways: SelfSavingWays<R, D, P>,
  stored: StoredDraft<D> | null = null,
) {
  type State = SelfSavingState<R, D, P>
  const { kind } = ways
  const store = openStore<State>(() => ({
    history: begin(loaded.draft),
    base: loaded,
    save: { kind: 'saved' },
    incoming: null,
  }))
  /** What the person had seen when something had to be decided; a reload before the choice has to ask again. */
  let before: Pick<StoredDraft<D>, 'base' | 'version'> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | null = null

  const sideIn = (one: Conflict<P>, state: State) => sideOf(one, state, kind)
  const isOpen = (state: State): boolean =>
    state.incoming?.conflicts.some((one) => sideIn(one, state) === null) ?? false
  const set = (patch: Partial<State>): void => store.set({ ...store.read(), ...patch })
  const isDirty = () => !kind.isSame(store.read().history.draft, store.read().base.draft)
  const keep = () => {
    const { history, base } = store.read()
    if (!isOpen(store.read())) before = null
    const seen = before ?? { base: base.draft, version: base.updatedAt }
    ways.keep(isDirty() ? { ...seen, draft: history.draft } : null)
  }
  const later = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void flush(), ms)
  }
  const changed = (history: History<D>): void => {
    if (history === store.read().history) return
    set({ history })
    keep()
    settle()
  }
  /** Saves soon what is to be saved, or says that there is nothing. */
  const settle = (): void => {
    if (!isDirty()) {
      clearTimeout(timer)
      if (!running) set({ save: { kind: 'saved' } })
    } else if (isOpen(store.read())) set({ save: { kind: 'asking' } })
    else {
      if (!running) set({ save: { kind: 'waiting' } })
      later(saveAfter)
    }
  }

  /** Builds on theirs from now on, with both sides' changes. */
  const absorb = (theirs: R): void => {
    const { base, history, incoming } = store.read()
    const three = { base: base.draft, theirs: theirs.draft }
    const merged = kind.merge({ ...three, mine: history.draft })
    const next = rebased(history, (mine) => kind.merge({ ...three, mine }).draft)
    const isNews = merged.taken.length + merged.conflicts.length > 0
    const open = incoming?.conflicts.filter((one) => sideIn(one, store.read()) === null) ?? []
    const still = open.filter(
      ({ place }) => !merged.conflicts.some((one) => placeName(one.place) === placeName(place)),
    )
    if (merged.conflicts.length > 0) before ??= { base: base.draft, version: base.updatedAt }
    set({
      base: theirs,
      history: isNews
        ? { ...next, draft: merged.draft }
        : { ...history, past: next.past, future: next.future },
      incoming: isNews
        ? {
            at: theirs.updatedAt ?? '',
            since: incoming?.since ?? base.updatedAt,
            by: theirs.updatedBy,
            taken: [...(incoming?.taken ?? []), ...merged.taken],
            conflicts: [...still, ...merged.conflicts],
            decided: incoming?.decided ?? [],
          }
        : incoming,
    })
    keep()
  }

  const saveOnce = async (): Promise<void> => {
    for (let time = 1; isDirty() && !isOpen(store.read()); time += 1) {
      const sent = kind.normalised(store.read().history.draft)
      set({ save: { kind: 'saving' } })
      try {
        const base = await ways.save(sent, store.read().base)
        set({ base })
        keep()
        return
      } catch (error) {
        if (!isContested(error) || time > tries) throw error
      }
      absorb(await ways.read())
    }
  }

  /** Saves now what is not saved. Resolves true when nothing is left to save. */
  async function flush(): Promise<boolean> {
    clearTimeout(timer)
    if (running) await running.catch(() => undefined)
    if (!isDirty() || isOpen(store.read())) {
      settle()
      return !isDirty()
    }
    running = saveOnce()
    try {
      await running
      running = null
      settle()
    } catch (error) {
      running = null
      const { retry } = explain(error)
      set({ save: { kind: 'failed', why: sentence(error), isRetried: retry } })
      if (retry) later(retryAfter)
    }
    return !isDirty()
  }

  if (stored) {
    set({ history: begin(stored.draft) })
    if (stored.version !== loaded.updatedAt) {
      set({ base: { ...loaded, draft: stored.base, updatedAt: stored.version } })
      absorb(loaded)
    }
    settle()
  }

  return {
    read: store.read,
    subscribe: store.subscribe,
    /** Steps with the same tag shortly after one another are taken back together. */
    edit: (change: (draft: D) => D, tag?: string): void =>
      changed(step(store.read().history, change(store.read().history.draft), { tag, at: Date.now() })),
    undo: (): void => changed(undo(store.read().history)),
    redo: (): void => changed(redo(store.read().history)),
    flush,
    isDirty,
    /** Whether leaving would leave something unsaved that does not save itself. */
    isHeld: (): boolean => isDirty() && ['failed', 'asking'].includes(store.read().save.kind),
    /** The quiz as it was just read: what somebody else has saved comes in. */
    hear(read: R): void {
      const { base } = store.read()
      if (running || (read.updatedAt ?? '') < (base.updatedAt ?? '')) return
      if (read.updatedAt === base.updatedAt) set({ base: kind.isSame(read.draft, base.draft) ? read : base })
      else {
        absorb(read)
        settle()
      }
    },
    decide(place: P, side: Side): void {
      const { incoming, history } = store.read()
      const one = incoming?.conflicts.find((conflict) => placeName(conflict.place) === placeName(place))
      if (!incoming || !one) return
      set({ incoming: { ...incoming, decided: [...incoming.decided, placeName(place)] } })
      const draft = kind.withValueAt(history.draft, place, side === 'theirs' ? one.theirs : one.mine)
      changed(step(store.read().history, draft, { at: Date.now() }))
      settle()
    },
    /** Takes the note about what came in away; only where nothing is left to decide. */
    dismiss: (): void => {
      if (!isOpen(store.read())) set({ incoming: null })
    },
  }
}

export type SelfSaving<R extends Drafted<D>, D, P> = ReturnType<typeof openSelfSaving<R, D, P>>
