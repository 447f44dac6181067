import type pg from 'pg'

/** A listener is told of what is said on a channel of PostgreSQL, and of whether this process hears it. */
export type Listener = {
  /** Hears that something has changed; `payload` says what, where the channel does. */
  note(payload: string): void
  /** Hears that the connection was alive a moment ago, so that nothing is missed before `ms`, in milliseconds of `performance.now()`. */
  hearUntil(ms: number): void
  /** Hears that the connection is gone, so that changes are missed until another one hears. */
  lose(): void
}

/**
 * This counts the changes of what callers and personal links are made of, so that what was read before a change is not taken for true after
 * it. The count is undefined while this process is not known to hear of them.
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

/** This is the channel of PostgreSQL, and also the text of the notice to whoever has changed something (`tell_of_callers`). */
export const callersChannel = 'callers'

/** Notes the changes that are made on a connection of this process. */
export function noteChangesOf(client: pg.PoolClient, changes: CallerChanges): void {
  client.on('notice', ({ message }) => {
    if (message !== callersChannel) return
    changed.add(client)
    changes.note()
  })
}

const changed = new WeakSet<pg.PoolClient>()

/** Notes the changes of a transaction once more after its commit, because others could still read before it what was true before. */
export function noteCommit(client: pg.PoolClient, changes: CallerChanges): void {
  if (changed.delete(client)) changes.note()
}
