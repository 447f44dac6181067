import { createHash } from 'node:crypto'
import type pg from 'pg'
import * as z from 'zod/mini'
import { rows, statementsOn } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'

/** Whoever owns the tables has another name in each installation. */
const owner = `(select relowner from pg_class where oid = 'public.users'::regclass)`

const rights = (list: string, kind: string, possessor: string) =>
  `(select string_agg(concat(case g.grantee when 0 then 'public' when ${owner} then 'owner' else g.grantee::regrole::text end,
      ' ', lower(g.privilege_type)), ', ' order by g.grantee = ${owner}, g.privilege_type)
    from aclexplode(coalesce(${list}, acldefault('${kind}', ${possessor}))) g)`

/**
 * What of the database is the schema's: neither what an extension brought, nor the days of the raw log, which come and go, nor the list
 * of migrations itself.
 */
const own = `relations as (
    select c.* from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'c', 'S')
      and c.relname <> 'migrations' and c.relname !~ '^track_batches_\\d{8}$'
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  ), functions as (
    select p.* from pg_proc p
    where p.pronamespace = 'public'::regnamespace and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  )`

/** Each a list of what it is about, and how it is defined. */
const parts = {
  extension: `select extname::text, '' from pg_extension where extname <> 'plpgsql'`,
  relation: `select c.oid::regclass::text, concat_ws('; ', c.relkind, array_to_string(c.reloptions, ', '), pg_get_partkeydef(c.oid),
      pg_get_expr(c.relpartbound, c.oid), case when c.relrowsecurity then 'behind policies' end,
      case when c.relforcerowsecurity then 'its owner too' end, ${rights('c.relacl', 'r', 'c.relowner')}) from relations c`,
  column: `select concat(c.oid::regclass, '.', a.attname), concat_ws('; ', format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then 'not null' end, pg_get_expr(d.adbin, d.adrelid), nullif(a.attgenerated, ''), nullif(a.attidentity, ''),
      (select string_agg(concat(g.grantee::regrole, ' ', lower(g.privilege_type)), ', ' order by 1) from aclexplode(a.attacl) g))
    from relations c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where c.relkind <> 'S'`,
  constraint: `select concat(c.oid::regclass, '.', k.conname), pg_get_constraintdef(k.oid)
    from relations c join pg_constraint k on k.conrelid = c.oid and k.contype <> 'n'`,
  index: `select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) from relations c join pg_index i on i.indrelid = c.oid`,
  policy: `select concat(c.oid::regclass, '.', p.polname), concat_ws('; ', p.polcmd, p.polpermissive, p.polroles::regrole[],
      pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) from relations c join pg_policy p on p.polrelid = c.oid`,
  // Not everybody who migrates may say that a function is leakproof.
  function: `select f.oid::regprocedure::text,
      concat_ws('; ', replace(pg_get_functiondef(f.oid), ' LEAKPROOF', ''), ${rights('f.proacl', 'f', 'f.proowner')}) from functions f`,
  trigger: `select concat(c.oid::regclass, '.', t.tgname), concat_ws('; ', t.tgenabled, pg_get_triggerdef(t.oid))
    from relations c join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal`,
  default: `select a.defaclobjtype::text, ${rights('a.defaclacl', 'r', 'a.defaclrole')} from pg_default_acl a`,
}

const CatalogueEntry = z.object({ what: z.string(), name: z.string(), definition: z.string() })
type CatalogueEntry = z.infer<typeof CatalogueEntry>

/**
 * Everything that makes up the schema, in order, and the same however it came to be: the order of columns, names of owners and
 * comments leave no trace.
 */
export async function readCatalogue(client: pg.Client): Promise<CatalogueEntry[]> {
  const asked = Object.entries(parts).map(
    ([what, text]) => `select '${what}' as what, p.* from (${text}) p(name, definition)`,
  )
  await client.query('begin; set local search_path = pg_catalog')
  try {
    return await rows(
      statementsOn(client),
      CatalogueEntry,
      sql.raw(`with ${own} select * from (${asked.join(' union all ')}) e
        order by what, name collate "C", definition collate "C"`),
    )
  } finally {
    await client.query('rollback')
  }
}

export function hashOf(catalogue: readonly CatalogueEntry[]): string {
  return createHash('sha256').update(JSON.stringify(catalogue)).digest('hex')
}
