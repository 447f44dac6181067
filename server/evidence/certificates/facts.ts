import { deviceName } from '#contract/platform/devices.ts'
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { canonical } from '#contract/platform/text/canonical.ts'
import type {
  CertificateBody,
  CertificateSession,
  JudgedPart,
  SourceState,
} from '#contract/evidence/certificate-format.ts'
import { defaultPolicies, Policies } from '#contract/directory/organizations.ts'
import { sessionFlags, spanFlags } from '#contract/tracking/track-limits.ts'
import { row, type Tx } from '#server/platform/db/client.ts'
import { parseRanges } from '#server/platform/db/multirange.ts'
import { all, isoText } from '#server/platform/db/search.ts'
import { deviceOf } from '#server/platform/http/agent.ts'
import { seesUser, type Visibility } from '#server/platform/http/visibility.ts'
import { hasToBePassed } from '#server/tracking/completion.ts'
import { showsPersons } from '#server/directory/organizations/privacy.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { recordOf } from '#server/tracking/served/served-run.ts'
import { lengthOf, unionOf } from '../../tracking/credit.ts'
import { judge, judgedParts, SourceRow, sourcesOf } from '../../tracking/served/sources.ts'
import { JudgedSpan } from '../../tracking/store.ts'

/** A certificate is about this person and this video. */
export type About = { visibility: Visibility; userId: string; videoId: string }

/** This is a certificate without its place in the chain. */
export type CertificateFacts = Omit<CertificateBody, 'id' | 'number' | 'previous' | 'salt' | 'issuedAt'>

/** These are the facts, how well each part of them is founded, and how well it has to be. */
export type Certifiable = {
  facts: CertificateFacts
  parts: JudgedPart[]
  least: Policies['certificateEvidence']
}

const Span = z.omit(JudgedSpan, { beganMs: true, seenMs: true })
type Span = z.infer<typeof Span>
const CertifiedSession = z.extend(z.omit(SourceRow, { impressionMs: true }), {
  id: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  userAgent: z.nullable(z.string()),
  watchedMs: z.number(),
  wallMs: z.number(),
  batchesSeen: z.number(),
  batchesExpected: z.number(),
  theta: z.number(),
  spans: z.nullable(z.array(Span)),
})
type CertifiedSession = z.infer<typeof CertifiedSession>
const Watched = z.object({
  versionId: z.string(),
  version: z.number(),
  durationMs: z.number(),
  coverage: z.string(),
  completedAt: z.nullable(z.string()),
})
type Watched = z.infer<typeof Watched>
const Quiz = z.object({
  attempts: z.number(),
  passed: z.nullable(z.boolean()),
  bestScore: z.nullable(z.number()),
  maxScore: z.nullable(z.number()),
  required: z.boolean(),
})
const FactsRow = z.object({
  organization: z.object({ id: z.string(), name: z.string() }),
  person: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  title: z.string(),
  tells: z.boolean(),
  threshold: z.number(),
  least: Policies.shape.certificateEvidence,
  watched: z.nullable(z.array(Watched)),
  sessions: z.nullable(z.array(CertifiedSession)),
  quiz: z.nullable(Quiz),
  confirmations: z.nullable(z.array(z.object({ statement: z.string(), at: z.string() }))),
})

/** Returns hundredths of a percent, in which shares are certified. It rounds down, so that what is missing is never rounded away. */
export const hundredths = (share: number) => Math.floor(share * 10_000 + 1e-6)

/**
 * Reads what is recorded of a person and the newest version of a video that they watched. It is one statement, so that everything in it is
 * of one moment. Returns null where nothing was watched, and undefined where the reader sees no such person or video.
 */
export async function readFacts(tx: Tx, about: About): Promise<Certifiable | null | undefined> {
  const found = await row(tx, FactsRow, statement(about))
  if (!found) return undefined
  const { organization, person, title, tells, quiz, least, confirmations } = found
  const [newest] = found.watched ?? []
  if (!newest) return null
  const { versionId, version, durationMs } = newest
  // Somebody who came by a personal link and signed in is two viewers to the log, and one person to everybody else.
  const own = (found.watched ?? []).filter((one) => one.versionId === versionId)
  const completions = own.flatMap(({ completedAt }) => completedAt ?? []).toSorted()
  const theta = found.sessions?.at(-1)?.theta ?? found.threshold
  const viewing = viewingOf(own, found.sessions ?? [], durationMs)
  const facts: CertificateFacts = {
    organization,
    person,
    video: { id: about.videoId, title, versionId, version, durationMs },
    threshold: hundredths(theta),
    completedAt: completions[0] ?? null,
    viewing: tells ? viewing : null,
    quiz,
    ...(confirmations && { confirmations }),
  }
  return { facts, parts: viewing.secondSource.parts, least }
}

function viewingOf(own: Watched[], sessions: CertifiedSession[], durationMs: number) {
  const covered = unionOf(own.flatMap(({ coverage }) => parseRanges(coverage)))
  const coveredMs = lengthOf(covered)
  return {
    covered,
    coveredMs,
    share: durationMs > 0 ? Math.min(10_000, hundredths(coveredMs / durationMs)) : 0,
    sessions: sessions.map(sessionOf),
    secondSource: secondSourceOf(judgedParts(covered, sessions.map(sourcesIn))),
    evidence: evidenceOf(sessions),
  }
}

/** Judges the whole by its weakest part, each part by the best that is known of it. */
function secondSourceOf(parts: JudgedPart[]): { state: SourceState; parts: JudgedPart[] } {
  const weakest = (['contradicted', 'likely', 'proven'] as const).find((state) =>
    parts.some((part) => part.state === state),
  )
  return { state: weakest ?? 'delivered', parts }
}

/** Returns what both sources know of a session. All sessions here have played, so that it does not matter whether the player was seen. */
const sourcesIn = (session: CertifiedSession) =>
  sourcesOf({ ...session, impressionMs: null }, parseRanges(session.coverage))

function sessionOf(session: CertifiedSession): CertificateSession {
  const { id, startedAt, endedAt, userAgent, flags, spans } = session
  const { watchedMs, wallMs, batchesSeen, batchesExpected } = session
  const sources = sourcesIn(session)
  const { state, reason } = judge(sources)
  const played = spans ?? []
  const seen = played.reduce((bits, span) => bits | span.flags, 0)
  const has = (bit: number) => (seen & bit) !== 0
  return {
    id,
    startedAt,
    endedAt,
    watchedMs,
    wallMs,
    batchesSeen,
    batchesExpected,
    device: deviceName(deviceOf(userAgent)),
    rates: [...new Set(played.map(({ rate }) => rate))].toSorted((a, b) => a - b),
    hidden: has(spanFlags.hidden),
    muted: has(spanFlags.muted),
    pictureInPicture: has(spanFlags.pictureInPicture),
    fullscreen: has(spanFlags.fullscreen),
    replayed: has(spanFlags.replayed),
    capped: (flags & sessionFlags.capped) !== 0,
    covered: sources.coverage,
    refused: refusedParts(played),
    secondSource: { state: state === 'checking' ? 'likely' : state, reason, handedOut: sources.served ?? [] },
  }
}

/** Neighbours that were refused for the same reason are one part. */
function refusedParts(spans: Span[]): CertificateSession['refused'] {
  const parts: CertificateSession['refused'] = []
  for (const { startMs, endMs, refused } of spans) {
    if (refused === null) continue
    const last = parts.at(-1)
    if (last?.reason === refused && last.toMs === startMs) last.toMs = endMs
    else parts.push({ fromMs: startMs, toMs: endMs, reason: refused })
  }
  return parts
}

/**
 * Hashes the id of each session, and for each span what was played and what became of it, in the order of these names. It leaves out when
 * the server first heard of it, because that may still move when a report arrives again.
 */
function evidenceOf(sessions: CertifiedSession[]): { hash: string; spans: number } {
  const raw = sessions.map(({ id, spans }) => [
    id,
    (spans ?? []).map((span) => [
      span.i,
      span.startMs,
      span.endMs,
      span.wallMs,
      span.rate,
      span.flags,
      span.refused,
    ]),
  ])
  return {
    hash: createHash('sha256').update(canonical(raw)).digest('hex'),
    spans: sessions.reduce((sum, { spans }) => sum + (spans?.length ?? 0), 0),
  }
}

function statement({ visibility, userId, videoId }: About): SQL {
  const theirs = sql`p.organization_id = ${visibility.organizationId} and p.video_id = ${videoId} and p.user_id = ${userId}`
  const { played, bot } = sessionFlags
  const spans = sql`(select json_agg(json_build_object('i', s.i, 'startMs', s.start_ms, 'endMs', s.end_ms, 'wallMs', s.wall_ms,
      'rate', s.rate, 'flags', s.flags, 'refused', s.refused) order by s.i)
    from play_spans s where s.session_id = p.id)`
  return sql`
    with watched as (select w.version_id, n.number, n.duration_ms, w.coverage, w.completed_at
        from viewer_videos w join video_versions n on n.id = w.version_id
        where w.organization_id = ${visibility.organizationId} and w.video_id = ${videoId} and w.user_id = ${userId}
          and (w.plays > 0 or w.covered_ms > 0 or w.completed_at is not null)),
      newest as (select version_id from watched order by number desc limit 1)
    select json_build_object('id', o.id, 'name', o.name) as organization,
      json_build_object('id', u.id, 'name', u.name, 'email', u.email) as person, v.title,
      ${showsPersons(sql`o.id`)} as tells, coalesce((o.policies->>'completionThreshold')::float8, 0.95) as threshold,
      coalesce(o.policies->>'certificateEvidence', ${defaultPolicies.certificateEvidence}) as least,
      (select json_agg(json_build_object('versionId', version_id, 'version', number, 'durationMs', coalesce(duration_ms, 0),
          'coverage', coverage::text, 'completedAt', ${isoText(sql`completed_at`)}) order by number desc) from watched) as watched,
      (select json_agg(json_build_object('id', p.id, 'startedAt', ${isoText(sql`p.started_at`)}, 'endedAt', ${isoText(sql`p.last_at`)},
          'userAgent', p.user_agent, 'coverage', p.coverage::text, 'watchedMs', p.watch_ms, 'wallMs', p.wall_ms,
          'batchesSeen', p.batches_seen, 'batchesExpected', p.batches_expected, 'flags', p.flags, 'theta', p.theta,
          'spans', ${spans}, 'served', d.parts::text,
          'record', ${recordOf('p')}) order by p.started_at, p.id)
        from play_sessions p left join served_parts d on d.session_id = p.id where ${theirs} and p.version_id = (select version_id from newest)
          and p.flags & ${played} <> 0 and p.flags & ${bot} = 0) as sessions,
      (select json_build_object('attempts', count(a.id), 'passed', bool_or(a.passed),
          'bestScore', round(max(a.score) * 100)::int, 'maxScore', round(max(a.max_score) * 100)::int,
          'required', (select ${hasToBePassed} from quiz_versions n where n.id = q.current_version_id) is true)
        from quizzes q left join quiz_attempts a on a.quiz_id = q.id and a.user_id = ${userId} and a.completed_at is not null
        where q.video_id = ${videoId} and q.organization_id = ${visibility.organizationId}
        group by q.id, q.current_version_id having q.current_version_id is not null or count(a.id) > 0) as quiz,
      (select json_agg(json_build_object('statement', c.statement, 'at', ${isoText(sql`c.confirmed_at`)}) order by c.confirmed_at desc, c.obligation_id)
        from confirmations c join obligations b on b.id = c.obligation_id
        where c.organization_id = ${visibility.organizationId} and c.user_id = ${userId} and b.video_id = ${videoId}) as confirmations
    from users u join organizations o on o.id = u.organization_id and o.deleted_at is null
    join videos v on v.id = ${videoId} and v.organization_id = o.id
    where ${all([
      sql`u.organization_id = ${visibility.organizationId} and u.id = ${userId} and u.deleted_at is null`,
      seesUser(visibility, sql`u.id`),
    ])}`
}
