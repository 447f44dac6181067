import { useState } from 'react'

/** Which groups of the column are open: one at the top level at most, those inside each for itself. */
export type OpenGroups = { top: string | null; inner: readonly string[] }

/** Keys from a top-level group down to an item. */
export type Path = readonly string[]

export function isGroupOpen({ top, inner }: OpenGroups, path: Path): boolean {
  const key = path.at(-1) ?? ''
  return path.length === 1 ? top === key : inner.includes(key)
}

export function toggledGroup(open: OpenGroups, path: Path): OpenGroups {
  const key = path.at(-1) ?? ''
  if (path.length === 1) return { ...open, top: open.top === key ? null : key }
  const others = open.inner.filter((other) => other !== key)
  return { ...open, inner: others.length < open.inner.length ? others : [...others, key] }
}

/** With the groups that hold the active link. A link that lies in none leaves everything as it is. */
export function withTrail(open: OpenGroups, trail: Path): OpenGroups {
  const [top, ...inner] = trail.slice(0, -1)
  if (top === undefined) return open
  return { top, inner: [...new Set([...open.inner, ...inner])] }
}

/** The groups of the column, with those of the active link open from the start and after each navigation. */
export function useAccordion(trail: Path) {
  const [open, setOpen] = useState<OpenGroups>(() => withTrail({ top: null, inner: [] }, trail))
  const [shown, setShown] = useState(trail)
  if (shown.join(' ') !== trail.join(' ')) {
    setShown(trail)
    setOpen(withTrail(open, trail))
  }
  return {
    isOpen: (path: Path) => isGroupOpen(open, path),
    toggle: (path: Path) => setOpen(toggledGroup(open, path)),
  }
}
