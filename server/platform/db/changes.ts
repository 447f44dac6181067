import type pg from 'pg'

/**
 * Counts the changes of what callers are made of, so that what was read before one is not taken for true after it; undefined while
 * this process does not hear of them.
 */
export type CallerChanges = {
  count(): number | undefined
  /** Something has changed. */
  note(): void
  /** Whether changes of other processes are heard from here on. */
  hear(isHearing: boolean): void
}

export function callerChanges(): CallerChanges {
  const life = { count: 0, isHearing: false }
  return {
    count: () => (life.isHearing ? life.count : undefined),
    note() {
      life.count += 1
    },
    hear(isHearing) {
      life.count += 1
      life.isHearing = isHearing
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
