import { typedText } from '#contract/videos/cue-text.ts'
import { EditedCue, type CueList } from '#contract/videos/cues.ts'
import * as z from 'zod/mini'
import { winnerOf } from '#web/api/forms/merge.ts'
import type {
  Drafted,
  DraftKind,
  MergedDraft,
  SelfSaving,
  SelfSavingState,
  StoredDraft,
  Three,
} from '#web/api/forms/selfSaving/selfSaving.ts'
import { inOrder, timeText, type Cues } from './cues.ts'

/** Captions as they are typed: “&” and “<” as they are. */
export type CueDraft = { cues: Cues }

/** `received`: the answer that the next save builds on. */
export type KeptCues = Drafted<CueDraft> & { received: object }

/** A part of a caption that two people may have changed. Both times are one part, so that no end comes before its beginning. */
export type CuePlace = { key: string; part: (typeof parts)[number] }

const parts = ['text', 'times', 'settings', 'id'] as const

export const keptCues = (list: CueList): KeptCues => ({
  draft: { cues: list.cues.map((cue) => ({ ...cue, text: typedText(cue.text) })) },
  updatedAt: list.updatedAt,
  updatedBy: list.updatedBy,
  received: list,
})

const partOf = (cue: EditedCue, part: CuePlace['part']): unknown =>
  part === 'times' ? [cue.startMs, cue.endMs] : cue[part]

function withPart(cue: EditedCue, part: CuePlace['part'], value: unknown): EditedCue {
  if (part !== 'times') return { ...cue, [part]: value }
  const [startMs, endMs] = value as [number, number]
  return { ...cue, startMs, endMs }
}

const isSamePart = (a: unknown, b: unknown) => plain(a) === plain(b)
const plain = (value: unknown) => (typeof value === 'string' ? value.trim() : JSON.stringify(value))

/** Asked of thousands with each letter. */
const isSameCue = (a: EditedCue, b: EditedCue) =>
  a === b ||
  (a.key === b.key &&
    a.startMs === b.startMs &&
    a.endMs === b.endMs &&
    a.settings === b.settings &&
    a.id === b.id &&
    (a.text === b.text || a.text.trim() === b.text.trim()))

const isWritten = ({ text }: EditedCue) => text.trim() !== ''

/** What has no text yet is shown to nobody, and saved when it has some. */
const normalised = ({ cues }: CueDraft): CueDraft =>
  cues.every(isWritten) ? { cues } : { cues: cues.filter(isWritten) }

function isSame(a: CueDraft, b: CueDraft): boolean {
  if (a === b) return true
  const [one, other] = [normalised(a).cues, normalised(b).cues]
  return (
    one.length === other.length &&
    one.every((cue, at) => {
      const twin = other[at]
      return twin !== undefined && isSameCue(cue, twin)
    })
  )
}

const byKey = (cues: Cues) => new Map(cues.map((cue) => [cue.key, cue]))
const nameOf = ({ startMs }: EditedCue) => `Caption at ${timeText(startMs)}`

/** Caption by caption; what either has added stays, and what one has removed goes unless the other has changed it. */
function merge({ base, mine, theirs }: Three<CueDraft>): MergedDraft<CueDraft, CuePlace> {
  const found: Pick<MergedDraft<CueDraft, CuePlace>, 'taken' | 'conflicts'> = { taken: [], conflicts: [] }
  const [were, are, others] = [byKey(base.cues), byKey(mine.cues), byKey(theirs.cues)]
  const tell = (cue: EditedCue, change: string) => void found.taken.push({ label: nameOf(cue), change })
  const merged: EditedCue[] = []
  for (const key of new Set([...are.keys(), ...others.keys()])) {
    const [was, my, their] = [were.get(key), are.get(key), others.get(key)]
    if (my && their) merged.push(mergeCue({ was, my, their }, found))
    else if (my) {
      const isMine = !was || !isSameCue(my, was)
      if (was && isWritten(was))
        tell(was, isMine ? 'removed by them; it stays because you changed it' : 'removed')
      if (isMine) merged.push(my)
    } else if (their && !(was && isSameCue(their, was))) {
      tell(their, was ? 'changed, so it was not removed' : 'added')
      merged.push(their)
    }
  }
  return { draft: { cues: inOrder(merged) }, ...found }
}

type CueSides = { was: EditedCue | undefined; my: EditedCue; their: EditedCue }

function mergeCue(
  { was, my, their }: CueSides,
  found: Pick<MergedDraft<CueDraft, CuePlace>, 'taken' | 'conflicts'>,
): EditedCue {
  if (my === their) return my
  let merged = my
  for (const part of parts) {
    const [base, mine, theirs] = [was && partOf(was, part), partOf(my, part), partOf(their, part)]
    const winner = winnerOf({ base, mine, theirs }, isSamePart)
    if (winner === 'mine') continue
    const place = { key: my.key, part }
    const label = `${nameOf(my)}: ${partLabels[part]}`
    if (winner === 'theirs') {
      merged = withPart(merged, part, theirs)
      found.taken.push({ label, change: `now ${wordAt(place, theirs)}` })
    } else found.conflicts.push({ place, label, base, mine, theirs })
  }
  return merged
}

const partLabels: Record<CuePlace['part'], string> = {
  text: 'words',
  times: 'times',
  settings: 'place in the picture',
  id: 'name',
}

/** A part as people read it. */
export function wordAt(_place: CuePlace, value: unknown): string {
  if (value === undefined || value === '') return 'empty'
  if (typeof value === 'string') return `“${value}”`
  const [startMs, endMs] = value as [number, number]
  return `${timeText(startMs)} to ${timeText(endMs)}`
}

export const cueDrafts: DraftKind<CueDraft, CuePlace> = {
  isSame,
  normalised,
  merge,
  valueAt({ cues }, { key, part }) {
    const cue = cues.find((one) => one.key === key)
    return cue && partOf(cue, part)
  },
  withValueAt({ cues }, { key, part }, value) {
    return { cues: inOrder(cues.map((one) => (one.key === key ? withPart(one, part, value) : one))) }
  },
}

export type CueEditor = SelfSaving<KeptCues, CueDraft, CuePlace>
export type CueEditorState = SelfSavingState<KeptCues, CueDraft, CuePlace>

/** In storage only what is not saved: thousands of captions would have no room there. */
const StoredCues = z.object({
  version: z.nullable(z.string()),
  /** What was changed or removed, as it was; and what was changed or added, as it is. */
  were: z.array(EditedCue),
  are: z.array(EditedCue),
})

export function toStorage({ base, version, draft }: StoredDraft<CueDraft>): z.infer<typeof StoredCues> {
  const [before, after] = [byKey(base.cues), byKey(draft.cues)]
  const isOther = (cue: EditedCue, among: ReadonlyMap<string, EditedCue>) => {
    const twin = among.get(cue.key)
    return twin === undefined || !isSameCue(cue, twin)
  }
  return {
    version,
    were: base.cues.filter((cue) => isOther(cue, after)),
    are: draft.cues.filter((cue) => isOther(cue, before)),
  }
}

/** What an earlier page has left in storage, which may hold anything. */
export function fromStorage(content: unknown, loaded: CueDraft): StoredDraft<CueDraft> | null {
  const { data } = StoredCues.safeParse(content)
  if (!data) return null
  const { version, were, are } = data
  const touched = new Set([...were, ...are].map(({ key }) => key))
  const rest = loaded.cues.filter(({ key }) => !touched.has(key))
  return {
    version,
    base: { cues: inOrder([...rest, ...were]) },
    draft: { cues: inOrder([...rest, ...are]) },
  }
}
