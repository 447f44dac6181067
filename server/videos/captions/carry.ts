import { mappedBy, type Replacement } from '../../duty/replaced.ts'
import type { Tx } from '../../platform/db/client.ts'
import type { Cue } from './cues.ts'
import { captionsOf, carryCaption } from './queries.ts'

/** A few frames: where an author says that something has changed is not more exact than that. */
const nearMs = 100

/**
 * Which cues hold in the version that takes the place of another, and where they are now. What lies in a stretch that has changed belongs
 * to the former version, because it may no longer be what is said there.
 */
export function carriedCues(
  cues: readonly Cue[],
  { change, before, after }: Replacement,
): { kept: Cue[]; rest: Cue[] } {
  const { unchanged } = mappedBy(change, before.durationMs, after.durationMs)
  const stretches = unchanged.flatMap(({ parts, shift }) => parts.map(([from, to]) => ({ from, to, shift })))
  const kept: Cue[] = []
  const rest: Cue[] = []
  for (const cue of cues) {
    // Some are shown until after the end.
    const endMs = Math.min(cue.endMs, before.durationMs)
    const found = stretches.find(
      ({ from, to }) => from - nearMs <= cue.startMs && cue.startMs < to && endMs <= to + nearMs,
    )
    if (found) {
      const startMs = Math.max(0, cue.startMs + found.shift)
      kept.push({ ...cue, startMs, endMs: Math.max(startMs + 1, cue.endMs + found.shift) })
    } else rest.push(cue)
  }
  return { kept, rest }
}

/** Gives the new version the captions of the former one, as far as they hold. */
export async function carryCaptions(tx: Tx, replacement: Replacement): Promise<void> {
  for (const { id, head, cues, former } of await captionsOf(tx, replacement.before.id)) {
    const { kept, rest } = carriedCues(cues, replacement)
    await carryCaption(tx, {
      id,
      versionId: replacement.after.id,
      head,
      cues: kept,
      former: [...former, ...rest],
      isProofRead: replacement.change.matters === 'nothing' && former.length + rest.length === 0,
    })
  }
}
