import type pg from 'pg'

/** Is told of what is said on a channel of PostgreSQL, and of whether this process hears it. */
export type Listener = {
  /** Something has changed; `payload`: what, where the channel says so. */
  note(payload: string): void
  /** The connection that hears was alive a moment ago: nothing is missed before this, in milliseconds of `performance.now()`. */
  hearUntil(ms: number): void
  /** It is gone: what changes before another one hears is missed. */
  lose(): void
}

/**
 * Counts the changes of what callers and personal links are made of, so that what was read before one is not taken for true after it;
 * undefined while this process is not known to hear of them.
 */
export type CallerChanges = Listener & { count(): number | undefined; note(): void }

export function callerChanges(): CallerChanges {
  const life = { count: 0, heardUntil: -Infinity }
  return {
    count: () => (performance.now() < life.heardUntil ? life.count : undefined),
    note() {
      life.count += 1
    },
    hearUntil(ms) {
      life.heardUntil = ms
    },
    lose() {
      life.count += 1
      life.heardUntil = -Infinity
    },
  }
}

/** The channel of PostgreSQL, and the words of the notice to whoever has changed something (`tell_of_callers`). */
export const callersChannel = 'callers'

/** Notes the changes that are made on a connection of this process; `isOver` at the end of a transaction that may have made some. */
export function noteChangesOf(client: pg.PoolClient, changes: CallerChanges): void {
  client.on('notice', ({ message }) => {
    if (message !== callersChannel) return
    changed.add(client)
    changes.note()
  })
}

const changed = new WeakSet<pg.PoolClient>()

/** Before the commit, others could still read what was true before it. */
export function noteCommit(client: pg.PoolClient, changes: CallerChanges): void {
  if (changed.delete(client)) changes.note()
}
