import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { Evidence, type EvidenceVersion, type readEvidence } from '#contract/evidence/evidence.ts'
import { shownOf, StoredChapters } from '#contract/videos/shown-chapters.ts'
import type { Quality } from '#contract/tracking/quality.ts'
import { sessionFlags } from '#contract/tracking/track-limits.ts'
import { arrayOf, row, rows, type Tx } from '#server/platform/db/client.ts'
import { parseRanges, type Ranges } from '#server/platform/db/multirange.ts'
import { sql } from '#server/platform/db/sql.ts'
import { isoText } from '#server/platform/db/search.ts'
import { privacyOf } from '#server/directory/organizations/privacy.ts'
import { pathAt } from '#server/platform/http/lists/paging.ts'
import { mediaPath, signMedia } from '#server/platform/http/pages/media-link.ts'
import type { Visibility } from '#server/platform/http/visibility.ts'
import type { Keys } from '#server/platform/keys.ts'
import { insistedOn } from '#server/tracking/completion.ts'
import { saidIn, saidWithin, unheardOf } from '#server/duty/said.ts'
import { failedOf } from '#server/quizzes/failing.ts'
import { signsOfPerson, standingBy } from '#server/matrix/standing.ts'
import { qualityOf } from '#server/tracking/quality.ts'
import { lengthOf, unionOf } from '../../tracking/credit.ts'
import { minus, repeated, within } from '../../tracking/ranges.ts'
import {
  eventCounts,
  readSessions,
  stretchesOf,
  toEvidenceSession,
  type ViewingSession,
  type Watching,
} from './sessions.ts'
import { stateOfAll, unservedOf } from '../../tracking/served/sources.ts'
import type { Subject, SubjectVideo } from './subject.ts'

type EvidenceQuery = {
  visibility: Visibility
  subject: Subject
  video: SubjectVideo
  query: ParsedQuery<typeof readEvidence>
  request: FastifyRequest
  keys: Keys
}

export async function findEvidence(tx: Tx, asked: EvidenceQuery): Promise<Evidence> {
  const { visibility, subject, video } = asked
  const watching = { organizationId: visibility.organizationId, videoId: video.id, keys: subject.keys }
  const found = await readVersions(tx, watching)
  const discreet = !(await privacyOf(tx, visibility.organizationId)).showsPersons
  const sessions = discreet ? [] : await readSessions(tx, watching)
  const versions = discreet ? [] : found
  const completed = found.flatMap(({ completedAt }) => completedAt ?? []).toSorted()
  const people = sessions.filter(({ isBot }) => !isBot)
  const questions = discreet
    ? { required: 0, answered: 0, passed: null, failed: null }
    : await readQuestions(tx, watching)
  const signs = await signsOfPerson(tx, {
    organizationId: visibility.organizationId,
    userId: subject.id,
    videoIds: [video.id],
    shows: !discreet,
  })
  return {
    isDiscreet: discreet,
    completedOn: completed[0]?.slice(0, 10) ?? null,
    person: { id: subject.id, name: subject.name, avatar: subject.avatar, exists: subject.exists },
    video: { id: video.id, title: video.title, exists: video.exists },
    state: stateOfAll(people),
    lastAt: people.length === 0 ? null : iso(Math.max(...people.map(({ lastAt }) => lastAt))),
    standing: standingBy(signs.get(video.id) ?? null, {
      completedAt: completed[0] ?? null,
      failed: questions.failed,
      hasWatched: versions.some(({ coverage }) => coverage.length > 0),
    }),
    questions,
    versions: await inWords(
      tx,
      versions.flatMap((version) => {
        const own = people.filter(({ versionId }) => versionId === version.id)
        const isSigned = own.length > 0 || version.coverage.length > 0 || version.completedAt !== null
        return isSigned ? [versionOf(version, own, asked)] : []
      }),
      { organizationId: visibility.organizationId, language: asked.query.language },
    ),
    sessions: await pageOf(tx, sessions, { asked, versions }),
    quality: await ownQuality(tx, watching, sessions),
  }
}

const iso = (ms: number) => new Date(ms).toISOString()

const VersionRow = z.object({
  id: z.string(),
  number: z.number(),
  durationMs: z.number(),
  storyboard: z.nullable(z.string()),
  coverage: z.string(),
  watchMs: z.number(),
  plays: z.number(),
  coveredAt: z.nullable(z.string()),
  completedAt: z.nullable(z.string()),
  chapters: StoredChapters,
})
type Version = Omit<z.infer<typeof VersionRow>, 'coverage'> & { coverage: Ranges }

/** Reads what the aggregation has written about each version, under whichever of the keys of this person. */
async function readVersions(tx: Tx, { organizationId, videoId, keys }: Watching): Promise<Version[]> {
  const found = await rows(
    tx,
    VersionRow,
    sql`select r.id, r.number, coalesce(r.duration_ms, 0) as "durationMs", r.storyboard->>'file' as storyboard,
        coalesce(range_agg(w.coverage), '{}')::text as coverage, coalesce(sum(w.watch_ms), 0)::float8 as "watchMs",
        coalesce(sum(w.plays), 0)::int as plays, ${isoText(sql`min(w.covered_at)`)} as "coveredAt",
        ${isoText(sql`min(w.completed_at)`)} as "completedAt",
        (select c.chapters from video_chapters c where c.version_id = r.id) as chapters
      from video_versions r left join viewer_videos w on w.version_id = r.id and w.viewer_key = any(${arrayOf(keys, 'text')})
      where r.video_id = ${videoId} and r.organization_id = ${organizationId} group by r.id order by r.number desc`,
  )
  return found.map((version) => Object.assign(version, { coverage: parseRanges(version.coverage) }))
}

function versionOf(
  version: Version,
  sessions: readonly ViewingSession[],
  asked: EvidenceQuery,
): Omit<EvidenceVersion, 'unheard'> {
  const { durationMs } = version
  const whole: Ranges = durationMs > 0 ? [[0, durationMs]] : []
  const coverage = within(version.coverage, durationMs)
  const missing = minus(whole, coverage)
  const coveredMs = lengthOf(coverage)
  const threshold = sessions[0]?.theta ?? 1
  const { counted, hidden, fast, uncounted } = stretchesOf(sessions)
  return {
    id: version.id,
    number: version.number,
    isCurrent: version.id === asked.video.currentVersionId,
    durationMs,
    threshold,
    neededMs: Math.ceil(threshold * durationMs),
    coveredMs,
    missingMs: lengthOf(missing),
    share: durationMs === 0 ? 0 : coveredMs / durationMs,
    coveredAt: version.coveredAt,
    completedAt: version.completedAt,
    watchedMs: version.watchMs,
    attentionMs: sessions.reduce((sum, { wallMs }) => sum + wallMs, 0),
    plays: version.plays,
    state: stateOfAll(sessions),
    lanes: {
      watched: coverage,
      rewatched: within(repeated(counted), durationMs),
      missing,
      hidden: within(hidden, durationMs),
      fast: within(fast, durationMs),
      uncounted: within(uncounted, durationMs),
      served: within(
        sessions.flatMap(({ served }) => served ?? []),
        durationMs,
      ),
    },
    unserved: unionOf(sessions.flatMap(unservedOf)),
    chapters: chaptersOf(version, coverage),
    storyboard: storyboardOf(version, asked),
  }
}

/** So many parts are told in words of their own; a program makes more. */
const mostInWords = 200

/** Tells what is missing by what is said there. */
async function inWords(
  tx: Tx,
  versions: readonly Omit<EvidenceVersion, 'unheard'>[],
  reader: { organizationId: string; language: string },
): Promise<EvidenceVersion[]> {
  const told: EvidenceVersion[] = []
  for (const version of versions) {
    const { missing } = version.lanes
    const isSome = version.coveredMs > 0 && missing.length > 0
    const track = isSome ? await saidIn(tx, { ...reader, versionId: version.id }) : undefined
    const all = unheardOf(track, missing)
    const parts = missing.slice(0, mostInWords).map((part) => saidWithin(track?.cues ?? [], [part]).text)
    told.push({ ...version, unheard: all && { ...all, parts } })
  }
  return told
}

/** Each with how much of it counts; a chapter ends where the next one begins. */
function chaptersOf({ chapters, durationMs }: Version, coverage: Ranges): EvidenceVersion['chapters'] {
  const shown = shownOf(chapters)
  return shown.map(({ title, startMs }, at) => {
    const endMs = shown[at + 1]?.startMs ?? durationMs
    const own: Ranges = [[startMs, endMs]]
    return { title, startMs, endMs, coveredMs: endMs - startMs - lengthOf(minus(own, coverage)) }
  })
}

/** Gives a link to pictures only to somebody who may open content, which a groupadmin may not. */
function storyboardOf(
  { id: versionId, storyboard, durationMs }: Version,
  { visibility, video, keys }: EvidenceQuery,
): string | null {
  if (visibility.groupIds || storyboard === null || !video.exists) return null
  const { organizationId } = visibility
  const grant = { organizationId, videoId: video.id, versionId, seconds: durationMs / 1_000 }
  return mediaPath(signMedia(keys, { ...grant, scope: 'pictures' }), grant, storyboard)
}

const ReadQuestionsRow = Evidence.shape.questions

/** Reads the questions as completion asks them (`server/tracking/completion.ts`), which are those that are published now. */
async function readQuestions(
  tx: Tx,
  { organizationId, videoId, keys }: Watching,
): Promise<Evidence['questions']> {
  const whose = arrayOf(keys, 'text')
  const found = await row(
    tx,
    ReadQuestionsRow,
    sql`with ${insistedOn(videoId, whose)}
      select count(*)::int as required, count(*) filter (where exists (
          select from quiz_attempts a join quiz_answers w on w.attempt_id = a.id join quiz_items o on o.id = w.item_id
          where a.video_id = ${videoId} and a.viewer_key = any(${whose}) and o.key = i.key))::int as answered,
        (select exists (select from passed) from tests) as passed,
        ${failedOf(sql`a.organization_id = ${organizationId} and a.video_id = ${videoId} and a.viewer_key = any(${whose})`)} as failed
      from gates i`,
  )
  return found ?? { required: 0, answered: 0, passed: null, failed: null }
}

type Page = { asked: EvidenceQuery; versions: readonly Version[] }

async function pageOf(
  tx: Tx,
  sessions: readonly ViewingSession[],
  { asked: { query, request }, versions }: Page,
): Promise<Evidence['sessions']> {
  const { offset, limit } = query
  const shown = sessions.slice(offset, offset + limit)
  const events = await eventCounts(
    tx,
    shown.map(({ id }) => id),
  )
  const numbers = new Map(versions.map(({ id, number }) => [id, number]))
  return {
    items: shown.map((session) => toEvidenceSession(session, { numbers, events })),
    total: sessions.length,
    offset,
    limit,
    next: offset + limit < sessions.length ? pathAt(request.url, { offset: String(offset + limit) }) : null,
  }
}

/** Says how good the evidence of this person is. Nobody here is without a name. */
async function ownQuality(
  tx: Tx,
  { organizationId, videoId }: Watching,
  sessions: readonly ViewingSession[],
): Promise<Quality> {
  const people = sessions.filter(({ isBot, isReported }) => !isBot && isReported)
  const flagged = (flag: number) => people.filter(({ flags }) => (flags & flag) !== 0).length
  const sum = (pick: (session: ViewingSession) => number) =>
    people.reduce((total, one) => total + pick(one), 0)
  const { completeTo } = await qualityOf(tx, { organizationId, videoId })
  return {
    completeTo,
    sessions: people.length,
    anonymous: 0,
    bots: sessions.filter(({ isBot }) => isBot).length,
    capped: flagged(sessionFlags.capped),
    refused: flagged(sessionFlags.refused),
    batchesSeen: sum(({ batchesSeen }) => batchesSeen),
    batchesExpected: sum(({ batchesExpected }) => batchesExpected),
  }
}
