import { randomInt } from 'node:crypto'
import * as z from 'zod/mini'
import { finishedOf } from '#contract/quizzes/quiz-check.ts'
import { QuizDraft } from '#contract/quizzes/quizzes.ts'
import { row, type Database, type Tx } from '../platform/db/client.ts'
import { lock } from '../platform/db/locks.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import type { PlayClaims } from '../tracking/ingest/token.ts'
import { answer, runFrom, StoredRun, type AttemptRun, type Reply } from './run.ts'

/** Of one organization, so that a script that opens page after page fills no disk. */
const mostTrials = 1_000

const DraftRow = z.object({ draft: QuizDraft })

/** The finished questions of the draft as an attempt that nobody has begun. */
export async function draftRun(tx: Tx, { video, durMs }: PlayClaims, quizId: string): Promise<AttemptRun> {
  const found = await row(
    tx,
    DraftRow,
    sql`select q.draft from quizzes q join videos v on v.id = q.video_id and v.deleted_at is null
      where q.id = ${quizId} and q.video_id = ${video}`,
  )
  const questions = found ? finishedOf(found.draft, durMs) : []
  if (!found || questions.length === 0) throw refuse('not_found')
  return {
    id: crypto.randomUUID(),
    versionId: quizId,
    number: 1,
    seed: randomInt(2 ** 31),
    settings: found.draft.settings,
    items: questions.map((question, position) => ({ id: question.key, position, question })),
    answers: [],
    begun: 1,
    isOfEarlierDuty: false,
    maxScore: questions.reduce((sum, { points }) => sum + points, 0),
    completedAt: null,
  }
}

type Beginning = { again: boolean; blank: () => Promise<AttemptRun> }

/**
 * The attempt of a page that is a preview or is read by a program, or a new one. It acts like any other attempt and leaves nothing behind: no
 * figure reads the table, and what lies there ends after a day, or after a thousand later ones of the organization. The page then begins anew.
 */
export async function startTrial(
  tx: Tx,
  claims: PlayClaims,
  { again, blank }: Beginning,
): Promise<AttemptRun> {
  await tx.execute(sql`select ${lock('attemptStart', claims.session)}`)
  const known = await lockTrial(tx, claims)
  if (known && !(again && known.completedAt)) return known
  const run = await keepTrial(tx, claims, await blank())
  await tx.execute(sql`delete from quiz_trials where organization_id = ${claims.org} and session_id in (
    select session_id from quiz_trials where organization_id = ${claims.org} and changed_at < (
      select changed_at from quiz_trials where organization_id = ${claims.org} order by changed_at desc offset ${mostTrials - 1} limit 1)
    for update skip locked)`)
  return run
}

/** The attempt after this answer. Refuses as `answer` does, and with `not_found` where the page has no such attempt any more. */
export async function answerTrial(
  tx: Tx,
  claims: PlayClaims,
  { attemptId, reply }: { attemptId: string; reply: Reply },
): Promise<AttemptRun> {
  const known = await lockTrial(tx, claims)
  if (known?.id !== attemptId) throw refuse('not_found')
  const { run, isNew } = answer(known, reply, new Date())
  return isNew ? keepTrial(tx, claims, run) : run
}

const TrialRow = z.object({ run: z.unknown() })

/** Nobody else answers in it until the transaction ends. What an earlier release wrote in another form is as good as gone. */
async function lockTrial(tx: Tx, { org, session }: PlayClaims): Promise<AttemptRun | undefined> {
  const found = await row(
    tx,
    TrialRow,
    sql`select run from quiz_trials where organization_id = ${org} and session_id = ${session} for update`,
  )
  const read = StoredRun.safeParse(found?.run)
  return read.success ? runFrom(read.data) : undefined
}

async function keepTrial(tx: Tx, { org, session }: PlayClaims, run: AttemptRun): Promise<AttemptRun> {
  await tx.execute(
    sql`insert into quiz_trials (organization_id, session_id, run) values (${org}, ${session}, ${JSON.stringify(run)}::jsonb)
      on conflict (organization_id, session_id) do update set run = excluded.run, changed_at = now()`,
  )
  return run
}

/** Takes away what was tried a day ago: a page can report no longer than that. */
export const forgetTrials = ({ single }: Pick<Database, 'single'>) =>
  single.execute(sql`delete from quiz_trials where changed_at < now() - interval '1 day'`)
