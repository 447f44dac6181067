import type { Project } from '#contract/videos/videos.ts'

export type Placed = { project: Project; isInner: boolean }

/** Projects in the order of a tree of two levels: each one followed by those inside it. */
export function asTree(projects: readonly Project[]): Placed[] {
  const known = new Set(projects.map(({ id }) => id))
  const tops = projects.filter(({ parentId }) => parentId === null || !known.has(parentId))
  return tops.flatMap((top) =>
    [top, ...projects.filter(({ parentId }) => parentId === top.id)].map((project) => ({
      project,
      isInner: project !== top,
    })),
  )
}

/** For a native select; inner projects are set in by an em space. */
export function projectChoices(projects: readonly Project[]): { value: string; label: string }[] {
  return asTree(projects).map(({ project, isInner }) => ({
    value: project.id,
    label: `${isInner ? '\u2003' : ''}${project.name}`,
  }))
}
