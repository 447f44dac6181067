import type { QuizDraft, QuizOption, QuizQuestion, QuizSettings } from '#contract/quizzes/quizzes.ts'
import { winnerOf, type Sides } from '#web/api/forms/merge.ts'
import type { MergedDraft, Three } from '#web/api/forms/selfSaving/selfSaving.ts'
import { fieldLabels, nameOf, settingValue, settingLabels } from './compare.ts'
import { normalised, withQuestions } from '../draft.ts'
import { kindLabels } from '../kinds.ts'
import { formatPosition } from '../position.ts'

/** Where in a draft: a setting, a field of a question, or a field of one of its answers. */
export type DraftPlace =
  | { in: 'settings'; field: keyof QuizSettings }
  | { in: 'question'; key: string; field: Exclude<keyof QuizQuestion, 'key' | 'options'> }
  | { in: 'option'; key: string; id: string; field: keyof Omit<QuizOption, 'id'> }

type Merged = MergedDraft<QuizDraft, DraftPlace>

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

type MergeQuestion = Pick<Merged, 'taken' | 'conflicts'>

/**
 * What becomes of a draft when somebody else has saved meanwhile. `base` is what both began with. A field that one of the two has
 * changed is as that one left it; what either has added stays, and what one has removed goes unless the other has changed it.
 * Where both changed a field differently the draft holds mine until somebody chooses.
 */
export function mergeDrafts({ base, mine, theirs }: Three<QuizDraft>): Merged {
  const found: MergeQuestion = { taken: [], conflicts: [] }
  // They were saved, and so without what is of no use; mine keeps what is being typed.
  const settings = mergeFields(
    { base: base.settings, mine: mine.settings, theirs: theirs.settings },
    (field) => ({ place: { in: 'settings', field }, label: settingLabels[field] }),
    found,
  )
  const merged = mergeLists(
    { base: base.questions, mine: mine.questions, theirs: theirs.questions },
    {
      idOf: ({ key }) => key,
      isSame: (a, b) => isSame(plain(a), plain(b)),
      merge: (sides) => mergeQuestion(sides, { mine, found }),
      tell(kind, { key }) {
        const name = nameOf((kind === 'added' || kind === 'kept' ? theirs : base).questions, key)
        found.taken.push({ label: name, change: happenings[kind] })
      },
    },
  )
  return { draft: withQuestions({ settings, questions: [] }, merged), ...found }
}

const happenings = {
  added: 'added',
  removed: 'removed',
  kept: 'changed, so it was not removed',
  spared: 'removed by them; it stays because you changed it',
}

const plain = (question: QuizQuestion) =>
  normalised({ settings: {} as QuizSettings, questions: [question] }).questions[0]

type Parts = { mine: QuizDraft; found: MergeQuestion }

function mergeQuestion({ base, mine, theirs }: Sides<QuizQuestion>, { mine: draft, found }: Parts) {
  const { key } = mine
  const name = nameOf(draft.questions, key)
  const before = found.taken.length + found.conflicts.length
  const { options: _mine, ...fields } = mine
  const { options: _theirs, ...others } = theirs
  const merged = mergeFields(
    { base, mine: fields, theirs: others },
    (field) => ({
      place: { in: 'question', key, field: field as Exclude<typeof field, 'key'> },
      label: `${name}: ${fieldLabels[field as Exclude<typeof field, 'key'>]}`,
    }),
    found,
  )
  let isTold = found.taken.length + found.conflicts.length > before
  const tellOnce = () => {
    if (!isTold) found.taken.push({ label: `${name}: ${fieldLabels.options}`, change: 'changed' })
    isTold = true
  }
  const options = mergeLists(
    { base: base?.options ?? [], mine: mine.options, theirs: theirs.options },
    {
      idOf: ({ id }) => id,
      isSame,
      tell: tellOnce,
      merge: (sides) =>
        mergeFields(
          sides,
          (field) => ({
            place: { in: 'option', key, id: sides.mine.id, field: field as keyof Omit<QuizOption, 'id'> },
            label: `${name}: answer “${sides.mine.text}”`,
          }),
          found,
        ),
    },
  )
  return { ...merged, options: onlyRight({ ...merged, options }, base) }
}

/** Two changes that fit each by itself may have marked two answers where one can be right: the one that was not before counts. */
function onlyRight({ kind, options }: QuizQuestion, base: QuizQuestion | undefined): QuizOption[] {
  const right = options.filter(({ correct }) => correct)
  if (kind === 'multiple' || right.length < 2) return options
  const was = new Set(base?.options.filter(({ correct }) => correct).map(({ id }) => id))
  const chosen = right.find(({ id }) => !was.has(id)) ?? right[0]
  return options.map((one) => (one.correct && one !== chosen ? { ...one, correct: false } : one))
}

type Naming<T> = (field: keyof T) => { place: DraftPlace; label: string }

function mergeFields<T extends object>(sides: Sides<T>, naming: Naming<T>, found: MergeQuestion): T {
  const merged = { ...sides.mine }
  for (const field of Object.keys(sides.mine) as (keyof T)[]) {
    const [base, mine, theirs] = [sides.base?.[field], sides.mine[field], sides.theirs[field]]
    const winner = winnerOf({ base, mine, theirs }, (a, b) => isSame(trimmed(a), trimmed(b)))
    if (winner === 'mine') continue
    const { place, label } = naming(field)
    if (winner === 'theirs') {
      merged[field] = theirs
      found.taken.push({ label, change: `now ${wordAt(place, theirs)}` })
    } else {
      found.conflicts.push({ place, label, base, mine, theirs })
    }
  }
  return merged
}

const trimmed = (value: unknown): unknown => {
  if (typeof value === 'string') return value.trim() || null
  return Array.isArray(value) ? value.map(trimmed).filter((one) => one !== null) : value
}

type Happening = keyof typeof happenings
type ListMerge<T> = {
  idOf: (one: T) => string
  isSame: (a: T, b: T) => boolean
  merge: (sides: Sides<T>) => T
  tell: (kind: Happening, one: T) => void
}

function mergeLists<T>(lists: Record<'base' | 'mine' | 'theirs', readonly T[]>, ways: ListMerge<T>): T[] {
  const { idOf, isSame: same, merge, tell } = ways
  const indexed = (list: readonly T[]) => new Map(list.map((one) => [idOf(one), one]))
  const [base, mine, theirs] = [indexed(lists.base), indexed(lists.mine), indexed(lists.theirs)]
  const merged = (id: string): T[] => {
    const [was, my, their] = [base.get(id), mine.get(id), theirs.get(id)]
    if (my !== undefined && their !== undefined) return [merge({ base: was, mine: my, theirs: their })]
    if (my !== undefined) {
      if (was === undefined) return [my]
      const isMine = !same(my, was)
      tell(isMine ? 'spared' : 'removed', was)
      return isMine ? [my] : []
    }
    if (their === undefined) return []
    if (was === undefined) {
      tell('added', their)
      return [their]
    }
    if (same(their, was)) return []
    tell('kept', their)
    return [their]
  }
  return orderOf([lists.base, lists.mine, lists.theirs].map((list) => list.map(idOf))).flatMap(merged)
}

/** Mine where I moved something, else theirs; what only the other has follows what it followed there. */
function orderOf([base = [], mine = [], theirs = []]: string[][]): string[] {
  const common = (list: readonly string[], other: readonly string[]) =>
    list.filter((id) => other.includes(id))
  const isMoved = !isSame(common(mine, base), common(base, mine))
  const [first, second] = isMoved ? [mine, theirs] : [theirs, mine]
  const order = [...first]
  for (const [at, id] of second.entries()) {
    if (order.includes(id)) continue
    const before = second.slice(0, at).findLast((one) => order.includes(one))
    order.splice(before === undefined ? 0 : order.indexOf(before) + 1, 0, id)
  }
  return order
}

/** What a draft holds there; undefined where the question or the answer is gone. */
export function valueAt(draft: QuizDraft, place: DraftPlace): unknown {
  if (place.in === 'settings') return draft.settings[place.field]
  const question = draft.questions.find(({ key }) => key === place.key)
  if (place.in === 'question') return question?.[place.field]
  return question?.options.find(({ id }) => id === place.id)?.[place.field]
}

export function withValueAt(draft: QuizDraft, place: DraftPlace, value: unknown): QuizDraft {
  if (place.in === 'settings') return { ...draft, settings: { ...draft.settings, [place.field]: value } }
  const change = (question: QuizQuestion): QuizQuestion =>
    place.in === 'question'
      ? { ...question, [place.field]: value }
      : {
          ...question,
          options: question.options.map((one) =>
            one.id === place.id ? { ...one, [place.field]: value } : one,
          ),
        }
  return withQuestions(
    draft,
    draft.questions.map((one) => (one.key === place.key ? change(one) : one)),
  )
}

/** A value as people read it. */
export function wordAt(place: DraftPlace, value: unknown): string {
  if (place.in === 'settings')
    return settingValue({ [place.field]: value } as unknown as QuizSettings, place.field)
  if (value === null && place.field === 'atMs') return 'at the end'
  if (value === null || value === undefined || value === '') return 'empty'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (place.field === 'atMs' || place.field === 'backToMs') return formatPosition(Number(value))
  if (place.field === 'kind') return kindLabels[value as QuizQuestion['kind']].toLowerCase()
  if (place.field === 'number') {
    const { value: right, tolerance } = value as NonNullable<QuizQuestion['number']>
    return tolerance === 0 ? String(right) : `${right} ± ${tolerance}`
  }
  if (place.field === 'teaches') {
    const [from, to] = value as [number, number]
    return `${formatPosition(from)} to ${formatPosition(to)}`
  }
  if (Array.isArray(value)) return value.map((one) => `“${String(one)}”`).join(', ') || 'empty'
  return typeof value === 'string' ? `“${value}”` : JSON.stringify(value)
}
