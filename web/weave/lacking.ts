import type { Lacking, Tenths, Thread, ThreadState, Weave } from '#contract/audience/weave.ts'

/** Whole seconds, up to the beginning of `to`. */
export type Part = { from: number; to: number }

/** No more lines than somebody may read. */
export const mostLines = 120

type Cloth = Pick<Weave, 'seconds' | 'threads' | 'tenths'>

/** How many seconds a step of the picture has. */
export const stepOf = ({ tenths }: Pick<Weave, 'tenths'>): number => tenths?.stepSeconds ?? 1

/** The one second that a step tells of. */
export function secondOf(step: number, stepSeconds: number): Part {
  const from = step * stepSeconds + Math.floor(stepSeconds / 2)
  return { from, to: from + 1 }
}

/** The part between two steps, in whichever order, with both of them. */
export function between(one: number, other: number, { seconds, tenths }: Cloth): Part {
  const length = stepOf({ tenths })
  return {
    from: Math.min(one, other) * length,
    to: Math.min(seconds, (Math.max(one, other) + 1) * length),
  }
}

function hasSeen({ seen }: Thread, { from, to }: Part): boolean {
  for (let at = 0; at < seen.length; at += 2)
    if ((seen[at] ?? 0) <= from && to <= (seen[at + 1] ?? 0)) return true
  return false
}

/** Those who lack something of a part, whether it counts or not. */
export const lackingOf = (threads: readonly Thread[], part: Part): Thread[] =>
  threads.filter((thread) => !hasSeen(thread, part))

/** That they lack something counts. */
export const doesCount = ({ state }: Thread): boolean => state === 'owes' || state === 'open'

/** How many lack something of a part: those with whom it counts, and apart from them who is done without it, or need not see it. */
export type Counts = Lacking & { done: number; excused: number }

export function countsOf(lacking: readonly Thread[]): Counts {
  const n = (wanted: ThreadState) => lacking.filter(({ state }) => state === wanted).length
  return {
    lacking: lacking.filter(doesCount).length,
    owing: n('owes'),
    done: n('done'),
    excused: n('excused'),
  }
}

/** Of tenths, who is not counted is not known. */
export const countsAt = ({ steps }: Tenths, step: number): Counts => ({
  ...(steps[step] ?? { lacking: 0, owing: 0 }),
  done: 0,
  excused: 0,
})

/** How many lack something of each second of a video, or of as many parts; of tenths, of the second that each step tells of. */
export function countsOfParts({ seconds, threads, tenths }: Cloth): (Lacking & { part: Part })[] {
  if (tenths)
    return tenths.steps.map((counts, step) => ({ part: secondOf(step, tenths.stepSeconds), ...counts }))
  const length = Math.ceil(seconds / mostLines)
  const parts = Array.from({ length: Math.ceil(seconds / length) }, (_, at) => ({
    from: at * length,
    to: Math.min(seconds, (at + 1) * length),
  }))
  const lack = (some: readonly Thread[]) => {
    const changes = parts.map(() => 0)
    for (const { seen } of some)
      for (let at = 0; at < seen.length; at += 2) {
        const to = seen[at + 1] ?? 0
        const first = Math.ceil((seen[at] ?? 0) / length)
        const end = to >= seconds ? parts.length : Math.floor(to / length)
        if (first >= end) continue
        changes[first] = (changes[first] ?? 0) + 1
        if (end < parts.length) changes[end] = (changes[end] ?? 0) - 1
      }
    let remaining = some.length
    return changes.map((change) => (remaining -= change))
  }
  const lacking = lack(threads.filter(doesCount))
  const owing = lack(threads.filter(({ state }) => state === 'owes'))
  return parts.map((part, at) => ({ part, lacking: lacking[at] ?? 0, owing: owing[at] ?? 0 }))
}
