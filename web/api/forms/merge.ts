/** Field paths such as `policies.mfa` with what is in them; a list is one field. */
type Leaves = Map<string, unknown>
export type Values = Record<string, unknown>

/** A field that only the other person has changed: what the form held before, and what it holds now. */
export type TheirChange = { field: string; before: unknown; after: unknown }
/** A field that both have changed, to different things. */
export type Conflict = { field: string; base: unknown; mine: unknown; theirs: unknown }
export type Merged<V> = { values: V; taken: TheirChange[]; conflicts: Conflict[] }

export type Side = 'mine' | 'theirs'
export type Sides<T> = { base: T | undefined; mine: T; theirs: T }

/** Whose value a field gets: theirs where only they have changed it. Null where both did, to different things. */
export function winnerOf({ base, mine, theirs }: Sides<unknown>, same: typeof isSame): Side | null {
  if (same(theirs, base) || same(theirs, mine)) return 'mine'
  return same(mine, base) ? 'theirs' : null
}

/**
 * What becomes of a form when somebody else has saved meanwhile. `base` is what both began with. A field that one of the two
 * has changed is as that one left it; lists are sets, and what either has added or taken out counts. Where both changed a
 * field differently, `values` hold mine until somebody chooses.
 */
export function merge<V extends Values>({ base, mine, theirs }: { base: V; mine: V; theirs: V }): Merged<V> {
  const [were, wanted, present] = [leavesOf(base), leavesOf(mine), leavesOf(theirs)]
  const merged: Leaves = new Map()
  const taken: TheirChange[] = []
  const conflicts: Conflict[] = []
  for (const field of new Set([...wanted.keys(), ...present.keys()])) {
    const [was, my, their] = [were.get(field), wanted.get(field), present.get(field)]
    if (Array.isArray(was) && Array.isArray(my) && Array.isArray(their)) {
      const both = mergeSets(was, my, their)
      if (!isSameSet(both, my)) taken.push({ field, before: my, after: both })
      merged.set(field, both)
      continue
    }
    const winner = winnerOf({ base: was, mine: my, theirs: their }, isSame)
    if (winner === 'theirs') taken.push({ field, before: was, after: their })
    if (winner === null) conflicts.push({ field, base: was, mine: my, theirs: their })
    merged.set(field, winner === 'theirs' ? their : my)
  }
  return { values: fromLeaves(merged) as V, taken, conflicts }
}

/** Theirs, with what I have added at the end and what I have taken out gone. */
function mergeSets(base: unknown[], mine: unknown[], theirs: unknown[]): unknown[] {
  const added = mine.filter((one) => !base.includes(one) && !theirs.includes(one))
  const dropped = new Set(base.filter((one) => !mine.includes(one)))
  return [...theirs.filter((one) => !dropped.has(one)), ...added]
}

function isSameSet(a: unknown[], b: unknown[]): boolean {
  return a.every((one) => b.includes(one)) && b.every((one) => a.includes(one))
}

/** Equal as values of a form: nothing typed and nothing there are one. */
export function isSame(a: unknown, b: unknown): boolean {
  const plain = (value: unknown) =>
    value === '' || value === null || value === undefined || Number.isNaN(value) ? null : value
  return JSON.stringify(plain(a)) === JSON.stringify(plain(b))
}

/** The same for everything in a form, whatever the order. */
export function isSameForm(a: Values, b: Values): boolean {
  const [left, right] = [leavesOf(a), leavesOf(b)]
  return [...new Set([...left.keys(), ...right.keys()])].every((field) =>
    isSame(left.get(field), right.get(field)),
  )
}

/**
 * What was kept of a form, in the shape that the form has now: the form may have other fields since, and storage may hold
 * anything.
 */
export function adopt<V extends Values>(shape: V, stored: unknown): V {
  const found = isValues(stored) ? leavesOf(stored) : new Map<string, unknown>()
  const leaves = leavesOf(shape)
  for (const [field, value] of leaves) {
    const other = found.get(field)
    if (found.has(field) && fits(value, other)) leaves.set(field, other)
    // JSON knows no NaN, which stands for a number that was deleted.
    else if (typeof value === 'number' && other === null) leaves.set(field, Number.NaN)
  }
  return fromLeaves(leaves) as V
}

function fits(value: unknown, other: unknown): boolean {
  if (Array.isArray(value)) return Array.isArray(other) && other.every((one) => typeof one === 'string')
  if (typeof value === 'number') return typeof other === 'number' || other === ''
  if (typeof value === 'boolean') return typeof other === 'boolean'
  return typeof other === 'string' || other === null
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function leavesOf(values: Values, prefix = ''): Leaves {
  const leaves: Leaves = new Map()
  for (const [name, value] of Object.entries(values)) {
    if (!isValues(value)) leaves.set(prefix + name, value)
    else for (const [path, leaf] of leavesOf(value, `${prefix}${name}.`)) leaves.set(path, leaf)
  }
  return leaves
}

function fromLeaves(leaves: Leaves): Values {
  const values: Values = {}
  for (const [path, leaf] of leaves) {
    const names = path.split('.')
    const last = names.pop() ?? path
    let place = values
    for (const name of names) place = (place[name] ??= {}) as Values
    place[last] = leaf
  }
  return values
}

/** What a form holds in a field. */
export function valueAt(values: Values, field: string): unknown {
  return leavesOf(values).get(field)
}

export function withValue<V extends Values>(values: V, field: string, value: unknown): V {
  return fromLeaves(leavesOf(values).set(field, value)) as V
}
