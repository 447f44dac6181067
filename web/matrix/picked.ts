/** These people and videos were picked, each person with each video. `from` is where a range goes on. */
export type Picked = {
  people: ReadonlySet<string>
  videos: ReadonlySet<string>
  from: { person: number; video: number }
}

export const nothingPicked: Picked = { people: new Set(), videos: new Set(), from: { person: -1, video: -1 } }

/** The server takes at most this number of people at once. */
export const mostPeople = 1_000

export function isNothing({ people, videos }: Picked): boolean {
  return people.size === 0 && videos.size === 0
}

/** Returns the numbers from the last pressed one along; without one, or without shift, only the one that was pressed. */
export function rangeOf(from: number, to: number, isRange: boolean): { from: number; until: number } {
  return isRange && from >= 0
    ? { from: Math.min(from, to), until: Math.max(from, to) + 1 }
    : { from: to, until: to + 1 }
}

export function withPicked(
  picked: ReadonlySet<string>,
  ids: readonly string[],
  isOn: boolean,
): ReadonlySet<string> {
  const next = new Set(picked)
  for (const id of ids) {
    if (isOn) next.add(id)
    else next.delete(id)
  }
  return next
}
