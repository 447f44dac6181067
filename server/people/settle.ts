import type { FieldType } from '#contract/fields.ts'
import type { GroupRule } from '#contract/rules.ts'
import { arrayOf, row, rows, type Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import { lock, tryLock } from '../db/locks.ts'
import { inOrder, matchesRule, type FieldTypes } from './rules.ts'

export type RuleGroup = { id: string; rule: GroupRule; isStale: boolean }

/** People of one pass: what a request does on the way. The worker does the rest. */
const mostPeople = 2_000
/** People of an organization for whom a request works out a whole rule; of more, the worker does. */
const mostEverybody = 20_000

type Options = {
  /** Wait for somebody who works the rules out already. Only for transactions that have changed nothing yet. */
  wait?: boolean
  mostPeople?: number
}

/**
 * Brings the members of rule groups up to date: of groups whose rule has changed for everybody, of all others for the people
 * whom something has happened to. Call it at the end of a transaction that changes people or memberships. Answers whether
 * nothing is left to do.
 *
 * Only one transaction at a time does this for an organization, and nobody waits for it with changed rows in hand, so that two can
 * never wait for each other: who comes second leaves the marks to the next one, at the latest to the worker.
 */
export async function settleRules(
  tx: Tx,
  organizationId: string,
  { wait = false, mostPeople: most = mostPeople }: Options = {},
): Promise<boolean> {
  const stale = await whatIsStale(tx, organizationId)
  if (!stale.people && !stale.rules) return true
  if (stale.rules && !wait && stale.everybody > mostEverybody) return false
  if (!(await lockRules(tx, organizationId, wait))) return false
  const [found, groups, types] = await Promise.all([
    stalePeople(tx, organizationId, most + 1),
    ruleGroups(tx, organizationId),
    fieldTypesOf(tx, organizationId),
  ])
  const marks = found.slice(0, most)
  const before = await beginSettling(tx)
  const people = new Set(marks.map(({ userId }) => userId))
  for (const group of inOrder(groups)) {
    const all = { organizationId, group, types }
    const changed = group.isStale
      ? await setMembers(tx, all)
      : await setMembers(tx, { ...all, people: [...people] })
    for (const id of changed) people.add(id)
  }
  await endSettling(tx, before)
  await tx.execute(
    sql`delete from membership_stale where organization_id = ${organizationId}
      and id = any(${arrayOf(
        marks.map(({ id }) => id),
        'bigint',
      )})`,
  )
  const done = groups.filter(({ isStale }) => isStale).map(({ id, rule }) => ({ id, rule }))
  if (done.length > 0) await markFresh(tx, organizationId, done)
  return found.length <= most
}

/** Before people are counted or written to: goes on until every mark that there is has been worked out. */
export async function settleAllRules(tx: Tx, organizationId: string): Promise<void> {
  let isDone = false
  while (!isDone) isDone = await settleRules(tx, organizationId, { wait: true, mostPeople: 10_000 })
}

type Stale = { people: boolean; rules: boolean; everybody: number }

async function whatIsStale(tx: Tx, organizationId: string): Promise<Stale> {
  const found = await row<Stale>(
    tx,
    sql`select exists (select 1 from membership_stale where organization_id = ${organizationId}) as people,
      exists (select 1 from groups where organization_id = ${organizationId} and rule_stale) as rules,
      (select user_count::int from organizations where id = ${organizationId}) as everybody`,
  )
  return found ?? { people: false, rules: false, everybody: 0 }
}

async function lockRules(tx: Tx, organizationId: string, wait: boolean): Promise<boolean> {
  const found = await row<{ mine: boolean }>(
    tx,
    wait
      ? sql`select ${lock('ruleMembers', organizationId)} is not null as mine`
      : sql`select ${tryLock('ruleMembers', organizationId)} as mine`,
  )
  return found?.mine ?? false
}

function stalePeople(tx: Tx, organizationId: string, limit: number) {
  return rows<{ id: string; userId: string }>(
    tx,
    sql`select id, user_id as "userId" from membership_stale where organization_id = ${organizationId} order by id limit ${limit}`,
  )
}

export function ruleGroups(tx: Tx, organizationId: string): Promise<RuleGroup[]> {
  return rows<RuleGroup>(
    tx,
    sql`select id, rule, rule_stale as "isStale" from groups
      where organization_id = ${organizationId} and kind = 'rule' and deleted_at is null order by id`,
  )
}

/** Of removed fields too, until their values are gone. */
export async function fieldTypesOf(tx: Tx, organizationId: string): Promise<FieldTypes> {
  const found = await rows<{ key: string; type: FieldType }>(
    tx,
    sql`select key, type from custom_fields where organization_id = ${organizationId}`,
  )
  return new Map(found.map(({ key, type }) => [key, type]))
}

/** From here on the history says that a rule did it, and nobody is marked for what the rules themselves do. */
async function beginSettling(tx: Tx): Promise<string> {
  const found = await row<{ cause: string }>(
    tx,
    sql`select coalesce(current_setting('app.cause', true), '') as cause, set_config('app.settling', 'on', true)`,
  )
  await tx.execute(sql`select set_config('app.cause', '', true)`)
  return found?.cause ?? ''
}

async function endSettling(tx: Tx, cause: string): Promise<void> {
  await tx.execute(
    sql`select set_config('app.cause', ${cause}, true), set_config('app.settling', 'off', true)`,
  )
}

type Asked = {
  organizationId: string
  group: RuleGroup
  types: FieldTypes
  /** Everybody, when left out. */
  people?: readonly string[]
}

/** Puts in whoever matches and takes out whoever does not, but nobody who was put in by hand. Answers who came or went. */
async function setMembers(tx: Tx, { organizationId, group, types, people }: Asked): Promise<string[]> {
  if (people?.length === 0) return []
  const among = people ? sql`= any(${arrayOf(people, 'uuid')})` : undefined
  const changed = await rows<{ id: string }>(
    tx,
    sql`with wanted as materialized (
        select u.id from users u where u.organization_id = ${organizationId} and u.deleted_at is null
          ${among ? sql`and u.id ${among}` : sql``} and ${matchesRule(group.rule, types)}),
      gone as (
        delete from group_members m where m.group_id = ${group.id} and m.by_rule ${among ? sql`and m.user_id ${among}` : sql``}
          and not exists (select 1 from wanted w where w.id = m.user_id) returning m.user_id as id),
      come as (
        insert into group_members (organization_id, group_id, user_id, by_rule)
        select ${organizationId}, ${group.id}, w.id, true from wanted w
          where not exists (select 1 from group_members m where m.group_id = ${group.id} and m.user_id = w.id)
          order by w.id on conflict do nothing returning user_id as id)
      select id from gone union all select id from come`,
  )
  return changed.map(({ id }) => id)
}

/** Only while it is the rule that was worked out: somebody may have saved another one in between. */
async function markFresh(
  tx: Tx,
  organizationId: string,
  done: readonly { id: string; rule: GroupRule }[],
): Promise<void> {
  await tx.execute(
    sql`update groups g set rule_stale = false
      from jsonb_to_recordset(${JSON.stringify(done)}::jsonb) as d(id uuid, rule jsonb)
      where g.organization_id = ${organizationId} and g.id = d.id and g.rule = d.rule and g.deleted_at is null`,
  )
}
