import * as z from 'zod/mini'
import { endpoint, FileReply, Id, only } from '../endpoint.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'

/**
 * Columns of the CSV file: one line for each span of a session, and one for a session without any. `/recompute.mjs` turns them back
 * into the figures of the product. Instants are ISO 8601 in UTC, rates x 100 (100 = normal speed).
 */
export const evidenceColumns = {
  session: 'Id of the viewing session',
  viewer:
    'Who: `recipient:<user>`, `user:<user>` or `visitor:<session>`; in a pseudonymous file a name made up for this file',
  name: 'Name of the person; empty for visitors and in a pseudonymous file',
  video: 'Id of the video',
  version: 'Id of the version that was played',
  started_at: 'When the page of the video was made',
  zero_at: 'The zero of the times that the page reports, in the time of the server',
  last_at: 'When the last report arrived',
  duration_ms: 'Length of the version',
  max_rate: 'Fastest playback that earned credit then',
  theta: 'Share that completed then, 0 to 1',
  flags:
    'Bits: how it was watched (1 hidden, 2 muted, 4 picture in picture, 8 full screen, 16 started by itself, 32 sent later, 64 assistive), 65536 seen, 131072 played, 262144 concurrent, 524288 capped, 1048576 refused parts, 2097152 a program',
  gates:
    'What the video insists on now: questions that have to be answered, and one more where they have to be passed',
  answered_at: 'When the viewer had done all of this; empty while not, or where there is nothing',
  withheld:
    'Parts of the video (0-5000 9000-9500, in ms) that earned credit in this session and count for no completion, because the second source does not bear them out as the organization asks now',
  span: 'Number of the span in its session; empty in a session without any',
  start_ms: 'Media time at which it began',
  end_ms: 'Media time at which it ended',
  wall_ms: 'How long it took on the clock of the viewer',
  rate: 'Speed',
  span_flags: 'Bits of how this span was watched, as above',
  began_ms: 'It began at this millisecond after zero, or before',
  seen_ms: 'Milliseconds after the page was made at which it was first reported at this length',
  refused: 'Why it earned nothing: range, rate, mismatch, faster, hidden, concurrent; empty when it did',
  signed_in_by:
    'By what the viewer had signed in before this session, where the organization asks for that, with spaces between (pwd, otp, hwk, rcv, mail, sso, mfa: RFC 8176 and our own); empty: the personal link alone',
} as const
export type EvidenceColumn = keyof typeof evidenceColumns

export const exportFormats = ['csv', 'xapi'] as const

export const exportEvidence = endpoint({
  name: 'exportEvidence',
  method: 'GET',
  path: '/organizations/:orgId/evidence/export',
  summary:
    'Raw viewing evidence of an organization or of one video as CSV or as xAPI statements of the video profile; refused where only completions are recorded',
  access: only(adminRoles, 'evidence:read'),
  params: OrgParams,
  query: z.object({
    format: z._default(z.enum(exportFormats), 'csv'),
    videoId: z.optional(Id),
    /** First and last day (UTC) on which the viewing sessions began. */
    from: z.optional(z.iso.date()),
    until: z.optional(z.iso.date()),
    /** Names made up for this file in place of people and viewing sessions. */
    pseudonymous: z._default(z.enum(['yes', 'no']), 'no'),
  }),
  ownTransactions: true,
  reply: FileReply,
})
