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
