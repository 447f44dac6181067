import { randomUUID } from 'node:crypto'
import { defaultPolicies } from '#contract/organizations.ts'
import { addQuiz, recount } from '#server/testing/answers.ts'
import { choices, question } from '#server/testing/quizzes.ts'
import type { BenchDatabase } from './database.ts'

const questions = 10
const durationMs = 600_000
const taughtMs = 50_000

type Pool = Parameters<typeof addQuiz>[0]['services']['db']['system']
export type QuizCrowd = Awaited<ReturnType<typeof addVideo>> & {
  quizId: string
  versionId: string
  itemIds: string[]
}

/**
 * People who watched a video of ten minutes in one or two sessions of some spans and answered ten questions on the way, a fifth of
 * them again after they had failed. Chance is a hash of who and what, so that every run has the same crowd.
 */
export async function gatherQuizCrowd(database: BenchDatabase, people: number): Promise<QuizCrowd> {
  const where = await addVideo(database)
  const asked = Array.from({ length: questions }, (_, n) =>
    question({
      kind: n === 9 ? 'text' : 'single',
      options: n === 9 ? [] : choices('*A', 'B', 'C', 'D'),
      texts: n === 9 ? ['car park'] : [],
      points: 1 + (n % 2),
      atMs: (n + 1) * taughtMs,
      teaches: [n * taughtMs, (n + 1) * taughtMs],
    }),
  )
  // Rows are what the caller says they are, as with a pool.
  const pool = {
    query: async (text: string, values: unknown[]) => ({ rows: await database.query(text, values) }),
  }
  const services = { db: { system: pool as Pool } }
  const quiz = await addQuiz({ services }, where, { questions: asked })
  await database.query(
    `create function luck(who text, what int) returns int immutable language sql
      return (hashtextextended(who, what) & 2147483647)::int`,
  )
  await database.query(
    `insert into users (organization_id, name, email) select $1, 'Person ' || n, 'p' || n || '@quiz.example' from generate_series(1, $2::int) n`,
    [where.organizationId, people],
  )
  await database.query(
    `with who as (select id, row_number() over (order by id) as n from users where organization_id = $1)
      insert into play_sessions (id, organization_id, video_id, version_id, viewer_key, user_id, started_at, zero_at, last_at, duration_ms)
      select gen_random_uuid(), $1, $2, $3, 'recipient:' || id, id, at, at, at + interval '14 minutes', ${durationMs}
      from (select id, now() - interval '20 days' + luck(n::text, 1) % 15 * interval '1 day' + s * interval '1 hour' as at
        from who, generate_series(0, case when n % 3 = 0 then 1 else 0 end) s) made`,
    [where.organizationId, where.videoId, where.mediaVersionId],
  )
  await database.query(
    `insert into group_members (organization_id, group_id, user_id)
      select $1, $2, id from (select id, row_number() over (order by id) as n from users where organization_id = $1) who where n % 10 = 3`,
    [where.organizationId, where.groupId],
  )
  // Three in four spans earn their credit; what is skipped, nobody has watched.
  await database.query(
    `insert into play_spans (session_id, i, organization_id, start_ms, end_ms, wall_ms, rate, flags, began_ms, seen_ms, refused)
      select s.id, k, $1, k * 100000, k * 100000 + 60000 + luck(s.id::text, k) % 40000, 60000, 100, 0, k * 100000, k * 100000 + 70000,
        case when luck(s.id::text, 50 + k) % 8 = 0 then 'rate' end
      from play_sessions s, generate_series(0, 5) k where luck(s.id::text, 90 + k) % 4 > 0`,
    [where.organizationId],
  )
  await database.query(
    `update play_sessions s set coverage = p.parts from (select session_id, range_agg(int4range(start_ms, end_ms)) as parts
      from play_spans where refused is null group by 1) p where p.session_id = s.id`,
  )
  await database.query(
    `with who as (select id, row_number() over (order by id) as n from users where organization_id = $1),
      first as (select distinct on (viewer_key) viewer_key, id, started_at from play_sessions order by viewer_key, started_at)
      insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, started_at,
        max_score)
      select $1, $2, $3, $4, f.viewer_key, w.id, f.id, a, 1, f.started_at + (a - 1) * interval '1 day', $5
      from who w join first f on f.viewer_key = 'recipient:' || w.id, generate_series(1, case when w.n % 5 = 0 then 2 else 1 end) a`,
    [where.organizationId, quiz.quizId, quiz.versionId, where.videoId, quiz.maxScore],
  )
  await database.query(
    `with options as (select id, position, points, array(select o ->> 'id' from jsonb_array_elements(question -> 'options') o) as ids
        from quiz_items where version_id = $2),
      drawn as (select a.id as attempt, a.started_at, o.*, t, luck(a.id::text, o.position * 3 + t) as luck
        from quiz_attempts a, options o, generate_series(1, 2) t),
      given as (select *, luck % 100 < 45 + position * 4 as correct from drawn)
      insert into quiz_answers (attempt_id, item_id, organization_id, try, answer, score, correct, answered_at, took_ms)
      select g.attempt, g.id, $1, g.t,
        case when g.ids = '{}' then to_jsonb(case when g.correct then 'Car  park' else 'Lobby ' || g.luck % 300 end)
          else to_jsonb(array[g.ids[case when g.correct then 1 else 2 + g.luck % 3 end]]) end,
        case when g.correct then g.points else 0 end, g.correct, g.started_at + ((g.position + 1) * 60 + g.t * 20) * interval '1 second',
        3000 + g.luck % 40000
      from given g left join given f on f.attempt = g.attempt and f.id = g.id and f.t = 1
      where g.t = 1 or (not f.correct and f.luck % 2 = 0)`,
    [where.organizationId, quiz.versionId],
  )
  await database.query(
    `update quiz_attempts a set score = w.score, completed_at = w.at, passed = w.score >= a.max_score / 2
      from (select attempt_id, sum(score) filter (where try = 1) as score, max(answered_at) as at from quiz_answers group by 1) w
      where w.attempt_id = a.id`,
  )
  await recount({ services }, quiz.versionId)
  await database.query('vacuum analyze')
  return {
    ...where,
    quizId: quiz.quizId,
    versionId: quiz.versionId,
    itemIds: quiz.items.map(({ id }) => id),
  }
}

async function addVideo(database: BenchDatabase) {
  const ids = {
    organizationId: randomUUID(),
    projectId: randomUUID(),
    groupId: randomUUID(),
    videoId: randomUUID(),
    mediaVersionId: randomUUID(),
  }
  const { organizationId, projectId, groupId, videoId, mediaVersionId } = ids
  await database.query(
    `insert into organizations (id, name, slug, policies) values ($1, 'Quiz', 'quiz', $2)`,
    [organizationId, JSON.stringify(defaultPolicies)],
  )
  await database.query(`insert into projects (organization_id, id, name) values ($1, $2, 'Project')`, [
    organizationId,
    projectId,
  ])
  await database.query(`insert into groups (organization_id, id, name) values ($1, $2, 'Group')`, [
    organizationId,
    groupId,
  ])
  await database.query(
    `insert into videos (organization_id, id, project_id, title, state, privacy) values ($1, $2, $3, 'Video', 'ready', 'link')`,
    [organizationId, videoId, projectId],
  )
  await database.query(
    `insert into video_versions (organization_id, video_id, id, number, file_name, size, duration_ms, width, height, ready_at)
      values ($1, $2, $3, 1, 'video.mp4', 1000, ${durationMs}, 1280, 720, now())`,
    [organizationId, videoId, mediaVersionId],
  )
  await database.query('update videos set current_version_id = $2 where id = $1', [videoId, mediaVersionId])
  return ids
}
