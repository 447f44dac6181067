import { isTheirs, type PersonKey } from '../tracking/forget.ts'
import { randomInt } from 'node:crypto'
import * as z from 'zod/mini'
import { hasRow, requireRow, row, together, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { lock } from '../platform/db/locks.ts'
import { ifThere, refuse } from '../platform/errors.ts'
import { asksNothing } from '../tracking/completion.ts'
import { passingOwedSince } from '../duty/obligations.ts'
import type { PlayClaims } from '../tracking/ingest/token.ts'
import { AttemptRun, hasPassed, retakeAt, runFrom, StoredRun } from './run.ts'
import { Id, insertedId } from '../platform/db/rows.ts'

const CurrentQuiz = z.object({ id: z.string(), versionId: z.string() })
type CurrentQuiz = z.infer<typeof CurrentQuiz>

/** The questions that the video of this play asks now. */
export function findCurrent(tx: Tx, claims: PlayClaims, quizId: string): Promise<CurrentQuiz> {
  return requireRow(
    tx,
    CurrentQuiz,
    sql`select q.id, q.current_version_id as "versionId" from quizzes q join videos v on v.id = q.video_id and v.deleted_at is null
        join organizations o on o.id = q.organization_id and o.deleted_at is null and o.state = 'active' and not ${sql.raw(asksNothing)}
      where q.id = ${quizId} and q.video_id = ${claims.video} and q.current_version_id is not null`,
  )
}

const itemsOf = sql`(select json_agg(json_build_object('id', i.id, 'position', i.position, 'question', i.question) order by i.position)
  from quiz_items i where i.version_id = v.id)`

const VersionRow = z.pick(AttemptRun, { settings: true, items: true, maxScore: true })

/** A version as an attempt that nobody has begun: what a trial runs on. */
export async function blankRun(tx: Tx, { versionId }: CurrentQuiz): Promise<AttemptRun> {
  const found = await requireRow(
    tx,
    VersionRow,
    sql`select v.settings, v.max_score as "maxScore", ${itemsOf} as items from quiz_versions v where v.id = ${versionId}`,
  )
  const beginning = { versionId, number: 1, begun: 1, isOfEarlierDuty: false, answers: [], completedAt: null }
  return { id: crypto.randomUUID(), seed: randomInt(2 ** 31), ...beginning, ...found }
}

const owedSince = passingOwedSince(sql`a.user_id`, sql`a.video_id`)

async function loadRun(tx: Tx, attemptId: string): Promise<AttemptRun> {
  const found = await requireRow(
    tx,
    StoredRun,
    sql`select a.id, a.version_id as "versionId", a.number, a.seed, v.settings, a.max_score as "maxScore",
        a.completed_at as "completedAt", ${itemsOf} as items,
        (select count(*)::int from quiz_attempts b where b.quiz_id = a.quiz_id and b.viewer_key = a.viewer_key
          and b.version_id = a.version_id and b.started_at >= ${owedSince}) as begun,
        coalesce(a.completed_at < ${owedSince}, false) as "isOfEarlierDuty",
        coalesce((select json_agg(json_build_object('itemId', w.item_id, 'try', w.try, 'answer', w.answer, 'score', w.score,
          'correct', w.correct) order by w.answered_at, w.item_id, w.try)
          from quiz_answers w where w.attempt_id = a.id), '[]') as answers
      from quiz_attempts a join quiz_versions v on v.id = a.version_id where a.id = ${attemptId}`,
  )
  return runFrom(found)
}

type Mine = { quizId: string; attemptId: string; viewerKey: string }

/** The attempt of this viewer, which nobody else answers in until the transaction ends. */
export async function lockRun(tx: Tx, { quizId, attemptId, viewerKey }: Mine): Promise<AttemptRun> {
  // Two statements: one that waited for the lock would see the answers as they were before.
  const locking = hasRow(
    tx,
    sql`select 1 from quiz_attempts where id = ${attemptId} and quiz_id = ${quizId} and viewer_key = ${viewerKey} for update`,
  )
  const [mine, run] = await together(locking, ifThere(loadRun(tx, attemptId)))
  if (!mine || !run) throw refuse('not_found')
  return run
}

type Start = { claims: PlayClaims; quiz: CurrentQuiz; again: boolean; now: Date }

/** The attempt that goes on or was completed last, or a new one where that is due; `again`: a new one, or why not. */
export async function startRun(tx: Tx, start: Start): Promise<AttemptRun> {
  const { claims, quiz } = start
  const { viewerKey } = claims
  const [, last] = await together(
    tx.execute(sql`select ${lock('attemptStart', `${quiz.id} ${viewerKey}`)}`),
    row(
      tx,
      Id,
      sql`select id from quiz_attempts where quiz_id = ${quiz.id} and viewer_key = ${viewerKey} order by number desc limit 1`,
    ),
  )
  if (!last) return begin(tx, start)
  const run = await loadRun(tx, last.id)
  if (run.completedAt === null) return run
  if (run.isOfEarlierDuty) return begin(tx, start)
  if (run.versionId !== quiz.versionId && (!hasPassed(run) || (await owesGate(tx, start))))
    return begin(tx, start)
  if (!start.again) return run
  requireRetake(run, start.now)
  return begin(tx, start)
}

/** Other questions than those of the last attempt are asked now, and one that holds the video has never been answered. */
async function owesGate(tx: Tx, { claims, quiz }: Start): Promise<boolean> {
  return hasRow(
    tx,
    sql`select 1 from quiz_items i where i.version_id = ${quiz.versionId} and i.gate and not exists (
      select 1 from quiz_attempts a join quiz_answers w on w.attempt_id = a.id join quiz_items o on o.id = w.item_id
      where a.quiz_id = ${quiz.id} and a.viewer_key = ${claims.viewerKey} and o.key = i.key) limit 1`,
  )
}

function requireRetake(run: AttemptRun, now: Date): void {
  if (hasPassed(run)) throw refuse('conflict', { reason: { code: 'passed_already' } })
  const from = retakeAt(run)
  if (from === null) throw refuse('conflict', { reason: { code: 'no_attempt_left' } })
  if (from > now) {
    const retryAfter = Math.ceil((from.getTime() - now.getTime()) / 1000)
    throw refuse('conflict', { reason: { code: 'attempt_too_early' }, retryAfter })
  }
}

async function begin(tx: Tx, { claims, quiz, now }: Start): Promise<AttemptRun> {
  const { org, video, viewerKey, kind, session, transmission = null, delivery = null } = claims
  const userId = kind === 'visitor' ? null : viewerKey.slice(kind.length + 1)
  const attemptId = await insertedId(
    tx,
    sql`insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, transmission_id, delivery_id,
        session_id, number, seed, started_at, max_score)
      select ${org}, ${quiz.id}, v.id, ${video}, ${viewerKey}, ${userId}, ${transmission}, ${delivery}, ${session},
        (select coalesce(max(number), 0) + 1 from quiz_attempts where quiz_id = ${quiz.id} and viewer_key = ${viewerKey}),
        ${randomInt(2 ** 31)}, ${now.toISOString()}, v.max_score
      from quiz_versions v where v.id = ${quiz.versionId} returning id`,
  )
  return loadRun(tx, attemptId)
}

/** Deletes all that a person has answered. */
export const forgetAttempts = (tx: Tx, { organizationId, userId }: PersonKey) =>
  tx.execute(sql`delete from quiz_attempts where organization_id = ${organizationId} and ${isTheirs(userId)}`)
