import { randomUUID } from 'node:crypto'
import { defaultQuizSettings, type QuizQuestion } from '#contract/quizzes/quizzes.ts'
import type { TestServer } from '../server.ts'

/** A test server, or the database of a running product. */
type WithDatabase = { services: { db: { system: Pick<TestServer['services']['db']['system'], 'query'> } } }

type Where = { organizationId: string; videoId: string }
export type AddedQuiz = Where & {
  quizId: string
  versionId: string
  maxScore: number
  passMark: number
  items: { id: string; question: QuizQuestion }[]
}

/** A published version with these questions; a further one where the video has some already. */
export async function addQuiz(
  { services }: WithDatabase,
  where: Where,
  { questions, passMark = 0.5 }: { questions: QuizQuestion[]; passMark?: number },
): Promise<AddedQuiz> {
  const settings = { ...defaultQuizSettings, passMark }
  const maxScore = questions.reduce((sum, { points }) => sum + points, 0)
  const made = await services.db.system.query<{ quizId: string; versionId: string; id: string }>(
    `with z as (insert into quizzes (organization_id, video_id, draft) values ($1, $2, $3)
        on conflict (video_id) do update set draft = excluded.draft returning id),
      y as (insert into quiz_versions (organization_id, quiz_id, number, settings, max_score)
        select $1, id, 1 + (select count(*) from quiz_versions o where o.quiz_id = z.id), $4, $5 from z returning id, quiz_id),
      i as (insert into quiz_items (organization_id, version_id, key, position, kind, at_ms, gate, points, question, teaches_from_ms,
          teaches_to_ms)
        select $1, y.id, (q ->> 'key')::uuid, n - 1, q ->> 'kind', (q ->> 'atMs')::int, (q ->> 'gate')::bool, (q ->> 'points')::float8, q,
          (q #>> '{teaches,0}')::int, (q #>> '{teaches,1}')::int from y, jsonb_array_elements($6::jsonb) with ordinality x(q, n)
        returning id, position)
      select y.quiz_id as "quizId", y.id as "versionId", i.id from y, i order by i.position`,
    [
      where.organizationId,
      where.videoId,
      JSON.stringify({ settings, questions }),
      JSON.stringify(settings),
      maxScore,
      JSON.stringify(questions),
    ],
  )
  const { quizId = '', versionId = '' } = made.rows[0] ?? {}
  await services.db.system.query('update quizzes set current_version_id = $2 where id = $1', [
    quizId,
    versionId,
  ])
  const items = questions.map((asked, at) => ({ id: made.rows[at]?.id ?? '', question: asked }))
  return { ...where, quizId, versionId, maxScore, passMark, items }
}

/** `score` of what was answered; without one, all of the points where it is `correct`. */
type Given = { correct: boolean; score?: number; answer?: string[] | string; tookMs?: number }
export type Taken = {
  /** Somebody known by name; without one, a visitor. */
  userId?: string
  viewerKey?: string
  sessionId?: string
  number?: number
  /** For each question the tries at it; null: not answered. */
  answers: (Given | Given[] | null)[]
  completed?: boolean
  at?: Date
}

/** An attempt as answering leaves it. Option 0 is taken to be right and option 1 wrong where no answer is given. */
export async function addAttempt({ services }: WithDatabase, quiz: AddedQuiz, taken: Taken): Promise<string> {
  const { userId, number = 1, completed = true, at = new Date(), sessionId = randomUUID() } = taken
  const viewerKey = taken.viewerKey ?? (userId ? `recipient:${userId}` : `visitor:${sessionId}`)
  const answers = taken.answers.flatMap((given, position) => {
    const item = quiz.items[position]
    if (!item || given === null) return []
    return [given].flat().map(({ correct, score, answer, tookMs = 4_000 }, n) => ({
      item_id: item.id,
      try: n + 1,
      answer: answer ?? [item.question.options[correct ? 0 : 1]?.id],
      score: score ?? (correct ? item.question.points : 0),
      correct,
      answered_at: new Date(at.getTime() + n * 60_000),
      took_ms: tookMs,
    }))
  })
  const score = answers.filter((one) => one.try === 1).reduce((sum, one) => sum + one.score, 0)
  const made = await services.db.system.query<{ id: string }>(
    `with a as (insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed,
          started_at, completed_at, score, max_score, passed, took_ms)
        values ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $10, $11, $12, $13, $15) returning id),
      w as (insert into quiz_answers (attempt_id, organization_id, item_id, try, answer, score, correct, answered_at, took_ms)
        select a.id, $1, x.item_id, x.try, x.answer, x.score, x.correct, x.answered_at, x.took_ms
        from a, jsonb_to_recordset($14::jsonb) as x(item_id uuid, try int, answer jsonb, score float8, correct bool, answered_at timestamptz,
          took_ms int) returning 1)
      select id from a`,
    [
      quiz.organizationId,
      quiz.quizId,
      quiz.versionId,
      quiz.videoId,
      viewerKey,
      userId ?? null,
      sessionId,
      number,
      at,
      completed ? at : null,
      score,
      quiz.maxScore,
      completed ? score >= quiz.passMark * quiz.maxScore : null,
      JSON.stringify(answers),
      answers.reduce((sum, one) => sum + one.took_ms, 0),
    ],
  )
  if (completed) await recount({ services }, quiz.versionId)
  return made.rows[0]?.id ?? ''
}

const firsts = `select distinct on (coalesce(user_id::text, viewer_key)) id from quiz_attempts
  where version_id = $1 and completed_at is not null order by coalesce(user_id::text, viewer_key), completed_at, id`
const marks = `select i.id as item_id, a.organization_id, a.version_id, i.kind, coalesce(w.score, 0) as x, a.score as t, w.answer
  from quiz_attempts a join quiz_items i on i.version_id = a.version_id
  left join quiz_answers w on w.attempt_id = a.id and w.item_id = i.id and w.try = 1 where a.version_id = $1 and a.is_first`

/** What is told of the questions of a version ($1) follows from these, by nothing but the answers: brute force, in words of its own. */
export const countedItems = `with marks as (${marks}),
  given as (select m.item_id, g.key from marks m cross join lateral (
    select jsonb_array_elements_text(case jsonb_typeof(m.answer) when 'array' then m.answer end) as key union all
    select case m.kind when 'number' then left(btrim(m.answer #>> '{}'), 40)
      else left(regexp_replace(btrim(fold_text(m.answer #>> '{}')), '\\s+', ' ', 'g'), 80) end where jsonb_typeof(m.answer) <> 'array') g),
  options as (select item_id, jsonb_object_agg(key, n) as options
    from (select item_id, key, count(*) as n from given group by 1, 2) k group by 1)
  select item_id, organization_id, version_id, count(*)::int as n,
    coalesce((select options from options o where o.item_id = m.item_id), '{}') as options,
    (select jsonb_agg(jsonb_build_array(x, t, n) order by x, t) from (select x, t, count(*) as n from marks k
      where k.item_id = m.item_id group by 1, 2) pairs) as marks
  from marks m group by 1, 2, 3 order by 1`

/** Which attempts at a version are the first of their person, and how long each took. */
export async function recount({ services }: WithDatabase, versionId: string): Promise<void> {
  for (const statement of [
    'update quiz_attempts set is_first = false where version_id = $1 and is_first',
    `update quiz_attempts a set took_ms = coalesce((select sum(w.took_ms) from quiz_answers w where w.attempt_id = a.id), 0)
      where version_id = $1`,
    `update quiz_attempts set is_first = true where id in (${firsts})`,
  ])
    await services.db.system.query(statement, [versionId])
}
