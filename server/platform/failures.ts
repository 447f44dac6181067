import pg from 'pg'
import { storable } from '#contract/platform/text/text.ts'
import { outageOf } from './db/outage.ts'
import { withoutQuoted } from './errors.ts'
import { isAway } from './storage/store.ts'

/** Each in its turn, whatever becomes of the others; what failed is thrown at the end. Without a database there are no further turns. */
export async function toTheEnd(turns: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const turn of turns) {
    try {
      await turn()
    } catch (error) {
      // A store of files that is away stops nothing but what needs it.
      if (outageOf(error) && !isAway(error)) throw error
      failures.push(...failuresIn(error))
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, causeOf(failures[0]))
}

/** All that failed, where it was several things. */
export const failuresIn = (error: unknown): unknown[] =>
  error instanceof AggregateError ? error.errors : [error]

/** Of a statement that failed the database's own words, in one line and without the values that it was given. */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const words = cause instanceof Error ? cause.message || cause.name : String(cause)
  const text = cause instanceof pg.DatabaseError ? withoutQuoted(words) : words
  return storable(text.split('\n', 1)[0] ?? '')
}
