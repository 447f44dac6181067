import { domainOf } from '#contract/identity/addresses.ts'
import type { FieldType } from '#contract/directory/fields.ts'
import type { GroupRule, RuleCondition } from '#contract/directory/rules.ts'
import { arrayOf } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { contains } from '../../platform/db/search.ts'

/** The map has the type of each field of the organization by its key, removed ones included, because their values are still there. */
export type FieldTypes = ReadonlyMap<string, FieldType>

/**
 * This condition on `users u` holds for the people for whom the rule holds. Everything that a person has written is a parameter; the text
 * of the statement comes from this file alone.
 */
export function matchesRule({ match, conditions }: GroupRule, types: FieldTypes): SQL {
  const parts = conditions.map((condition) => sql`(${holds(condition, types)})`)
  return sql`(${sql.join(parts, match === 'all' ? sql` and ` : sql` or `)})`
}

/** This condition is never null, so that the opposite of a condition is the opposite for everybody. */
function holds(condition: RuleCondition, types: FieldTypes): SQL {
  if (condition.about === 'field') return aboutField(condition, types.get(condition.key) ?? 'text')
  if (condition.about === 'emailDomain')
    return oneOf(sql`split_part(u.email, '@', -1)`, condition, condition.values.map(domainOf))
  if (condition.about === 'role') return oneOf(sql`coalesce(u.role, 'none')`, condition, condition.values)
  return sql`${not(condition)} exists (select 1 from group_members n join groups ng on ng.id = n.group_id and ng.deleted_at is null
    where n.user_id = u.id and n.group_id = any(${arrayOf(condition.values, 'uuid')}))`
}

const not = ({ is }: { is: string }) => (is === 'none_of' ? sql`not` : sql``)

function oneOf(value: SQL, condition: { is: string }, values: readonly string[]): SQL {
  return sql`${not(condition)} ${value} = any(${arrayOf(lower(values), 'text')})`
}

const lower = (values: readonly string[]) => values.map((value) => value.toLowerCase())

type AboutField = Extract<RuleCondition, { about: 'field' }>

function aboutField(condition: AboutField, type: FieldType): SQL {
  const value = sql`coalesce(u.custom_fields ->> ${condition.key}::text, '')`
  const { is, values } = condition
  if (is === 'filled') return sql`${value} <> ''`
  if (is === 'empty') return sql`${value} = ''`
  if (is === 'one_of' || is === 'none_of') return oneOf(sql`lower(${value})`, condition, values)
  if (is === 'contains')
    return sql`(${sql.join(
      values.map((part) => contains(sql`lower(${value})`, part)),
      sql` or `,
    )})`
  return compared(value, condition, type)
}

/**
 * Compares a value. Somebody without one is neither below nor above, and a value that is no number (the field had another type once) is not
 * compared.
 */
function compared(value: SQL, { is, values }: AboutField, type: FieldType): SQL {
  const [bound = ''] = values
  const sign = is === 'at_least' ? sql`>=` : sql`<=`
  if (type === 'number')
    return sql`case when ${value} ~ '^-?[0-9]+([.][0-9]+)?$' then (${value})::numeric ${sign} ${bound}::text::numeric else false end`
  return sql`(${value} <> '' and ${value} collate "C" ${sign} ${bound}::text collate "C")`
}

/** Returns the groups that a rule asks about. */
export function groupsIn({ conditions }: GroupRule): string[] {
  return conditions.flatMap((condition) => (condition.about === 'group' ? condition.values : []))
}

/** Returns the fields that a rule asks about. */
export function fieldsIn({ conditions }: GroupRule): string[] {
  return conditions.flatMap((condition) => (condition.about === 'field' ? [condition.key] : []))
}

/** Returns groups in an order in which each stands behind those that its rule asks about. A circle, which saving refuses, is cut open. */
export function inOrder<G extends { id: string; rule: GroupRule }>(groups: readonly G[]): G[] {
  const byId = new Map(groups.map((group) => [group.id, group]))
  const seen = new Set<string>()
  const ordered: G[] = []
  const visit = (group: G) => {
    if (seen.has(group.id)) return
    seen.add(group.id)
    for (const id of groupsIn(group.rule)) {
      const asked = byId.get(id)
      if (asked) visit(asked)
    }
    ordered.push(group)
  }
  for (const group of groups) visit(group)
  return ordered
}
