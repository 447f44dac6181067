import * as z from 'zod/mini'
import { fieldTypes } from '#contract/directory/fields.ts'
import { GroupRule } from '#contract/directory/rules.ts'
import { arrayOf, hasRow, row, rows, together, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { applyAll, applySome, waiting, type DerivedFigure } from '../../platform/derived/keys.ts'
import { inOrder, matchesRule, type FieldTypes } from './rules.ts'
import { Id } from '../../platform/db/rows.ts'

export const RuleGroup = z.object({ id: z.string(), rule: GroupRule })
export type RuleGroup = z.infer<typeof RuleGroup>

/**
 * Works out the members of groups with a rule. A group whose rule has changed is worked out for everybody, all others for people to whom
 * something has happened.
 */
export const ruleMembers: DerivedFigure = {
  name: 'rules',
  bySubject: false,
  lock: 'ruleMembers',
  most: 10_000,
  collapses: true,
  restMs: 400,
  async recompute(tx, { organizationId }, keys) {
    const [groups, types] = await together(ruleGroups(tx, organizationId), fieldTypesOf(tx, organizationId))
    const cause = await beginRules(tx)
    // Everybody is looked at for these groups; null among them means all groups.
    const wide = new Set(keys.filter(({ person }) => person === null).map(({ subject }) => subject))
    const people = new Set(keys.flatMap(({ person }) => person ?? []))
    for (const group of inOrder(groups)) {
      const all = { organizationId, group, types }
      const isWide = wide.has(null) || wide.has(group.id)
      const changed = await setMembers(tx, isWide ? all : { ...all, people: [...people] })
      for (const id of changed) people.add(id)
    }
    await setCauseTo(tx, cause)
  },
}

/** A request works out as many people as this on the way. The worker does the rest. */
const mostPeople = 2_000
/** A request works out a whole rule only in an organization with at most this number of people; in a larger one the worker does. */
const mostEverybody = 20_000

/**
 * Works out on the way what the request has changed itself, where that is little, for an answer that tells of members. Only one transaction
 * at a time does this for an organization, and nobody waits for it with changed rows in hand, so that two can never wait for each other:
 * whoever comes second leaves it to the worker. Returns whether nothing is left to do.
 */
export async function applyRules(tx: Tx, organizationId: string): Promise<boolean> {
  const place = { figure: ruleMembers, organizationId, subject: null }
  if ((await waiting(tx, place, 1)).since === null) return true
  if (await isTooMuch(tx, organizationId)) return false
  return (await applySome(tx, place, { most: mostPeople })) === 'done'
}

function isTooMuch(tx: Tx, organizationId: string): Promise<boolean> {
  return hasRow(
    tx,
    sql`select 1 from organizations o where o.id = ${organizationId} and user_count > ${mostEverybody}
      and exists (select from dirty_keys where figure = 'rules' and organization_id = o.id and subject is not null)`,
  )
}

/** Works all rules out. Call it before people are counted or written to. */
export function applyAllRules(tx: Tx, organizationId: string): Promise<void> {
  return applyAll(tx, { figure: ruleMembers, organizationId, subject: null })
}

export function ruleGroups(tx: Tx, organizationId: string): Promise<RuleGroup[]> {
  return rows(
    tx,
    RuleGroup,
    sql`select id, rule from groups
      where organization_id = ${organizationId} and kind = 'rule' and deleted_at is null order by id`,
  )
}

const FieldTypesOfRow = z.object({ key: z.string(), type: z.enum(fieldTypes) })

/** Reads the types of all fields, and of removed ones too until their values are gone. */
export async function fieldTypesOf(tx: Tx, organizationId: string): Promise<FieldTypes> {
  const found = await rows(
    tx,
    FieldTypesOfRow,
    sql`select key, type from custom_fields where organization_id = ${organizationId}`,
  )
  return new Map(found.map(({ key, type }) => [key, type]))
}

const BeginRulesRow = z.object({ cause: z.string() })

/** Makes the history say from here on that a rule did it. Returns what it said before. */
async function beginRules(tx: Tx): Promise<string> {
  const found = await row(
    tx,
    BeginRulesRow,
    sql`select coalesce(current_setting('app.cause', true), '') as cause`,
  )
  await setCauseTo(tx, '')
  return found?.cause ?? ''
}

async function setCauseTo(tx: Tx, cause: string): Promise<void> {
  await tx.execute(sql`select set_config('app.cause', ${cause}, true)`)
}

type MemberChange = {
  organizationId: string
  group: RuleGroup
  types: FieldTypes
  /** Without a list, everybody is meant. */
  people?: readonly string[]
}

/** Puts in whoever matches and takes out whoever does not, but nobody who was put in by hand. Returns who came or went. */
async function setMembers(tx: Tx, { organizationId, group, types, people }: MemberChange): Promise<string[]> {
  if (people?.length === 0) return []
  const among = people ? sql`= any(${arrayOf(people, 'uuid')})` : undefined
  const changed = await rows(
    tx,
    Id,
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
