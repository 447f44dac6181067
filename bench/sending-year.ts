import type { BenchDatabase } from './database.ts'

/**
 * What a year of viewing goes with: groups and a project of the largest organization, a transmission a week from every organization,
 * one to a quarter of everybody in the largest, and what people did in the console, each on some 50 days. Needs the tables of `fillYear`.
 */
export async function fillSending(
  database: BenchDatabase,
  { people, entries }: { people: number; entries: number },
) {
  await database.query('select setseed(0.43)')
  await database.query(
    `insert into projects (organization_id, name) select id, 'Training' from bench_orgs where n = 1`,
  )
  await database.query(
    `update videos v set project_id = p.id from projects p, bench_videos b where b.org = 1 and b.n <= 20 and v.id = b.video_id`,
  )
  await gatherGroups(database, people)
  await sendWeekly(database, people)
  await database.query(
    `insert into audit (organization_id, actor_id, actor_name, action, entity, entity_id, at)
      select case when e.n % 50 > 0 then o.id end, u.id, 'Person', (array['auth.sign_in', 'auth.sign_in', 'auth.sign_in', 'auth.sign_out',
        'auth.sign_in_failed', 'user.created', 'user.changed', 'user.changed', 'group.changed', 'video.changed', 'transmission.sent',
        'report.downloaded'])[1 + e.n % 12], 'user', u.id,
        date_trunc('day', now(), 'UTC') - make_interval(days => abs(hashint8(hashtext(u.id::text)::bigint * 31 + (random() * 50)::int)) % 365) + interval '9 hours'
      from generate_series(1, $1::int) e(n)
      cross join lateral (select case when e.n % 5 = 0 then 1 else 2 + e.n % 19 end as org) w
      join bench_orgs o on o.n = w.org join bench_actors u on u.org = w.org and u.n = 1 + (e.n / 7) % u.many`,
    [entries],
  )
  await database.query('delete from audit_unsealed')
}

/** One group of a twentieth of the people of the largest organization, and five that have as many together. */
async function gatherGroups(database: BenchDatabase, people: number): Promise<void> {
  await database.query(
    `create unlogged table bench_crowd as select p.*, o.id as organization_id, row_number() over (partition by p.org order by random())::int as place
      from bench_people p join bench_orgs o on o.n = p.org`,
  )
  await database.query('create index on bench_crowd (org, place)')
  await database.query(
    `create unlogged table bench_actors as select org, place as n, id, max(place) over (partition by org) as many
      from bench_crowd where place <= case when org = 1 then 300 else 60 end`,
  )
  await database.query(
    `insert into groups (organization_id, name) select id, 'Group ' || g from bench_orgs, generate_series(0, 5) g where n = 1`,
  )
  await database.query(
    `insert into group_members (organization_id, group_id, user_id)
      select g.organization_id, g.id, c.id from groups g join bench_crowd c on c.organization_id = g.organization_id
      where g.name = 'Group 0' and c.place <= $1::int
        or g.name = 'Group ' || 1 + c.place % 5 and c.place > $1::int and c.place <= 2 * $1::int`,
    [Math.round(people / 100)],
  )
}

async function sendWeekly(database: BenchDatabase, people: number): Promise<void> {
  await database.query(
    `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, created_at)
      select o.id, 'completed', 'Message ' || week, 'Please watch.', v.video_id, v.version_id, a.id, 'Person', '{}', now() - week * interval '7 days'
      from bench_orgs o cross join generate_series(0, 52) week
      join bench_videos v on v.org = o.n and v.n = case when week = 0 then 1 else 1 + week % 10 end
      join bench_actors a on a.org = o.n and a.n = 1`,
  )
  await database.query(
    `insert into deliveries (transmission_id, organization_id, user_id, address, state, created_at, accepted_at)
      select t.id, t.organization_id, c.id, c.id || '@bench.test', case c.n % 40 when 0 then 'bounced' when 1 then 'skipped' else 'accepted' end,
        t.created_at, t.created_at
      from transmissions t join bench_orgs o on o.id = t.organization_id
      cross join lateral (select case when o.n = 1 then $1::int else $1::int / 5 end as share) s
      join bench_crowd c on c.org = o.n and (t.subject = 'Message 0' and o.n = 1 and c.place <= s.share * 5
        or not (t.subject = 'Message 0' and o.n = 1) and hashint4(c.n + hashtext(t.subject)) % 20 = 0)`,
    [Math.round(people / 100)],
  )
  await database.query(
    `insert into delivery_viewing (transmission_id, delivery_id, organization_id, opened_at, first_play_at, last_at, completed_at)
      select transmission_id, id, organization_id, at, case when luck < 0.5 then at end, at, case when luck < 0.25 then at end
      from (select d.*, created_at + interval '1 hour' as at, random() as luck from deliveries d where state = 'accepted') d where luck < 0.6`,
  )
}
