import type pg from 'pg'
import type { Migration } from './migrations.ts'

/** PostgreSQL before this version, as `server_version_num`, is not served. */
export const oldestServer = 160_000

/** What our statements take for granted and an earlier PostgreSQL does not bring, by the first version that has it. It lies in `public`. */
const stand: { since: number; make: string }[] = [
  {
    // As RFC 9562 wants it: 48 bits of milliseconds, twelve bits of the microseconds within them, the rest random.
    since: 180_000,
    make: `create or replace function public.uuidv7() returns uuid language sql volatile parallel safe
      return (select encode(overlay(overlay(uuid_send(gen_random_uuid())
          placing substring(int8send(us / 1000) from 3) from 1 for 6)
          placing int2send((28672 | ((us % 1000) * 4096 / 1000))::int2) from 7 for 2), 'hex')::uuid
        from (select (extract(epoch from clock_timestamp()) * 1000000)::int8 as us) now)`,
  },
  {
    since: 170_000,
    make: `create or replace function public.uuid_extract_timestamp(id uuid) returns timestamptz
      language sql immutable strict parallel safe
      return to_timestamp(('x0000' || substr(replace(id::text, '-', ''), 1, 12))::bit(64)::int8 / 1000.0)`,
  },
  {
    since: 170_000,
    make: `create collation if not exists public.pg_c_utf8 (provider = icu, locale = 'und')`,
  },
]

/** What a migration says in words that a server before version 17 does not know. Its tables are new there, so there is nothing to fold. */
const before17: [what: string | RegExp, instead: string][] = [
  // Who analyses tables does so without a search path.
  ['COLLATE "pg_c_utf8"', 'COLLATE public."pg_c_utf8"'],
  [/DO \$\$ BEGIN\n(?:(?!END \$\$)[\s\S])*SET EXPRESSION[\s\S]*?END \$\$;\n/g, ''],
  [/^.*\bGRANT MAINTAIN\b[^;]*;\n/gim, ''],
]

/** The first migration makes the role that serves, which an owner without the right to may have been given by somebody else. */
const ofRoles =
  /DO \$\$ BEGIN\s+(?:CREATE ROLE sendreel_app|EXECUTE format\('GRANT sendreel_app)[\s\S]*?END \$\$;\n/g

/** Makes what a server of this version lacks, so that the same statements are understood by all. */
export async function makeUpFor(client: pg.Client, version: number): Promise<void> {
  for (const { since, make } of stand) if (version < since) await client.query(make)
}

/** Returns the text of a migration as a server of this version understands it, without what was made before. */
export function textFor({ text }: Migration, version: number): string {
  const own = text.replaceAll(ofRoles, '')
  if (version >= 170_000) return own
  return before17.reduce((changed, [what, instead]) => changed.replaceAll(what, instead), own)
}
