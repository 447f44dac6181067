import * as z from 'zod/mini'
import { undoDays } from '#contract/operations.ts'
import { eachApart } from '../../platform/aside.ts'
import { rows, setCause, type Database, type Tx } from '../../platform/db/client.ts'
import { outageOf } from '../../platform/db/outage.ts'
import { Id } from '../../platform/db/rows.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { auditMany } from '../../platform/http/audit.ts'
import type { Erase } from '../../platform/erasing.ts'
import type { PersonalTable } from './personal-fates.ts'
import { personalTables } from './personal.ts'

const chunk = 500

/** Each statement of `others` takes away what another room has about people. */
type Erasers = { db: Database; others: readonly Erase[] }

/**
 * Takes the details away from people who were removed long enough ago that nobody can bring them back. What they have watched and were sent
 * stays, under a pseudonym. Each chunk is a transaction of its own, and is erased once, on however many servers this runs.
 */
export async function eraseRemoved({ db, others }: Erasers): Promise<void> {
  try {
    while ((await db.as('system', (tx) => eraseSome(tx, isUnblamed, others))) === chunk);
  } catch (error) {
    if (outageOf(error)) throw error
  }
  await eraseEach({ db, others })
}

const isUnblamed = sql`not exists (select from set_aside s where s.loop = 'housekeeping' and s.item = 'erase ' || u.id)`

/** Erases people one by one, once many have failed together, so that one who cannot be erased holds up nobody else. */
async function eraseEach({ db, others }: Erasers): Promise<void> {
  const due = await rows(db.single, Id, sql`select u.id from users u where ${isDue} order by u.id`)
  const nameOf = ({ id }: { id: string }) => ({ item: `erase ${id}` })
  await eachApart({ db, loop: 'housekeeping', nameOf }, due, ({ id }) =>
    db.as('system', (tx) => eraseSome(tx, sql`u.id = ${id}`, others)),
  )
}

const Leaving = z.object({
  id: z.string(),
  organizationId: z.nullable(z.string()),
  name: z.string(),
  email: z.string(),
  pseudonym: z.string(),
  address: z.string(),
  deletedAt: z.string(),
  /** They had these addresses before, until these instants. */
  former: z.array(z.object({ email: z.string(), until: z.string() })),
})
type Leaving = z.infer<typeof Leaving>

const undoable = sql`exists (select 1 from operation_rows r join operations p on p.id = r.operation_id
  where r.entity_id = u.id and r.outcome = 'removed' and r.undo is null and r.entity = 'user'
    and (p.undo_until > now() or p.state in ('running', 'cancelling', 'undoing')))`
/** This condition on `users u` holds when it is time to erase them. */
const isDue = sql`u.deleted_at < now() - make_interval(days => ${undoDays}) and u.erased_at is null and not ${undoable}`

/** Erases some, and returns how many there were. */
async function eraseSome(tx: Tx, which: SQL, others: readonly Erase[]): Promise<number> {
  const leaving = await rows(
    tx,
    Leaving,
    sql`select u.id, u.organization_id as "organizationId", u.name, u.email, u.deleted_at as "deletedAt",
        'Removed person ' || right(u.id::text, 6) as pseudonym, 'removed-' || u.id || '@removed.invalid' as address,
        coalesce((select jsonb_agg(jsonb_build_object('email', lower(a.before ->> 'email'), 'until', a.at)) from audit a
          where a.entity_id = u.id and a.entity = 'user' and a.before ->> 'email' <> a.after ->> 'email'), '[]') as former
      from users u where ${isDue} and ${which}
      order by u.id limit ${chunk} for update of u skip locked`,
  )
  if (leaving.length === 0) return 0
  await setCause(tx, 'system')
  await eraseFromLog(tx, leaving)
  for (const statement of statementsFor(leaving, others)) await tx.execute(statement)
  const entries = leaving.map(({ id, organizationId }) => {
    return { organizationId, action: 'user.erased' as const, entity: 'user', entityId: id }
  })
  await auditMany(tx, 'system', entries)
  return leaving.length
}

/**
 * Takes what names these people out of the log's entries about them, their invitations and their own changes, and the seal still
 * fits (docs/design/privacy.md). What they changed as administrators stays as it was signed.
 */
async function eraseFromLog(tx: Tx, leaving: readonly Leaving[]): Promise<void> {
  const whose = sql`jsonb_to_recordset(${JSON.stringify(leaving)}::jsonb) as r(id uuid, "organizationId" uuid, email text, former jsonb)`
  // Entries about others name them as the manager.
  const asManager = sql`select n.id, n."organizationId", e.id as entry
    from (select r.id, r."organizationId", lower(k.name) as name from ${whose} join users m on m.id = r.id cross join lateral (
        select r.email as name union select m.external_id union select f->>'email' from jsonb_array_elements(r.former) f) k) n
      join (select a.id, a.organization_id, lower(v.name) as name from audit a
        cross join lateral (values (a.before->>'manager'), (a.after->>'manager')) v(name) where a.entity = 'user') e
      on e.organization_id = n."organizationId" and e.name = n.name`
  await tx.execute(
    sql`select erase_audit_details(e.ids, e.id, e."organizationId")
      from (select x.id, x."organizationId", array_agg(x.entry) as ids from (select r.id, r."organizationId", a.id as entry from ${whose}
        cross join lateral (select r.id as about union select i.id from invitations i where i.user_id = r.id
          union select w.operation_id from operation_rows w join operations p on p.id = w.operation_id
            where w.entity_id = r.id and p.total = 1) thing
        join audit a on a.entity_id = thing.about and a.entity in ('user', 'member', 'invitation', 'operation')
        union ${asManager}) x group by x.id, x."organizationId") e`,
  )
}

/**
 * Returns the statements for every other place that names a person: those that had to be written come first, then those that follow from
 * `personal.ts`.
 */
function statementsFor(leaving: readonly Leaving[], others: readonly Erase[]): SQL[] {
  const gone = sql`jsonb_to_recordset(${JSON.stringify(leaving)}::jsonb)
    as r(id uuid, "organizationId" uuid, name text, email text, pseudonym text, address text, "deletedAt" timestamptz)`
  const addresses = leaving.flatMap(({ id, organizationId, address, email, deletedAt, former }) =>
    [{ email, until: deletedAt }, ...former].map((had) => {
      return { id, organizationId, address, email: had.email, until: had.until }
    }),
  )
  /** This table has every address that they had, until when, and what takes its place. */
  const known = sql`jsonb_to_recordset(${JSON.stringify(addresses)}::jsonb)
    as k(id uuid, "organizationId" uuid, address text, email text, until timestamptz)`
  // Mails of a transmission are among them, wherever they went at that time.
  const theirMails = sql`(select m.id, k.address from ${known} join mails m on m.address = k.email and m.created_at <= k.until
      and m.organization_id is not distinct from k."organizationId"
    union select m.id, r.address from ${gone} join deliveries d on d.user_id = r.id join mails m on m.delivery_id = d.id) theirs`
  return [
    sql`delete from pictures p using ${gone}, users u where u.id = r.id and p.key = u.avatar`,
    sql`update users u set email = r.address, erased_at = now(), updated_at = now() from ${gone} where u.id = r.id`,
    sql`delete from saved_views v using ${gone} where v.owner_id = r.id and not v.shared`,
    ...others.flatMap((erase) => erase({ gone, known, theirMails })),
    ...Object.entries(personalTables).flatMap((one) => listedFor(gone, one)),
  ]
}

/**
 * Returns the statements that follow from the list, for rows that go with their person, and for columns of rows that say whose they are.
 */
function listedFor(gone: SQL, [table, { goesWith, fields = {} }]: [string, PersonalTable]): SQL[] {
  const theirs = (whose: string) => sql`${gone} where ${sql.raw(`t.${whose}`)} = r.id`
  const rowsGone = goesWith ? [sql`delete from ${sql.raw(table)} t using ${theirs(goesWith)}`] : []
  const listed = Object.entries(fields).flatMap(([column, field]) => {
    if (!('whose' in field) || !field.whose) return []
    return [
      { whose: field.whose, set: `${column} = ${field.erased === 'replaced' ? 'r.pseudonym' : 'default'}` },
    ]
  })
  const updates = [...Map.groupBy(listed, ({ whose }) => whose)].map(([whose, columns]) => {
    const sets = columns.map(({ set }) => set).join(', ')
    return sql`update ${sql.raw(`${table} t set ${sets}`)} from ${theirs(whose)}`
  })
  return [...rowsGone, ...updates]
}
