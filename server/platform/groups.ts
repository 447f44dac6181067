import { setImmediate } from 'node:timers/promises'

/** One of those who wait for their group. */
export type Asked<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

type Groups<Item, Result> = {
  ask(item: Item): Promise<Result>
  /** Returns how many wait for their group. */
  waiting(): number
  /** Resolves when everybody who has asked was answered. */
  drain(): Promise<void>
}

/**
 * Answers many who ask at once together: while one group of at most `most` is at work, the next one forms. There is no timer, so whoever
 * asks alone waits for nobody. `work` answers each of its group; whom it leaves out when it fails gets its error.
 */
export function inGroups<Item, Result>(
  most: number,
  work: (group: readonly Asked<Item, Result>[]) => Promise<void>,
): Groups<Item, Result> {
  let queue: Asked<Item, Result>[] = []
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (queue.length > 0) {
      // Whoever has come in the same turn of the event loop comes along.
      await setImmediate()
      const group = queue.slice(0, most)
      queue = queue.slice(most)
      try {
        await work(group)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    running = undefined
  }

  return {
    ask(item) {
      return new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject })
        running ??= run()
      })
    },
    waiting: () => queue.length,
    drain: async () => running,
  }
}
