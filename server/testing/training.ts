type Query = (text: string, values?: unknown[]) => Promise<unknown>
/** `share`: in percent, how many of the pairs of a person and a video anything is known of. */
type Size = { organizationId: string; people: number; videos: number; share?: number }

/**
 * So many people who were sent so many videos, half of them with a day by which they are due, each with its own; of what came of
 * it each state has its part, the same at every call.
 */
export async function fillTraining(
  query: Query,
  { organizationId, people, videos, share = 100 }: Size,
): Promise<void> {
  await query(
    `insert into users (organization_id, name, email)
      select $1::uuid, 'Trainee ' || lpad(n::text, 5, '0'), 'trainee-' || n || '@' || $1::uuid || '.test' from generate_series(1, $2::int) n`,
    [organizationId, people],
  )
  await query(
    `with v as (insert into videos (organization_id, title, state)
        select $1::uuid, 'Lesson ' || lpad(n::text, 3, '0'), 'ready' from generate_series(1, $2::int) n returning id),
      r as (insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        select $1, id, 1, 'lesson.mp4', 1, 60000, now() from v returning id, video_id)
    insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, due_at)
      select $1, 'completed', 'Please watch', 'Hello', video_id, id, uuidv7(), 'Ada Sender', '{}',
        case row_number() over (order by id) % 4 when 0 then now() - interval '3 days' when 1 then now() + interval '3 days' end
          + row_number() over (order by id) * interval '1 minute' from r`,
    [organizationId, videos],
  )
  const everyPair = `from users u join transmissions t on t.organization_id = u.organization_id
      join videos v on v.id = t.video_id
      cross join lateral (select abs(hashtext(u.name || v.title)) % 100 as luck) c
    where u.organization_id = $1 and u.email like 'trainee-%' and abs(hashtext(v.title || u.name)) % 100 < ${share}`
  await query(
    `insert into deliveries (transmission_id, organization_id, user_id, address, state, accepted_at)
      select t.id, $1, u.id, u.email, case when luck < 90 then 'accepted' else 'bounced' end, now() ${everyPair} and luck < 95`,
    [organizationId],
  )
  await query(
    `insert into viewer_videos (organization_id, video_id, version_id, user_id, viewer_key, first_at, last_at, plays, covered_ms, completed_at)
      select $1, t.video_id, t.version_id, u.id, 'recipient:' || u.id, now(), now(), 1, 1000, case when luck < 60 then now() end
      ${everyPair} and luck < 75`,
    [organizationId],
  )
  await query(
    `insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, max_score,
        completed_at, passed)
      select $1, t.id, t.version_id, t.video_id, 'recipient:' || u.id, u.id, uuidv7(), 1, 1, 1, now(), luck < 20 ${everyPair} and luck < 25`,
    [organizationId],
  )
  await query(
    `insert into training_waivers (organization_id, user_id, video_id, reason, given_by_name)
      select $1, u.id, t.video_id, 'On leave', 'Ada Sender' ${everyPair} and luck between 80 and 82`,
    [organizationId],
  )
  await query(
    'analyze users, videos, transmissions, deliveries, viewer_videos, quiz_attempts, training_waivers',
  )
}
