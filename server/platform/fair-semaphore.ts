import { refuse } from './errors.ts'

type Waiting = { enter: () => void; key: string }
type FairSemaphore = {
  /** Gives the function that makes the place free again. Refuses whoever does not wait any longer. */
  take(key?: string, signal?: AbortSignal): Promise<() => void>
}

type Options = {
  places: number
  each?: number
  /** So many wishes of one key; one more is refused. */
  waitingAtMost?: number
  tooMany?: () => Error
}

/**
 * A few places for many wishes. Whose turn it is goes round by key, and nobody has more than `each` places at once: however much one
 * asks for, another waits for the next place at most.
 */
export function fairSemaphore(options: Options): FairSemaphore {
  const { places, each = places, waitingAtMost = Infinity, tooMany = () => refuse('unavailable') } = options
  let waiting: Waiting[] = []
  const held = new Map<string, number>()
  let free = places

  /** The oldest wish of the one who holds the fewest places. */
  function serve(): void {
    const count = ({ key }: Waiting) => held.get(key) ?? 0
    const next = waiting
      .filter((wish) => count(wish) < each)
      .reduce<Waiting | undefined>(
        (best, wish) => (best && count(best) <= count(wish) ? best : wish),
        undefined,
      )
    if (!next || free === 0) return
    waiting = waiting.filter((wish) => wish !== next)
    free -= 1
    held.set(next.key, count(next) + 1)
    next.enter()
  }

  function leave(key: string): void {
    free += 1
    const left = (held.get(key) ?? 1) - 1
    if (left > 0) held.set(key, left)
    else held.delete(key)
    serve()
  }

  return {
    take: (key = '', signal) =>
      new Promise((resolve, reject) => {
        const wish = { key, enter: () => resolve(() => leave(key)) }
        const giveUp = (error: Error) => {
          if (!waiting.includes(wish)) return
          waiting = waiting.filter((other) => other !== wish)
          reject(error)
        }
        waiting.push(wish)
        signal?.addEventListener('abort', () => giveUp(refuse('timeout')), { once: true })
        if (signal?.aborted === true) giveUp(refuse('timeout'))
        serve()
        if (waiting.filter((other) => other.key === key).length > waitingAtMost) giveUp(tooMany())
      }),
  }
}
