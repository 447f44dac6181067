import { defaultPolicies } from '#contract/organizations.ts'
import { randomToken, sha256 } from '#server/platform/keys.ts'
import type { BenchDatabase } from './database.ts'

/** Of given names the first two, of family names the last three. */
export const syllables = [
  'jo ma li ka be su an da el fi ge ha iv no pe ro sa to vi wi ya ze chri steph mar',
  'hn ria nda tha san na niel ena nn org rry an ra ter bert lly mas ctor liam nie stian cus lle vin dia go nas lia',
  'sm wil jo br gar mil dav rod mar her lop gon and tho tay moo jack lee per thom whi har san cla ram',
  'ith li hns ow ci ler is rig ti nan ez za er mas lor re so es kin pson',
  'son ez man berg ton ski er dal',
]

/** An organization of so many people with names as people have them: two thirds were seen within a year, everybody has a site. */
export async function addPopulation(database: BenchDatabase, people: number): Promise<string> {
  const slug = `of-${people}`
  const [organization] = await database.query<{ id: string }>(
    `insert into organizations (name, slug, policies) values ($1, $1, $2::jsonb) returning id`,
    [slug, JSON.stringify(defaultPolicies)],
  )
  const organizationId = organization?.id ?? ''
  await database.query(
    `with first as (select array_agg(initcap(a || b)) as names from unnest(string_to_array($4, ' ')) a, unnest(string_to_array($5, ' ')) b),
      last as (select array_agg(initcap(a || b || c)) as names
        from unnest(string_to_array($6, ' ')) a, unnest(string_to_array($7, ' ')) b, unnest(string_to_array($8, ' ')) c),
      made as (select n, first.names[1 + hash(n, 1) % cardinality(first.names)] as given, last.names[1 + hash(n, 2) % cardinality(last.names)] as family
        from generate_series(1, $2::int) n, first, last)
      insert into users (organization_id, name, email, external_id, state, last_seen_at, created_at, custom_fields)
      select $1, given || ' ' || family, lower(given || '.' || family) || n || '@' || $3 || '.example', 'E' || lpad(n::text, 7, '0'),
        case when n % 50 = 0 then 'disabled' when n % 20 = 0 then 'invited' else 'active' end,
        case when n % 3 > 0 then now() - hash(n, 3) % 365 * interval '1 day' - n * interval '1 millisecond' end,
        now() - n * interval '1 second', jsonb_build_object('site', 'Site ' || n % 200)
      from made`.replaceAll(/hash\(n, (\d)\)/g, '(hashint8extended(n, $1) & 2147483647)'),
    [organizationId, people, slug, ...syllables],
  )
  return organizationId
}

/** The token of somebody there who is made its admin. */
export async function signInAdmin(database: BenchDatabase, organizationId: string): Promise<string> {
  const token = `sr_${randomToken()}`
  await database.query(
    `with admin as (update users set role = 'admin' where id = (select min(id::text)::uuid from users where organization_id = $1)
        returning id)
      insert into sessions (user_id, token_hash, idle_expires_at, expires_at)
      select id, $2, now() + interval '1 hour', now() + interval '1 day' from admin`,
    [organizationId, sha256(token)],
  )
  return token
}
