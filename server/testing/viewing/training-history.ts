import type { TestServer } from '../server.ts'
import { chance } from './viewers.ts'
import { addVideo } from './viewing.ts'

type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>
export type AskedVideo = { videoId: string; versionId: string; quiz: { id: string; versionId: string } }
type Place = { query: Query; orgId: string; people: readonly string[]; videos: readonly AskedVideo[] }

/** A video with questions, and what these ask. */
export async function addAskedVideo(
  server: TestServer,
  { organizationId, title, rules }: { organizationId: string; title: string; rules: object },
): Promise<AskedVideo> {
  const video = await addVideo(server, { organizationId, title })
  const { rows } = await server.services.db.system.query<AskedVideo['quiz']>(
    `with q as (insert into quizzes (organization_id, video_id, draft, current_version_id) values ($1, $2, '{}', gen_random_uuid())
        returning id, current_version_id as v),
      n as (insert into quiz_versions (id, organization_id, quiz_id, number, settings, max_score) select v, $1, id, 1, $3, 1 from q)
      select id, v as "versionId" from q`,
    [organizationId, video.videoId, rules],
  )
  const [quiz] = rows
  if (!quiz) throw new Error('it was put in')
  return { ...video, quiz }
}

const states = ['queued', 'sending', 'accepted', 'delivered', 'bounced', 'skipped', 'cancelled']

/** What can happen to a matrix, by chance; each in one statement of several people where that is possible. */
export function trainingHistory({ query, orgId, people, videos }: Place, seed: number) {
  const { next, pick, between } = chance(seed)
  const some = () => people.filter(() => next() < 0.4)
  const day = () => pick([null, '-3 days', '-1 hour', '2 days', '9 days'])
  const video = () => pick(videos)
  /** As the product does it: in the order of their ids, so that two who change the same people never wait for each other crosswise. */
  const changePeople = (how: string, whose: readonly string[]) =>
    query(
      `update users set ${how} where id in (select id from users where id = any($1) order by id for update)`,
      [whose],
    )
  const acts: Record<string, () => Promise<unknown>> = {
    async sends() {
      const { videoId, versionId } = video()
      await query(
        `with t as (insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, due_at)
            values ($1, 'sending', 'S', 'B', $2, $3, $1, 'Ada', '{}', now() + $4::interval) returning id)
          insert into deliveries (transmission_id, organization_id, user_id, address, state)
          select t.id, $1, u, u || '@example.test', $6 from t, unnest($5::uuid[]) u`,
        [orgId, videoId, versionId, day(), some(), pick(states)],
      )
    },
    settles: () =>
      query(`update deliveries set state = $2 where organization_id = $1 and user_id = any($3)`, [
        orgId,
        pick(states),
        some(),
      ]),
    'moves due days': () =>
      query(
        `update transmissions set due_at = now() + $2::interval where organization_id = $1 and video_id = $3`,
        [orgId, day(), video().videoId],
      ),
    cancels: () =>
      query(
        `update transmissions set state = 'cancelled', scheduled_at = now() where id = (select id from transmissions where organization_id = $1 and state = 'sending' limit 1)`,
        [orgId],
      ),
    'loses deliveries': () =>
      query(`delete from deliveries where organization_id = $1 and user_id = $2`, [orgId, pick(people)]),
    watches() {
      const { videoId, versionId } = video()
      return query(
        `insert into viewer_videos (organization_id, video_id, version_id, user_id, viewer_key, first_at, last_at, plays, completed_at)
          select $1, $2, $3, u, 'recipient:' || u, now(), now(), $5, case when $6 then now() end from unnest($4::uuid[]) u
          on conflict (version_id, viewer_key) do update set plays = viewer_videos.plays + 1,
            completed_at = coalesce(viewer_videos.completed_at, excluded.completed_at)`,
        [orgId, videoId, versionId, some(), between(0, 1), next() < 0.5],
      )
    },
    'loses evidence': () =>
      query(
        pick([
          `delete from viewer_videos where organization_id = $1 and user_id = $2`,
          `update viewer_videos set plays = 0, covered_ms = 0 where organization_id = $1 and user_id = $2`,
          `update viewer_videos set user_id = null, viewer_key = 'gone:' || gen_random_uuid() where organization_id = $1 and user_id = $2`,
          `delete from quiz_attempts where organization_id = $1 and user_id = $2`,
        ]),
        [orgId, pick(people)],
      ),
    answers() {
      const { videoId, quiz } = video()
      return query(
        `insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, max_score, completed_at, passed)
          select $1, $6, $7, $2, 'recipient:' || u, u, gen_random_uuid(), 1 + coalesce((select max(number) from quiz_attempts o
            where o.quiz_id = $6 and o.viewer_key = 'recipient:' || u), 0), 1, 1, case when $4 then now() end, $4 and $5
          from unnest($3::uuid[]) u`,
        [orgId, videoId, some(), next() < 0.7, next() < 0.4, quiz.id, quiz.versionId],
      )
    },
    grades: () =>
      query(
        `update quiz_attempts set completed_at = now(), passed = $2 where organization_id = $1 and completed_at is null`,
        [orgId, next() < 0.7],
      ),
    waives: () =>
      query(
        `insert into training_waivers (organization_id, user_id, video_id, reason, given_by_name, until)
          select $1, u, $2, 'R', 'Ada', now() + $4::interval from unnest($3::uuid[]) u on conflict do nothing`,
        [orgId, video().videoId, some(), day()],
      ),
    'ends waivers': () =>
      query(
        `update training_waivers set ended_at = now() where organization_id = $1 and ended_at is null and user_id = any($2)`,
        [orgId, some()],
      ),
    'undoes that': () =>
      query(
        `update training_waivers set ended_at = null where id in (select distinct on (user_id, video_id) id from training_waivers x
            where organization_id = $1 and user_id = any($2) and not exists (select from training_waivers o
              where o.user_id = x.user_id and o.video_id = x.video_id and o.ended_at is null))`,
        [orgId, some()],
      ),
    obliges: () =>
      query(
        `with a as (insert into assignments (organization_id, name, state, video_id, audience, requirement, due, reminders, subject, message,
            created_by, created_by_name) values ($1, 'A', 'active', $2, '{}', $3, '{"kind": "none"}', '{}', 'S', 'B', $1, 'Ada') returning id)
          insert into obligations (organization_id, assignment_id, user_id, video_id, counts_from, due_at, covered_ms)
          select $1, a.id, u, $2, now() - interval '1 hour', now() + $5::interval, $6 from a, unnest($4::uuid[]) u`,
        [orgId, video().videoId, pick(['watched', 'passed']), some(), day(), between(0, 1)],
      ),
    'does what is owed': () =>
      query(
        `update obligations set state = 'done', done_at = now(), covered_ms = 1000, valid_until = now() + $2::interval, waived_until = null
          where organization_id = $1 and user_id = any($3) and counts_from > '-infinity' and state in ('open', 'waived')`,
        [orgId, day(), some()],
      ),
    'asks again': () =>
      query(
        `insert into obligations (organization_id, assignment_id, user_id, video_id, cycle, counts_from, due_at)
          select organization_id, assignment_id, user_id, video_id, cycle + 1, now(), valid_until from obligations o
          where organization_id = $1 and user_id = any($2) and counts_from > '-infinity' and state = 'done' and valid_until is not null on conflict do nothing`,
        [orgId, some()],
      ),
    'waives or moves what is owed': () =>
      query(
        pick([
          `update obligations set state = 'waived', waived_until = now() + $3::interval where organization_id = $1 and user_id = any($2) and counts_from > '-infinity' and state = 'open'`,
          `update obligations set state = 'open', waived_until = null, due_at = now() + $3::interval where organization_id = $1 and user_id = any($2) and counts_from > '-infinity' and state = 'waived'`,
        ]),
        [orgId, some(), day()],
      ),
    'asks other questions': () =>
      query(
        `with n as (insert into quiz_versions (organization_id, quiz_id, number, settings, max_score)
            select $1, $2, 1 + max(number), $3, 1 from quiz_versions where quiz_id = $2 returning id)
          update quizzes set current_version_id = n.id from n where quizzes.id = $2`,
        [orgId, video().quiz.id, { passRequired: next() < 0.7, passMark: 0.5, attempts: pick([1, 2, null]) }],
      ),
    'asks for something else': () =>
      query(
        `update assignments set requirement = $2 where organization_id = $1 and video_id = $3 and message_id is null`,
        [orgId, pick(['watched', 'passed']), video().videoId],
      ),
    'counts other answers': () =>
      query(
        `update obligations set answers_from = now() + $2::interval where organization_id = $1 and user_id = any($3) and counts_from > '-infinity'`,
        [orgId, pick([null, '-1 hour', '0']), some()],
      ),
    'ends what is owed': () =>
      query(
        `update obligations set state = 'ended', ending = 'left', waived_until = null where organization_id = $1 and user_id = $2 and counts_from > '-infinity' and state in ('open', 'waived')`,
        [orgId, pick(people)],
      ),
    'ends an assignment': async () => {
      const ended = await query<{ id: string }>(
        `update assignments set state = 'ended' where id = (select id from assignments where organization_id = $1 and state = 'active' and message_id is null limit 1) returning id`,
        [orgId],
      )
      await query(
        `update obligations set state = 'ended', ending = 'assignment_ended' where assignment_id = any($1) and state in ('open', 'waived')`,
        [ended.map(({ id }) => id)],
      )
    },
    'switches people off': () => changePeople(`state = 'disabled'`, some().slice(0, 2)),
    'removes people': () => changePeople(`state = 'deleted', deleted_at = now()`, some().slice(0, 2)),
    'brings people back': () => changePeople(`state = 'active', deleted_at = null`, people),
    'removes a video': () => query('update videos set deleted_at = now() where id = $1', [video().videoId]),
    'brings videos back': () =>
      query('update videos set deleted_at = null where organization_id = $1', [orgId]),
  }
  const names = Object.keys(acts)
  return async (): Promise<string> => {
    const name = pick(names)
    // Of two who write the same at once, one is refused.
    await acts[name]?.().catch((error: { code?: string }) => error.code === '23505' || Promise.reject(error))
    return name
  }
}
