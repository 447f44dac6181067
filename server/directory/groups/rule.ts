import * as z from 'zod/mini'
import { checkFieldValue, type Field } from '#contract/directory/fields.ts'
import type { FieldProblem } from '#contract/problems.ts'
import type { Reply } from '#contract/endpoint.ts'
import { previewRule } from '#contract/directory/members.ts'
import type { GroupRule, RuleCondition } from '#contract/directory/rules.ts'
import { arrayOf, requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { lock } from '../../platform/db/locks.ts'
import { refuse } from '../../platform/errors.ts'
import { findFields } from '../people/fields.ts'
import { groupsIn, matchesRule } from '../people/rules.ts'
import { fieldTypesOf, ruleGroups, applyAllRules, type RuleGroup } from '../people/rule-members.ts'
import { Id } from '../../platform/db/rows.ts'
import { called } from '../../platform/db/search.ts'

/**
 * Locks the rules, because two changes at a time could close a circle between them. Call it first: whoever waits here must hold no other
 * lock.
 */
export async function lockRuleChanges(tx: Tx, organizationId: string): Promise<void> {
  await tx.execute(sql`select ${lock('ruleChange', organizationId)}`)
}

/** Returns the rule as it is kept, with its values written as the fields keep theirs. Refuses what it cannot ask about, at its place. */
export async function checkedRule(
  tx: Tx,
  { organizationId, rule, groupId }: { organizationId: string; rule: GroupRule; groupId: string | undefined },
): Promise<GroupRule> {
  const fields = new Map((await findFields(tx, organizationId)).map((field) => [field.key, field]))
  const problems: Record<string, FieldProblem[]> = {}
  const conditions = rule.conditions.map((condition, index) => {
    const checked = checkedCondition(condition, fields)
    if ('condition' in checked) return checked.condition
    problems[`rule.conditions.${index}.${checked.at}`] = [checked.problem]
    return condition
  })
  const asked = groupsIn(rule)
  const wrong = new Map([
    ...(await circular(tx, { organizationId, asked, groupId })),
    ...(await unknown(tx, organizationId, asked)),
  ])
  rule.conditions.forEach((condition, index) => {
    const problem = condition.about === 'group' && condition.values.map((id) => wrong.get(id)).find(Boolean)
    if (problem) problems[`rule.conditions.${index}.values`] = [problem]
  })
  if (Object.keys(problems).length > 0) throw refuse('validation_failed', { fields: problems })
  return { match: rule.match, conditions }
}

type Checked = { condition: RuleCondition } | { at: 'key' | 'values'; problem: FieldProblem }

function checkedCondition(condition: RuleCondition, fields: ReadonlyMap<string, Field>): Checked {
  if (condition.about !== 'field') return { condition }
  const field = fields.get(condition.key)
  if (!field) return { at: 'key', problem: 'not_found' }
  const { is, values } = condition
  if (is === 'filled' || is === 'empty') return { condition: { ...condition, values: [] } }
  const problem = problemOf(field, condition)
  if (problem) return { at: 'values', problem }
  if (is === 'contains') return { condition }
  const checked = values.map((value) => checkFieldValue(field, value))
  const wrong = checked.find((one) => 'problem' in one)
  if (wrong) return { at: 'values', problem: wrong.problem }
  return {
    condition: { ...condition, values: checked.flatMap((one) => ('value' in one ? [one.value] : [])) },
  }
}

/** Returns what is wrong with a condition. Only numbers and dates have an order, and only text and choices have letters to look for. */
function problemOf(
  { type }: Field,
  { is, values }: { is: string; values: string[] },
): FieldProblem | undefined {
  if (values.length === 0) return 'required'
  const isOrdered = type === 'number' || type === 'date'
  if (is === 'at_least' || is === 'at_most') return isOrdered && values.length === 1 ? undefined : 'invalid'
  return is === 'contains' && isOrdered ? 'invalid' : undefined
}

async function unknown(
  tx: Tx,
  organizationId: string,
  asked: readonly string[],
): Promise<[string, FieldProblem][]> {
  if (asked.length === 0) return []
  const found = await rows(
    tx,
    Id,
    sql`select id from unnest(${arrayOf([...new Set(asked)], 'uuid')}) id where not exists (select 1 from groups g
      where g.id = id.id and g.organization_id = ${organizationId} and g.deleted_at is null)`,
  )
  return found.map(({ id }) => [id, 'not_found'])
}

/** Finds those of the asked groups that depend on the changed one, itself included. */
async function circular(
  tx: Tx,
  asking: { organizationId: string; asked: readonly string[]; groupId: string | undefined },
): Promise<[string, FieldProblem][]> {
  const { organizationId, asked, groupId } = asking
  if (groupId === undefined || asked.length === 0) return []
  const byId = new Map((await ruleGroups(tx, organizationId)).map((group) => [group.id, group]))
  return asked.filter((id) => reachedFrom(byId, id).has(groupId)).map((id) => [id, 'rule_circle'])
}

/** Returns the group and every group whose members its rule looks at, however far. */
function reachedFrom(byId: ReadonlyMap<string, RuleGroup>, start: string): ReadonlySet<string> {
  const reached = new Set([start])
  // A loop over a set goes on with what is added to the set on the way.
  for (const id of reached) {
    const group = byId.get(id)
    for (const next of group ? groupsIn(group.rule) : []) reached.add(next)
  }
  return reached
}

const Named = z.object({ name: z.string() })

/** Refuses to remove a group that a rule asks about: "everybody but Contractors" would let the contractors in. */
export async function requireUnasked(tx: Tx, organizationId: string, groupId: string): Promise<void> {
  const using = (await ruleGroups(tx, organizationId))
    .filter(({ id, rule }) => id !== groupId && groupsIn(rule).includes(groupId))
    .map(({ id }) => id)
  if (using.length === 0) return
  const named = await rows(
    tx,
    Named,
    sql`select name from groups where id = any(${arrayOf(using, 'uuid')}) order by ${called(sql`name`)} limit 3`,
  )
  throw refuse('conflict', {
    reason: { code: 'group_in_rule', params: { names: named.map(({ name }) => name).join(', ') } },
  })
}

type Preview = Reply<typeof previewRule>

const Counted = previewRule.reply

/** Finds whom a rule means at this moment; with a group, also who would join and leave it. */
export async function preview(
  tx: Tx,
  { organizationId, rule, groupId }: { organizationId: string; rule: GroupRule; groupId: string | undefined },
): Promise<Preview> {
  await applyAllRules(tx, organizationId)
  const condition = matchesRule(rule, await fieldTypesOf(tx, organizationId))
  const person = (alias: string) =>
    sql.raw(`json_build_object('id', ${alias}.id, 'name', ${alias}.name, 'email', ${alias}.email)`)
  const counted = await requireRow(
    tx,
    Counted,
    sql`with matching as materialized (
        select u.id, u.name, u.email from users u
        where u.organization_id = ${organizationId} and u.deleted_at is null and ${condition}),
      present as materialized (select user_id as id, groupadmin from group_members where group_id = ${groupId ?? null}::uuid),
      leaving as materialized (
        select u.id, u.name, u.email from present p join users u on u.id = p.id
        where not p.groupadmin and not exists (select 1 from matching m where m.id = p.id))
      select (select count(*) from matching)::int as count,
        coalesce((select json_agg(${person('s')}) from (select * from matching order by ${called(sql`name`)}, id limit 5) s), '[]') as sample,
        (select count(*) from matching m where not exists (select 1 from present p where p.id = m.id))::int as joins,
        (select count(*) from leaving)::int as leaves,
        coalesce((select json_agg(${person('l')}) from (select * from leaving order by ${called(sql`name`)}, id limit 5) l), '[]') as leaving`,
  )
  return groupId === undefined ? { ...counted, joins: null, leaves: null } : counted
}
