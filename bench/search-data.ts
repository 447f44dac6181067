import pg from 'pg'
import { defaultPolicies } from '#contract/organizations.ts'
import type { Role } from '#contract/roles.ts'
import { randomToken, sha256 } from '#server/platform/keys.ts'
import type { BenchDatabase } from './database.ts'
import { syllables } from './population.ts'

/** A million rows in all: the largest organization has a fifth of them, the others share the rest. */
const sizes = {
  organizations: 1_000,
  users: 700_000,
  groups: 99_000,
  videos: 100_000,
  transmissions: 100_000,
}
/** People of the largest organization who are in one of its first fifty groups. */
const members = 20_000

const topics =
  'fire forklift ladder crane harbour warehouse kitchen hygiene payment privacy password phishing welcome first aid chemical noise helmet lifting driver cashier complaint refund leadership feedback'
const kinds = 'safety training basics refresher course update review lesson rules introduction'

/** By chance that is the same in every run: a number from 0 to 2^31 that `n` and the salt decide. */
const chance = (salt: number) => `(hashint8extended(n, ${salt}) & 2147483647)`
const listOf = (words = '') => `'{${words.split(' ').join(',')}}'::text[]`
function pick(words: string | undefined, salt: number): string {
  const list = listOf(words)
  return `(${list})[1 + ${chance(salt)} % cardinality(${list})]`
}
const home = `case when n % 5 = 0 then homes[1] else homes[1 + ${chance(9)} % cardinality(homes)] end`
const homes = `(select array_agg(id order by id) as homes from organizations) h`
const [first1, first2, last1, last2, last3] = syllables
const given = `initcap(${pick(first1, 1)} || ${pick(first2, 2)})`
const family = `initcap(${pick(last1, 3)} || ${pick(last2, 4)} || ${pick(last3, 5)})`
const largest = '(select id from organizations order by id limit 1)'
const numbers = (count: number) => `generate_series(1, ${count}) n`

const rows = [
  `insert into organizations (name, slug, policies)
    select initcap(${pick(last1, 1)} || ${pick(last3, 2)}) || ' ' || n, 'org-' || n, '${JSON.stringify(defaultPolicies)}'
    from ${numbers(sizes.organizations)}`,
  `insert into users (organization_id, name, email, external_id, created_at)
    select home, given || ' ' || family, lower(given || '.' || family) || n || '@people.example', 'E' || lpad(n::text, 7, '0'),
      now() - n * interval '1 second'
    from (select n, ${home} as home, ${given} as given, ${family} as family from ${numbers(sizes.users)}, ${homes} offset 0) made`,
  `insert into groups (organization_id, name)
    select ${home}, initcap(${pick(topics, 1)}) || ' group ' || n from ${numbers(sizes.groups)}, ${homes}`,
  `insert into group_members (organization_id, group_id, user_id)
    select u.organization_id, g.ids[1 + u.n % 50], u.id
    from (select id, organization_id, row_number() over (order by id) as n from users
        where organization_id = ${largest} order by id limit ${members}) u,
      (select array_agg(id order by id) as ids from groups where organization_id = ${largest}) g`,
  `insert into videos (organization_id, title, description, state, created_at)
    select ${home}, initcap(${pick(topics, 1)}) || ' ' || ${pick(kinds, 2)} || ' ' || ${pick(topics, 3)} || ' ' || n,
      'What everybody has to know about ' || ${pick(topics, 4)} || ' and ' || ${pick(topics, 5)}, 'ready', now() - n * interval '1 minute'
    from ${numbers(sizes.videos)}, ${homes}`,
  `insert into video_versions (organization_id, video_id, number, file_name, size)
    select organization_id, id, 1, 'v.mp4', 1 from videos`,
  `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, created_at)
    select organization_id, 'completed', 'Please watch: ' || title,
      'Hello, this is about ' || ${pick(topics, 1)} || '. Please take a few minutes until Friday.',
      video_id, version_id, video_id, 'S', '{}', now() - n * interval '1 minute'
    from (select v.organization_id, v.title, v.id as video_id, x.id as version_id, row_number() over (order by v.id) as n
      from videos v join video_versions x on x.video_id = v.id limit ${sizes.transmissions}) made`,
]

const counters = [
  ...['user', 'group', 'video'].map(
    (what) => `update organizations o set ${what}_count = c.n
      from (select organization_id, count(*) as n from ${what}s group by 1) c where c.organization_id = o.id`,
  ),
  `update groups g set member_count = c.n
    from (select group_id, count(*) as n from group_members group by 1) c where c.group_id = g.id`,
]

/**
 * Fills an empty database with them. Triggers and references are at rest meanwhile, and the indexes come at the end: kept up row
 * by row they cost ten times as long.
 */
export async function seedMillion(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set session_replication_role = replica; set synchronous_commit = off;
      set maintenance_work_mem = '512MB'; set max_parallel_maintenance_workers = 2`)
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
        from pg_index i where not i.indisunique
          and i.indrelid in ('users'::regclass, 'groups'::regclass, 'videos'::regclass, 'transmissions'::regclass)`,
    )
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    for (const statement of [...rows, ...counters]) await client.query(statement)
    for (const { definition } of indexes) await client.query(definition)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

export type Reader = { role: Role; token: string; organizationId: string | null }

/** A superadmin, an admin and a groupadmin (five groups) of the largest organization. */
export async function readersOf(database: BenchDatabase): Promise<Reader[]> {
  const [theirs] = await database.query<{ id: string }>(largest)
  const organizationId = theirs?.id ?? ''
  const reader = async (role: Role, homeId: string | null): Promise<Reader> => {
    const token = `sr_${randomToken()}`
    await database.query(
      `with person as (insert into users (organization_id, name, email, role) values ($2, $1, $1 || '@bench.example', $1) returning id),
        member as (insert into group_members (organization_id, group_id, user_id, groupadmin)
          select $2, g.id, person.id, true from person, (select id from groups where organization_id = $2 order by id limit 5) g
          where $1 = 'groupadmin')
        insert into sessions (user_id, token_hash, idle_expires_at, expires_at)
        select id, $3, now() + interval '1 hour', now() + interval '1 day' from person`,
      [role, homeId, sha256(token)],
    )
    return { role, token, organizationId: homeId }
  }
  return [
    await reader('superadmin', null),
    await reader('admin', organizationId),
    await reader('groupadmin', organizationId),
  ]
}
