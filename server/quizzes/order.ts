import type { AskedQuestion } from '#contract/quizzes/quizzes.ts'
import type { Item, AttemptRun } from './run.ts'

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
function dice(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The same order for the same seed, every time. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const roll = dice(seed)
  const mixed = [...list]
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(roll() * (at + 1))
    const [a, b] = [mixed[at], mixed[other]]
    if (a === undefined || b === undefined) continue
    mixed[at] = b
    mixed[other] = a
  }
  return mixed
}

/** The questions as this attempt asks them: those in the video by their time, then those at the end. Nothing of a key. */
export function askedIn({ items, seed, settings }: AttemptRun): AskedQuestion[] {
  const inside = items.filter(({ question }) => question.atMs !== null)
  const timed = inside.toSorted(
    (a, b) => (a.question.atMs ?? 0) - (b.question.atMs ?? 0) || a.position - b.position,
  )
  const final = items.filter(({ question }) => question.atMs === null)
  const last = settings.shuffle ? shuffled(final, seed) : final.toSorted((a, b) => a.position - b.position)
  return [...timed, ...last].map((item) => asked(item, seed))
}

function asked({ id, position, question }: Item, seed: number): AskedQuestion {
  const { kind, prompt, points, atMs, gate, shuffle, options } = question
  const mixes = shuffle && kind !== 'true_false'
  const shown = mixes ? shuffled(options, seed + position + 1) : options
  return {
    id,
    kind,
    prompt,
    points,
    atMs,
    gate,
    options: shown.map((option) => ({ id: option.id, text: option.text })),
  }
}
