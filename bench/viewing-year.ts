import type { BenchDatabase } from './database.ts'

/** How much viewing there is: so many sessions of so many people and visitors within twelve months. */
type Size = { sessions: number; organizations: number; videos: number }

/**
 * A year of viewing as the aggregation leaves it behind, without evidence: one organization has a fifth of everything, three times as many
 * videos as every other, and one that a sixth of its sessions are of. Six of ten sessions
 * are of people known by name, who come again after days or months and watch several videos; each other visitor came once. A quarter
 * of all viewings is completed.
 */
export async function fillYear(
  database: BenchDatabase,
  { sessions, organizations, videos }: Size,
): Promise<void> {
  const people = Math.round(sessions / 5)
  await database.query(
    `insert into organizations (id, name, slug, policies) select uuidv7(), 'Organization ' || n, 'org-' || n, '{}' from generate_series(1, $1::int) n`,
    [organizations],
  )
  await database.query(
    `create unlogged table bench_orgs as select id, row_number() over (order by slug = 'org-1' desc, id)::int as n from organizations`,
  )
  const orgOf = (luck: string) =>
    `case when ${luck} < 0.2 then 1 else 2 + floor((${luck} - 0.2) / 0.8 * ${organizations - 1})::int end`
  await database.query('select setseed(0.42)')
  await database.query(
    `insert into videos (organization_id, title, state) select o.id, 'Video ' || v, 'ready' from bench_orgs o,
      generate_series(1, case when o.n = 1 then $2 else $1 end::int) v`,
    [videos, videos * 3],
  )
  await database.query(
    `insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
      select organization_id, id, 1, 'video.mp4', 1000, 600000, now() from videos`,
  )
  await database.query(
    'update videos v set current_version_id = r.id from video_versions r where r.video_id = v.id',
  )
  await database.query(
    `create unlogged table bench_videos as select o.n as org, row_number() over (partition by o.n order by v.id)::int as n, v.id as video_id,
      r.id as version_id, o.id as organization_id from videos v join bench_orgs o on o.id = v.organization_id join video_versions r on r.video_id = v.id`,
  )
  await database.query(
    `insert into users (organization_id, name, email) select o.id, 'Person ' || p.n, 'person-' || p.n || '@bench.test'
      from (select n, ${orgOf('luck')} as org from (select n, random() as luck from generate_series(1, $1::int) n offset 0) l) p join bench_orgs o on o.n = p.org`,
    [people],
  )
  await database.query(
    `create unlogged table bench_people as select u.id, o.n as org, row_number() over (order by u.id)::int as n from users u join bench_orgs o on o.id = u.organization_id`,
  )
  await database.query('create index on bench_people (n)')
  await database.query('analyze')
  // Who comes is anybody, when is any day, for how long up to ten minutes.
  await database.query(
    `create unlogged table bench_sessions as
      select v.organization_id, v.video_id, v.version_id, p.id as user_id,
        case when p.id is null then 'visitor:' || uuidv7() else 'recipient:' || p.id end as viewer_key,
        date_trunc('day', now(), 'UTC') - make_interval(days => floor(s.age * 365)::int) + interval '8 hours' as at,
        floor(s.length * 600000)::int as watch_ms, s.length > 0.75 as completed
      from (select n, random() as who, ${orgOf('luck')} as org, age, length, pick, random() < 0.6 as is_known
        from (select n, random() as luck, random() as age, random() as length, random() as pick from generate_series(1, $1::int) n offset 0) l offset 0) s
      left join bench_people p on s.is_known and p.n = 1 + floor(s.who * $3::int)::int
      join bench_videos v on v.org = coalesce(p.org, s.org) and
        v.n = 1 + floor(case when v.org = 1 then s.pick * s.pick * $4::int else s.pick * $2::int end)::int`,
    [sessions, videos, people, videos * 3],
  )
  await database.query(
    `insert into viewer_days (organization_id, day, video_id, viewer_key, user_id, sessions, plays, watch_ms, wall_ms)
      select organization_id, to_char(at at time zone 'UTC', 'YYYY-MM-DD'), video_id, viewer_key, user_id, count(*), count(*), sum(watch_ms), sum(watch_ms)
      from bench_sessions group by 1, 2, 3, 4, 5`,
  )
  await database.query(
    `insert into viewer_videos (version_id, viewer_key, organization_id, video_id, user_id, covered_ms, watch_ms, plays, first_at, last_at, completed_at)
      select version_id, viewer_key, organization_id, video_id, user_id, max(watch_ms), sum(watch_ms), count(*), min(at), max(at) + interval '10 minutes',
        min(at) filter (where completed) from bench_sessions group by 1, 2, 3, 4, 5`,
  )
  await database.query(
    `insert into day_rollups (organization_id, day, video_id, watch_ms, plays, sessions, impressions, batches_seen, batches_expected)
      select organization_id, to_char(at at time zone 'UTC', 'YYYY-MM-DD'), video_id, sum(watch_ms), count(*), count(*), count(*), count(*), count(*)
      from bench_sessions group by 1, 2, 3`,
  )
}
