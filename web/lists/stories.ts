type Entry = { entity: string; entityId: string | null; at: string }

/** What becomes of a transmission within a minute is one event: created, started, being sent, finished. */
export const storyOf = ({ entity, entityId, at }: Entry): string | null =>
  entity === 'transmission' && entityId ? `${entityId} ${Math.floor(Date.parse(at) / 60_000)}` : null

/** Entries that stand together and tell of one event, as one; each other one alone. */
export function storiesOf<Row extends Entry>(rows: readonly Row[]): Row[][] {
  const stories: Row[][] = []
  for (const row of rows) {
    const before = stories.at(-1)
    const story = storyOf(row)
    if (before?.[0] && story !== null && storyOf(before[0]) === story) before.push(row)
    else stories.push([row])
  }
  return stories
}
