import { sessionFlags, spanFlags, trackLimits } from '#contract/tracking/track-limits.ts'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { Id } from '../../platform/db/rows.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import type { SpanFacts } from '../credit.ts'
import type { StoredSession } from '../stored-session.ts'

/**
 * The spans of a report that bears the sign of a program stand behind all others of the session, so that they change none of them. Such a
 * report casts doubt on what it brings, and on nothing else: it may come at any time, before or after those of a person.
 */
const behind = trackLimits.spansPerSession

/** Returns a span as such a report brings it. */
export const inDoubt = (span: SpanFacts): SpanFacts => ({
  ...span,
  i: span.i + behind,
  flags: span.flags | spanFlags.program,
})

/** Returns the place of a span in the log of its player. */
export const placeOf = ({ i }: Pick<SpanFacts, 'i'>): number => i % behind

/** Returns whether some report of the session bears the sign of a program. In earlier days one such report made all of it a program's. */
export const isDoubtful = (flags: number): boolean => (flags & (spanFlags.program | sessionFlags.bot)) !== 0

/** This condition on a session holds when it is doubtful and nobody has decided that a person watched. */
export function isInDoubt(session: string): SQL {
  const flags = sql.raw(`${session}.flags & ${spanFlags.program | sessionFlags.bot} <> 0`)
  return sql`${flags} and not exists (select from viewing_decisions v where v.session_id = ${sql.raw(session)}.id)`
}

type Doubtful = Pick<StoredSession, 'flags' | 'isPersons' | 'isVouched'>

/** Returns whether every report of it bore the sign of a program, and nobody has decided that a person watched. */
export const isProgram = ({ flags, isPersons, isVouched }: Doubtful): boolean =>
  isDoubtful(flags) && !isPersons && !isVouched

/** Returns the bits that follow from whose reports they were. */
export function senderFlags(session: Doubtful): number {
  if (isProgram(session)) return sessionFlags.bot
  return isDoubtful(session.flags) && session.isPersons ? sessionFlags.mixed : 0
}

/** Makes one span of two reports of it. */
export function together(a: SpanFacts, b: SpanFacts): SpanFacts {
  return {
    i: a.i,
    startMs: Math.min(a.startMs, b.startMs),
    endMs: Math.max(a.endMs, b.endMs),
    wallMs: Math.max(a.wallMs, b.wallMs),
    rate: Math.max(a.rate, b.rate),
    flags: a.flags | b.flags,
    beganMs: Math.min(a.beganMs, b.beganMs),
    seenMs: a.wallMs === b.wallMs ? Math.min(a.seenMs, b.seenMs) : (a.wallMs > b.wallMs ? a : b).seenMs,
  }
}

/** Returns the session as it is judged. Where somebody decided that a person watched, it is judged as if no report had borne that sign. */
export function judged(session: StoredSession): StoredSession {
  if (!session.isVouched) return session
  const spans = new Map<number, SpanFacts>()
  for (const span of session.spans) {
    const own = { ...span, i: placeOf(span), flags: span.flags & ~spanFlags.program }
    const known = spans.get(own.i)
    spans.set(own.i, known ? together(known, own) : own)
  }
  return { ...session, spans: [...spans.values()].toSorted((a, b) => a.i - b.i) }
}

/** Marks the sessions of which somebody decided that a person watched. */
export async function markVouched(tx: Tx, sessions: Iterable<StoredSession>): Promise<void> {
  const doubtful = [...sessions].filter(({ flags }) => (flags & spanFlags.program) !== 0)
  if (doubtful.length === 0) return
  const ids = doubtful.map(({ id }) => id)
  const found = await rows(
    tx,
    Id,
    sql`select session_id as id from viewing_decisions where session_id = any(${arrayOf(ids, 'uuid')})`,
  )
  const vouched = new Set(found.map(({ id }) => id))
  for (const session of doubtful) session.isVouched = vouched.has(session.id)
}
