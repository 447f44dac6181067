import { evidenceColumns, type EvidenceColumn } from '#contract/platform/exports.ts'
import { csvLine, utf8Mark } from '#contract/platform/csv.ts'
import type { JudgedSpan } from '../../tracking/store.ts'
import type { ExportedSession } from './rows.ts'

const columns = Object.keys(evidenceColumns) as EvidenceColumn[]
type EvidenceLine = Record<EvidenceColumn, string | number | null>

/** Yields the file in pieces, with one line for each span, and one for a session without any. */
export async function* csvOf(stretches: AsyncIterable<ExportedSession[]>): AsyncGenerator<string> {
  yield utf8Mark + csvLine(columns)
  for await (const sessions of stretches) yield sessions.map(linesOf).join('')
}

function linesOf(session: ExportedSession): string {
  const spans = session.spans.length > 0 ? session.spans : [undefined]
  return spans.map((span) => csvLine(columns.map((name) => lineOf(session, span)[name]))).join('')
}

function lineOf(session: ExportedSession, span: JudgedSpan | undefined): EvidenceLine {
  return {
    session: session.id,
    viewer: session.viewer,
    name: session.name,
    video: session.videoId,
    version: session.versionId,
    started_at: session.startedAt,
    zero_at: session.zeroAt,
    last_at: session.lastAt,
    duration_ms: session.durationMs,
    max_rate: session.maxRate,
    theta: session.theta,
    flags: session.flags,
    gates: session.gates,
    answered_at: session.answeredAt,
    withheld: session.withheld.map((part) => part.join('-')).join(' '),
    span: span?.i ?? null,
    start_ms: span?.startMs ?? null,
    end_ms: span?.endMs ?? null,
    wall_ms: span?.wallMs ?? null,
    rate: span?.rate ?? null,
    span_flags: span?.flags ?? null,
    began_ms: span?.beganMs ?? null,
    seen_ms: span?.seenMs ?? null,
    refused: span?.refused ?? null,
    signed_in_by: session.signedInBy,
  }
}
