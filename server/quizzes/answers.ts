import { arrayOf, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { lock } from '../platform/db/locks.ts'
import { person } from './attempts-of.ts'
import { completeViewers } from '../duty/completions.ts'
import { viewerKeysOf, type PlayClaims } from '../tracking/ingest/token.ts'
import { answer, hasPassed, scoreOf, type Reply, type AttemptRun } from './run.ts'

type Answering = { run: AttemptRun; claims: PlayClaims; reply: Reply; tookMs: number; now: Date }

/** Writes an answer down with all that follows from it; the run must be locked. Gives the attempt after it. */
export async function keepAnswer(
  tx: Tx,
  { run: before, claims, reply, tookMs, now }: Answering,
): Promise<AttemptRun> {
  const { run, given, isNew } = answer(before, reply, now)
  if (!isNew) return run
  await tx.execute(
    sql`insert into quiz_answers (attempt_id, item_id, organization_id, try, answer, score, correct, answered_at, took_ms)
      values (${run.id}, ${given.itemId}, ${claims.org}, ${given.try}, ${JSON.stringify(given.answer)}::jsonb, ${given.score},
        ${given.correct}, ${now.toISOString()}, ${tookMs})`,
  )
  await tx.execute(
    sql`update quiz_attempts set score = ${scoreOf(run)}, completed_at = ${run.completedAt?.toISOString() ?? null},
      passed = ${run.completedAt === null ? null : hasPassed(run)}, took_ms = took_ms + ${tookMs} where id = ${run.id}`,
  )
  if (given.try > 1) return run
  const isCompleted = run.completedAt !== null && before.completedAt === null
  if (isCompleted) await markFirst(tx, run, claims)
  const isGate = run.items.some(({ id, question }) => id === given.itemId && question.gate)
  if (isGate || isCompleted) await completeViewers(tx, { videoId: claims.video, viewerKeys: keysOf(claims) })
  return run
}

/**
 * Marks the attempt as the first that its person completed, if it is. Who is known by name is one person, whichever link they
 * answered through; of two that are completed at the same moment, one waits here for the other.
 */
async function markFirst(tx: Tx, { id, versionId }: AttemptRun, claims: PlayClaims): Promise<void> {
  await tx.execute(
    sql`select ${lock('firstAttempt', sql`a.version_id || ' ' || ${person}`)}
      from quiz_attempts a where a.id = ${id}`,
  )
  // Under the tenant policy no index can look for an expression like `person`, only for the keys themselves.
  const theirs = sql`b.quiz_id = (select quiz_id from quiz_attempts where id = ${id}) and b.viewer_key = any(${arrayOf(keysOf(claims), 'text')})`
  await tx.execute(
    sql`update quiz_attempts a set is_first = true where a.id = ${id} and not exists (
      select from quiz_attempts b where ${theirs} and b.version_id = ${versionId} and b.is_first)`,
  )
}

/** By which keys the same person answers. */
function keysOf({ kind, viewerKey }: PlayClaims): string[] {
  const userId = viewerKey.slice(kind.length + 1)
  return kind === 'visitor' ? [viewerKey] : viewerKeysOf(userId)
}
