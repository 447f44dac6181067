import type { Reply } from '#contract/endpoint.ts'
import { EvidenceEvent, type EvidenceSpan, type readEvidenceSession } from '#contract/evidence/evidence.ts'
import { spanFlags } from '#contract/tracking/track-limits.ts'
import { rows, type Tx } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import { isoText } from '#server/platform/db/search.ts'
import { privacyOf } from '#server/directory/organizations/privacy.ts'
import { refuse } from '#server/platform/errors.ts'
import type { Piece, SpanFacts } from '../../tracking/credit.ts'
import { marksOf, readSessions, type Credited, type Watching } from './sessions.ts'

/** Reads everything that one session reported. Refuses one that is not of this person and video. */
export async function readDetail(
  tx: Tx,
  watching: Watching,
  sessionId: string,
): Promise<Reply<typeof readEvidenceSession>> {
  const { showsPersons } = await privacyOf(tx, watching.organizationId)
  const session = (await readSessions(tx, watching)).find(({ id }) => id === sessionId)
  if (!showsPersons || !session) throw refuse('not_found')
  return {
    spans: session.credited ? spansOf(session.credited) : [],
    events: await rows(
      tx,
      EvidenceEvent,
      sql`select e.n as number, e.type, ${isoText(sql`(p.zero_at + e.at_ms * interval '1 millisecond')`)} as at,
          e.position_ms as "positionMs", e.data
        from play_events e join play_sessions p on p.id = e.session_id
        where e.session_id = ${sessionId} and e.organization_id = ${watching.organizationId} order by e.at_ms, e.n`,
    ),
  }
}

/** Pieces stand in the order of the spans that they come from; a span whose time another window had used has none. */
function spansOf({ session, credit }: Credited): EvidenceSpan[] {
  const pieces = credit.pieces.values()
  let next = pieces.next()
  return session.spans.map((span) => {
    const refused = credit.refused.get(span.i) ?? null
    let piece: Piece | undefined
    if (refused === null && !next.done && isOf(next.value, span, session.durationMs)) {
      piece = next.value
      next = pieces.next()
    }
    return {
      index: span.i,
      startMs: span.startMs,
      endMs: span.endMs,
      wallMs: span.wallMs,
      rate: span.rate / 100,
      marks: marksOf(spanFlags, span.flags),
      at: new Date(piece?.from ?? beganAt(session, span)).toISOString(),
      credited: piece ? [piece.start, piece.end] : null,
      refused,
    }
  })
}

function isOf(piece: Piece, span: SpanFacts, durationMs: number): boolean {
  return piece.start >= span.startMs && piece.end === Math.min(span.endMs, durationMs)
}

/**
 * Returns when a span began, as near as the reports show: no later than its batch says, and early enough to have been played when that
 * arrived.
 */
function beganAt({ zeroAt, startedAt }: { zeroAt: number; startedAt: number }, span: SpanFacts): number {
  return Math.min(zeroAt + span.beganMs, startedAt + span.seenMs - span.wallMs)
}
