import { defaultPolicies } from '#contract/organizations.ts'
import type { Role } from '#contract/roles.ts'
import { randomToken, sha256 } from '#server/keys.ts'
import { percentile, type Figure } from './figures.ts'
import { layGround, type Ground } from './ground.ts'
import { fire, requestOf } from './load.ts'
import { startProgram } from './program.ts'

/** A million rows in all: the largest organization has a fifth of them, the others share the rest. */
const sizes = {
  organizations: 1_000,
  users: 700_000,
  groups: 99_000,
  videos: 100_000,
  transmissions: 100_000,
}
const inLargest = 0.2
const rounds = 60
const warmUps = 6
const connections = 1
const quick = 50

/** The search of the top bar over everything, as each role uses it, letter by letter and with slips. */
export async function search(): Promise<Figure[]> {
  const ground = await layGround()
  try {
    await seed(ground)
    const readers = await readersOf(ground)
    const ours = await startProgram('server/main.ts', {
      DATABASE_URL: ground.url,
      DATA_DIR: ground.dataDir,
      RUN: 'api',
    })
    const figures: Figure[] = []
    for (const reader of readers) figures.push(...(await measure(ground, { ...reader, url: ours.url })))
    await ours.stop()
    return figures
  } finally {
    await ground.close()
  }
}

type Reader = { role: Role; token: string; organizationId: string | null }

async function measure(ground: Ground, { role, token, organizationId, url }: Reader & { url: string }) {
  const figures: Figure[] = []
  const everything: number[] = []
  for (const { what, text } of await questions(ground, organizationId)) {
    const requests = Array.from({ length: warmUps + rounds }, (_, n) =>
      requestOf(`GET /api/search?${new URLSearchParams({ q: text(n) }).toString()}`, {
        authorization: `Bearer ${token}`,
      }),
    )
    await fire({ url, connections, requests: requests.slice(0, warmUps) })
    const { latencies } = await fire({ url, connections, requests: requests.slice(warmUps) })
    everything.push(...latencies)
    figures.push(figure(`${role}: ${what}, median`, percentile(latencies, 0.5)))
    figures.push(figure(`${role}: ${what}, p95`, percentile(latencies, 0.95)))
  }
  const all = everything.toSorted((one, other) => one - other)
  const target = { of: 'figure', most: quick } as const
  return [...figures, { ...figure(`${role}: all of these, p95`, percentile(all, 0.95)), target }]
}

const figure = (what: string, ours: number): Figure => ({ workload: 'search', what, unit: 'ms', ours })

type Question = { what: string; text: (n: number) => string }

async function questions(ground: Ground, organizationId: string | null): Promise<Question[]> {
  const known = await ground.query<{ id: string; name: string; email: string }>(
    `select id, name, email from users tablesample bernoulli (0.5) repeatable (7)
      where organization_id = coalesce($1, organization_id) order by hashtext(id::text) limit 200`,
    [organizationId],
  )
  const films = await ground.query<{ title: string }>(
    `select title from videos tablesample bernoulli (2) repeatable (7)
      where organization_id = coalesce($1, organization_id) order by hashtext(id::text) limit 200`,
    [organizationId],
  )
  const one = (n: number) => known[(n * 7) % known.length] ?? { id: '', name: '', email: '' }
  const named = (n: number) => one(n).name.toLowerCase()
  const film = (n: number) => films[(n * 7) % films.length]?.title.toLowerCase() ?? ''
  return [
    { what: 'one letter', text: (n) => named(n).slice(0, 1) },
    { what: 'two letters', text: (n) => named(n).slice(0, 2) },
    { what: 'three letters', text: (n) => named(n).slice(0, 3) },
    { what: 'a family name', text: (n) => named(n).split(' ')[1] ?? '' },
    { what: 'a whole name', text: named },
    { what: 'a mail address', text: (n) => one(n).email },
    { what: 'a word that everybody has', text: (n) => ['example', 'com', 'group', 'training'][n % 4] ?? '' },
    { what: 'a title half typed', text: (n) => film(n).slice(0, 12) },
    { what: 'words of a title, turned round', text: (n) => film(n).split(' ').toReversed().join(' ') },
    { what: 'an id', text: (n) => one(n).id },
    { what: 'a name with a letter wrong', text: (n) => mistyped(named(n), n) },
    { what: 'a title with a letter wrong', text: (n) => mistyped(film(n), n) },
    { what: 'nothing like it', text: (n) => `xq${n}zzv kwj` },
  ]
}

/** The same with one slip: two letters changed places, one left out, one doubled, or another one, by turns. */
function mistyped(text: string, n: number): string {
  const at = 1 + (n % 3)
  const [before, one, two, rest] = [
    text.slice(0, at),
    text.charAt(at),
    text.charAt(at + 1),
    text.slice(at + 2),
  ]
  const slips = [two + one, two, one + one + two, `q${two}`]
  return before + (slips[n % slips.length] ?? '') + rest
}

const syllables = [
  'jo ma li ka be su an da el fi ge ha iv no pe ro sa to vi wi ya ze chri steph mar',
  'hn ria nda tha san na niel ena nn org rry an ra ter bert lly mas ctor liam nie stian cus lle vin dia go nas lia',
  'sm wil jo br gar mil dav rod mar her lop gon and tho tay moo jack lee per thom whi har san cla ram',
  'ith li hns ow ci ler is rig ti nan ez za er mas lor re so es kin pson',
  'son ez man berg ton ski er dal',
]
const topics =
  'fire forklift ladder crane harbour warehouse kitchen hygiene payment privacy password phishing welcome first aid chemical noise helmet lifting driver cashier complaint refund leadership feedback'
const kinds = 'safety training basics refresher course update review lesson rules introduction'

const hashed = (text: string) => text.replaceAll(/hash\(n, (\d)\)/g, '(hashint8extended(n, $1) & 2147483647)')
/** Of an array, by chance that is the same in every run. */
const pick = (list: string, n: number) => `${list}[1 + hash(n, ${n}) % cardinality(${list})]`
const home = `case when n % 5 < ${inLargest * 5} then homes[1] else ${pick('homes', 9)} end`

async function seed(ground: Ground): Promise<void> {
  await ground.query(
    hashed(`insert into organizations (name, slug, policies)
      select initcap(${pick('a', 1)}) || initcap(${pick('b', 2)}) || ' ' || n, 'org-' || n, $1::jsonb
      from generate_series(1, $2::int) n, (select string_to_array($3, ' ') as a, string_to_array($4, ' ') as b) x`),
    [JSON.stringify(defaultPolicies), sizes.organizations, syllables[2], syllables[4]],
  )
  const homes = `(select array_agg(id order by id) as homes from organizations) h`
  await ground.query(
    hashed(`with first as (select array_agg(initcap(a || b)) as names from unnest(string_to_array($2, ' ')) a, unnest(string_to_array($3, ' ')) b),
      last as (select array_agg(initcap(a || b || c)) as names
        from unnest(string_to_array($4, ' ')) a, unnest(string_to_array($5, ' ')) b, unnest(string_to_array($6, ' ')) c),
      made as (select n, ${home} as home, first.names[1 + hash(n, 1) % cardinality(first.names)] as given,
          last.names[1 + hash(n, 2) % cardinality(last.names)] as family
        from generate_series(1, $1::int) n, first, last, ${homes})
      insert into users (organization_id, name, email, external_id, created_at)
      select home, given || ' ' || family, lower(given || '.' || family) || n || '@people.example', 'E' || lpad(n::text, 7, '0'),
        now() - n * interval '1 second' from made`),
    [sizes.users, ...syllables],
  )
  await ground.query(
    hashed(`insert into groups (organization_id, name)
      select ${home}, initcap(${pick('t', 1)}) || ' group ' || n
      from generate_series(1, $1::int) n, ${homes}, (select string_to_array($2, ' ') as t) x`),
    [sizes.groups, topics],
  )
  await ground.query(
    `insert into group_members (organization_id, group_id, user_id)
      select u.organization_id, (array(select g.id from groups g where g.organization_id = u.organization_id order by g.id limit 50))[1 + u.n % 50], u.id
      from (select id, organization_id, row_number() over (order by id) as n from users
        where organization_id = (select min(id::text)::uuid from organizations) order by id limit 20000) u`,
  )
  await ground.query(
    hashed(`insert into videos (organization_id, title, description, state, created_at)
      select ${home}, initcap(${pick('t', 1)}) || ' ' || ${pick('k', 2)} || ' ' || ${pick('t', 3)} || ' ' || n,
        'What everybody has to know about ' || ${pick('t', 4)} || ' and ' || ${pick('t', 5)}, 'ready', now() - n * interval '1 minute'
      from generate_series(1, $1::int) n, ${homes}, (select string_to_array($2, ' ') as t, string_to_array($3, ' ') as k) x`),
    [sizes.videos, topics, kinds],
  )
  await ground.query(
    `insert into video_versions (organization_id, video_id, number, file_name, size) select organization_id, id, 1, 'v.mp4', 1 from videos`,
  )
  await ground.query(
    hashed(`insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, created_at)
      select v.organization_id, 'completed', 'Please watch: ' || v.title, 'Hello, this is about ' || ${pick('t', 1)} || '. Please take a few minutes until Friday.',
        v.id, n.id, v.id, 'S', '{}', now() - v.n * interval '1 minute'
      from (select *, row_number() over (order by id) as n from videos limit $1) v join video_versions n on n.video_id = v.id,
        (select string_to_array($2, ' ') as t) x`).replaceAll('hashint8extended(n,', 'hashint8extended(v.n,'),
    [sizes.transmissions, topics],
  )
  await ground.query('vacuum analyze')
}

/** A superadmin, an admin and a groupadmin (five groups) of the largest organization. */
async function readersOf(ground: Ground): Promise<Reader[]> {
  const [largest] = await ground.query<{ id: string }>('select min(id::text) as id from organizations')
  const organizationId = largest?.id ?? ''
  const reader = async (role: Role, home: string | null): Promise<Reader> => {
    const token = `sr_${randomToken()}`
    await ground.query(
      `with person as (insert into users (organization_id, name, email, role) values ($2, $1, $1 || '@bench.example', $1) returning id),
        member as (insert into group_members (organization_id, group_id, user_id, groupadmin)
          select $2, g.id, person.id, true from person, (select id from groups where organization_id = $2 order by id limit 5) g
          where $1 = 'groupadmin')
        insert into sessions (user_id, token_hash, idle_expires_at, expires_at)
        select id, $3, now() + interval '1 hour', now() + interval '1 day' from person`,
      [role, home, sha256(token)],
    )
    return { role, token, organizationId: home }
  }
  return [
    await reader('superadmin', null),
    await reader('admin', organizationId),
    await reader('groupadmin', organizationId),
  ]
}
