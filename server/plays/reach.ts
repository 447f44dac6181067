import { row, rows, type Database, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { lock, tryLock } from '../db/locks.ts'
import { addedWeights, differences, everything, onePart, sumColumns } from './reach-worth.ts'

/**
 * Rows like those of `reach_sums`, which add up to what is true at this instant. Viewers who are still to be counted are taken out
 * as they were and put in as they are; nearly always there are none, and then the sums alone are read.
 */
export async function reachNow(tx: Tx, organizationId: string | undefined): Promise<SQL> {
  const own = organizationId === undefined ? sql`true` : sql`organization_id = ${organizationId}`
  const waiting = await row(tx, sql`select 1 from reach_marks where ${own} limit 1`)
  if (!waiting) return sql`reach_sums`
  return sql`(with ${differences(sql`reach_marks where ${own}`)}
    select ${sumColumns} from reach_sums union all select ${sumColumns} from summed)`
}

/** Marks in one transaction. */
const chunk = 5_000
/** So many marks of one organization, and as many as half of its viewers: then everybody is counted at once, which costs less. */
const crowd = 20_000

/**
 * Brings the sums up to date with the viewers who have been marked, as many as the time allows (milliseconds); another process that
 * does so already is left to it.
 */
export async function settleReach(db: Database, patienceMs = Infinity): Promise<void> {
  const until = performance.now() + patienceMs
  const waiting = await db.system.query<{ n: number }>(
    'select count(*)::int as n from (select 1 from reach_marks limit $1) m',
    [crowd],
  )
  if (waiting.rows[0]?.n === 0) return
  if (waiting.rows[0]?.n === crowd) await settleCrowds(db)
  while ((await db.as('system', settleSome)) && performance.now() < until);
}

/** As after an upgrade, or when the evidence of a whole organization was rebuilt. */
async function settleCrowds(db: Database): Promise<void> {
  const found = await db.system.query<{ id: string }>(
    `select m.organization_id as id from reach_marks m group by 1
      having count(*) >= $1 and count(*) >= (select count(*) / 2 from viewer_reach r where r.organization_id = m.organization_id)`,
    [crowd],
  )
  for (const { id } of found.rows) await db.as('system', (tx) => countEverybody(tx, id, { waits: false }))
}

/** Whether the caller is the one who writes the sums until the transaction ends. */
async function mayWrite(tx: Tx, waits: boolean): Promise<boolean> {
  const mine = waits ? sql`${lock('reachSums')} is not null` : tryLock('reachSums')
  const found = await row<{ mine: boolean }>(
    tx,
    sql`select ${mine} as mine, set_config('work_mem', '32MB', true), set_config('enable_nestloop', 'off', true),
      set_config('statement_timeout', '0', true)`,
  )
  return found?.mine === true
}

/**
 * Whether there may be more. The statement sees no viewer whose mark it does not see, and the other way round. The planner takes the
 * marks for a handful; what is looked up one by one is written so, and everything else must not be.
 */
async function settleSome(tx: Tx): Promise<boolean> {
  if (!(await mayWrite(tx, false))) return false
  const done = await row<{ n: number; emptied: string | null }>(
    tx,
    sql`with gone as materialized (delete from reach_marks where ctid = any(array(select ctid from reach_marks limit ${chunk})) returning *),
      ${differences(sql`gone`)},
      ours as (select v, array_agg(${onePart}) as parts from parts group by v),
      kept as (insert into viewer_reach as r (organization_id, viewer, parts) select m.organization_id, m.viewer, o.parts from ours o join marked m on m.v = o.v
        on conflict (organization_id, viewer) do update set parts = excluded.parts where r.parts is distinct from excluded.parts),
      lost as (delete from viewer_reach where ctid = any(array(select r.at from marked m cross join lateral (select t.ctid as at from viewer_reach t
        where t.organization_id = m.organization_id and t.viewer = m.viewer offset 0) r where m.v not in (select v from ours)))),
      written as (insert into reach_sums as s (${sumColumns}) select ${sumColumns} from summed
        on conflict (kind, organization_id, before, day, subject) do update set ${addedWeights} returning s.*)
    select (select count(*)::int from gone) as n, (select json_agg(w) from written w where w.n = 0)::text as emptied`,
  )
  if (done?.emptied) await removeEmptied(tx, done.emptied)
  return done?.n === chunk
}

async function removeEmptied(tx: Tx, emptied: string): Promise<void> {
  await tx.execute(sql`delete from reach_sums s using json_populate_recordset(null::reach_sums, ${emptied}::json) e
    where s.kind = e.kind and s.organization_id = e.organization_id and s.day = e.day and s.before = e.before and s.subject = e.subject`)
}

/**
 * Counts everybody in an organization anew, in one go. Whoever is marked meanwhile stays marked: what they are worth is looked at once
 * more, and makes no difference.
 */
async function countEverybody(tx: Tx, organizationId: string, { waits }: { waits: boolean }): Promise<void> {
  if (!(await mayWrite(tx, waits))) return
  const id = sql`${organizationId}::uuid`
  for (const table of ['reach_marks', 'reach_sums', 'viewer_reach'])
    await tx.execute(sql`delete from ${sql.raw(table)} where organization_id = ${id}`)
  await tx.execute(sql`with ${everything(id)},
      ours as (select v, array_agg(${onePart}) as parts from parts group by v),
      kept as (insert into viewer_reach (organization_id, viewer, parts) select m.organization_id, m.viewer, o.parts from ours o join marked m on m.v = o.v)
    insert into reach_sums (${sumColumns}) select ${sumColumns} from summed`)
}

/** Counts everybody anew. Until an organization is done, its reports tell what they told before. */
export async function recountReach(db: Database): Promise<void> {
  const organizations = await db.as('system', (tx) =>
    rows<{ id: string }>(tx, sql`select id from organizations`),
  )
  for (const { id } of organizations) await db.as('system', (tx) => countEverybody(tx, id, { waits: true }))
}
