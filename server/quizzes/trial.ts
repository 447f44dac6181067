import { randomInt } from 'node:crypto'
import * as z from 'zod/mini'
import { finishedOf } from '#contract/quizzes/quiz-check.ts'
import { QuizDraft } from '#contract/quizzes/quizzes.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import type { PlayClaims } from '../tracking/ingest/token.ts'
import { answer, type Reply, type AttemptRun } from './run.ts'

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
 * Attempts of previews and of programs: they act like any other and leave nothing behind, because they live in the memory of this process alone, one
 * for each page that is open. A restart, or a thousand later trials, ends them; the page then begins anew.
 */
export function trialRuns() {
  const runs = new Map<string, AttemptRun>()

  function keep({ session }: PlayClaims, run: AttemptRun): AttemptRun {
    runs.delete(session)
    runs.set(session, run)
    const [oldest] = runs.keys()
    if (runs.size > mostTrials && oldest !== undefined) runs.delete(oldest)
    return run
  }

  return {
    async start(claims: PlayClaims, { again, blank }: Beginning): Promise<AttemptRun> {
      const known = runs.get(claims.session)
      return known && !(again && known.completedAt) ? known : keep(claims, await blank())
    },
    answer(claims: PlayClaims, { attemptId, reply }: { attemptId: string; reply: Reply }): AttemptRun {
      const known = runs.get(claims.session)
      if (known?.id !== attemptId) throw refuse('not_found')
      return keep(claims, answer(known, reply, new Date()).run)
    },
  }
}
