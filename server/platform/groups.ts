import { setImmediate } from 'node:timers/promises'
import pg from 'pg'

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
 * asks alone waits for nobody. `work` answers each of its group; when it fails, each is asked for alone where the database could not take
 * a value, which must not take its neighbours along, and else all get its error.
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
      await answer(group)
    }
    running = undefined
  }

  async function answer(group: readonly Asked<Item, Result>[]): Promise<void> {
    try {
      await work(group)
    } catch (error) {
      if (group.length > 1 && isOfValue(error)) for (const one of group) await answer([one])
      else for (const { reject } of group) reject(error)
    }
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

/** Whether the database could not take a value, such as half an emoji. */
export function isOfValue(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof pg.DatabaseError && cause.code?.startsWith('22') === true
}
