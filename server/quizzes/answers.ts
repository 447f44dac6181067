import * as z from 'zod/mini'
import { arrayOf, hasRow, rows, type Tx } from '../platform/db/client.ts'
import { idsOf } from '../platform/db/rows.ts'
import { sql } from '../platform/db/sql.ts'
import { lock } from '../platform/db/locks.ts'
import { person, tally } from './attempts-of.ts'
import { recordCompletions } from '../tracking/completion.ts'
import type { PlayClaims } from '../tracking/token.ts'
import { answer, hasPassed, scoreOf, type Reply, type Run } from './run.ts'
import { addPerson, QuestionSums } from './sums.ts'

type Answering = { run: Run; claims: PlayClaims; reply: Reply; tookMs: number; now: Date }

/** Writes an answer down with all that follows from it; the run must be locked. Gives the attempt after it. */
export async function keepAnswer(
  tx: Tx,
  { run: before, claims, reply, tookMs, now }: Answering,
): Promise<Run> {
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
  if (isCompleted && (await isFirst(tx, run, claims))) await addToSums(tx, run, claims)
  const isGate = run.items.some(({ id, question }) => id === given.itemId && question.gate)
  if (isGate || isCompleted)
    await recordCompletions(tx, { videoId: claims.video, viewerKeys: keysOf(claims) })
  return run
}

/**
 * Marks the attempt as the first that its person completed, if it is. Who is known by name is one person, whichever link they
 * answered through; of two that are completed at the same moment, one waits here for the other.
 */
async function isFirst(tx: Tx, { id, versionId }: Run, claims: PlayClaims): Promise<boolean> {
  await tx.execute(
    sql`select ${lock('firstAttempt', sql`a.version_id || ' ' || ${person}`)}
      from quiz_attempts a where a.id = ${id}`,
  )
  // Under the tenant policy no index can look for an expression like `person`, only for the keys themselves.
  const theirs = sql`b.quiz_id = (select quiz_id from quiz_attempts where id = ${id}) and b.viewer_key = any(${arrayOf(keysOf(claims), 'text')})`
  return hasRow(
    tx,
    sql`update quiz_attempts a set is_first = true where a.id = ${id} and not exists (
      select from quiz_attempts b where ${theirs} and b.version_id = ${versionId} and b.is_first) returning 1`,
  )
}

/** By which keys the same person answers. */
function keysOf({ kind, viewerKey }: PlayClaims): string[] {
  const userId = viewerKey.slice(kind.length + 1)
  return kind === 'visitor' ? [viewerKey] : [`recipient:${userId}`, `user:${userId}`]
}

const SumsRow = z.extend(QuestionSums, { itemId: z.string() })
type SumsRow = z.infer<typeof SumsRow>

/** Adds the attempt to the sums of its questions, which are locked in one order so that nobody waits in a circle. */
async function addToSums(tx: Tx, run: Run, { org }: PlayClaims): Promise<void> {
  const ids = idsOf(run.items)
  await tx.execute(
    sql`insert into quiz_item_stats (item_id, organization_id, version_id)
      select id, ${org}, ${run.versionId} from unnest(${ids}) as item(id) order by id on conflict do nothing`,
  )
  const kept = await rows(
    tx,
    SumsRow,
    sql`select item_id as "itemId", n, sum_x as "sumX", sum_xx as "sumXX", sum_t as "sumT", sum_tt as "sumTT", sum_xt as "sumXT",
        options from quiz_item_stats where item_id = any(${ids}) order by item_id for update`,
  )
  const total = scoreOf(run)
  const sums = kept.map((before) => withAttempt(before, run, total))
  await tx.execute(
    sql`update quiz_item_stats s set n = g.n, sum_x = g."sumX", sum_xx = g."sumXX", sum_t = g."sumT", sum_tt = g."sumTT",
        sum_xt = g."sumXT", options = g.options
      from jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) as g("itemId" uuid, n int, "sumX" float8, "sumXX" float8,
        "sumT" float8, "sumTT" float8, "sumXT" float8, options jsonb)
      where s.item_id = g."itemId"`,
  )
  await tally(tx, [run.id], 'add')
}

function withAttempt(sums: SumsRow, run: Run, total: number): SumsRow {
  const { itemId } = sums
  const item = run.items.find(({ id }) => id === itemId)
  const first = run.answers.find((given) => given.itemId === itemId && given.try === 1)
  if (!item || !first) return sums
  const answered = { kind: item.question.kind, answer: first.answer, score: first.score, total }
  return { itemId, ...addPerson(sums, answered) }
}
