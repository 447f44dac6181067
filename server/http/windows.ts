type Counted = {
  /** Counted in the window that runs, and in the one before it. */
  n: number
  before: number
  /** How many may fall into any stretch as long as a window. */
  most: number
  /** Length of a window, and how much of the running one has passed; any unit. */
  length: number
  gone: number
}

/**
 * How long until one more fits, in the unit given; 0 or less when it does. Two counters stand for a sliding window: what the one
 * before weighs falls evenly to nothing while the running one passes.
 */
export function untilRoom({ n, before, most, length, gone }: Counted): number {
  const room = most - 1
  /** How far a window must lie behind before no more than `weigh` of its `count` weigh. */
  const until = (count: number, weigh: number) => (count > weigh ? length * (1 - weigh / count) : 0)
  return (n > room ? length + until(n, room) : until(before, room - n)) - gone
}
