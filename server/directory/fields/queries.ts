import {
  fieldDays,
  mostFields,
  Field,
  type FieldChange,
  type FieldInput,
} from '#contract/directory/fields.ts'
import * as z from 'zod/mini'
import { arrayOf, hasRow, requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { fieldColumns, findFields } from '../people/fields.ts'
import { fieldsIn } from '../people/rules.ts'
import { ruleGroups } from '../people/rule-members.ts'
import { called } from '../../platform/db/search.ts'

/** Locks the fields of the organization: nobody else adds, removes or moves one until the transaction ends. */
export async function lockFields(tx: Tx, organizationId: string): Promise<void> {
  const found = await hasRow(
    tx,
    sql`select 1 from organizations where id = ${organizationId} and deleted_at is null for no key update`,
  )
  if (!found) throw refuse('not_found')
}

export function findRemoved(tx: Tx, organizationId: string): Promise<Field[]> {
  return rows(
    tx,
    Field,
    sql`select ${fieldColumns} from custom_fields f where f.organization_id = ${organizationId} and f.deleted_at is not null
      and f.deleted_at > now() - make_interval(days => ${fieldDays}) order by f.deleted_at desc, f.id`,
  )
}

async function requireRoom(tx: Tx, organizationId: string): Promise<void> {
  if ((await findFields(tx, organizationId)).length >= mostFields)
    throw refuse('conflict', { reason: { code: 'too_many_fields', params: { most: mostFields } } })
}

/** Makes a key of a label: `Cost centre (DE)` becomes `cost_centre_de`, and a label that leaves nothing behind becomes `field`. */
function keyOf(label: string): string {
  const plain = label.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const key = plain
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40)
    .replaceAll(/^_+|_+$/g, '')
  return key || 'field'
}

const FieldKey = z.object({ key: z.string() })

/** Finds a key that no field has, and no removed one whose values are still there. */
async function freeKey(tx: Tx, organizationId: string, label: string): Promise<string> {
  const wanted = keyOf(label)
  const found = await rows(
    tx,
    FieldKey,
    sql`select key from custom_fields where organization_id = ${organizationId}`,
  )
  const taken = new Set(found.map(({ key }) => key))
  let key = wanted
  for (let n = 2; taken.has(key); n += 1) key = `${wanted}_${n}`
  return key
}

/** Returns the choices once each, whatever their case, in the given order. */
function optionsFor(
  type: Field['type'],
  options: readonly string[],
  limits: { retained?: readonly string[] } = {},
): string[] {
  if (type !== 'choice') return [...(limits.retained ?? [])]
  const byName = new Map(options.toReversed().map((option) => [option.toLowerCase(), option]))
  if (byName.size === 0) throw refuse('validation_failed', { fields: { options: ['required'] } })
  if (byName.size < options.length) throw refuse('validation_failed', { fields: { options: ['taken'] } })
  return [...options]
}

export async function insertField(tx: Tx, organizationId: string, input: FieldInput): Promise<Field> {
  const { label, type } = input
  const options = optionsFor(type, input.options)
  await requireRoom(tx, organizationId)
  return requireRow(
    tx,
    Field,
    sql`insert into custom_fields as f (organization_id, key, label, type, options, position)
      values (${organizationId}, ${await freeKey(tx, organizationId, label)}, ${label}, ${type}, ${arrayOf(options, 'text')},
        (select coalesce(max(position), 0) + 1 from custom_fields where organization_id = ${organizationId}))
      returning ${fieldColumns}`,
  )
}

/** Finds the field as it is now, and locks it. With `removed` it finds one that can be brought back. */
export async function lockField(
  tx: Tx,
  { organizationId, id, removed = false }: { organizationId: string; id: string; removed?: boolean },
): Promise<Field> {
  const state = removed
    ? sql`f.deleted_at > now() - make_interval(days => ${fieldDays})`
    : sql`f.deleted_at is null`
  return requireRow(
    tx,
    Field,
    sql`select ${fieldColumns} from custom_fields f
      where f.organization_id = ${organizationId} and f.id = ${id} and ${state} for update`,
  )
}

type FieldBefore = { organizationId: string; before: Field }

export function changeField(
  tx: Tx,
  { organizationId, before }: FieldBefore,
  { label, options }: z.output<typeof FieldChange>,
): Promise<Field> {
  const retained = optionsFor(before.type, options, { retained: before.options })
  return requireRow(
    tx,
    Field,
    sql`update custom_fields f set label = ${label}, options = ${arrayOf(retained, 'text')}, updated_at = now()
      where f.organization_id = ${organizationId} and f.id = ${before.id} returning ${fieldColumns}`,
  )
}

export async function putInOrder(
  tx: Tx,
  organizationId: string,
  fieldIds: readonly string[],
): Promise<Field[]> {
  const present = new Set((await findFields(tx, organizationId)).map(({ id }) => id))
  const isWhole = present.size === fieldIds.length && new Set([...present, ...fieldIds]).size === present.size
  if (!isWhole) throw refuse('conflict', { reason: { code: 'fields_changed' } })
  await tx.execute(
    sql`update custom_fields f set position = o.place, updated_at = now()
      from unnest(${arrayOf(fieldIds, 'uuid')}) with ordinality as o(id, place)
      where f.organization_id = ${organizationId} and f.id = o.id and f.position <> o.place`,
  )
  return findFields(tx, organizationId)
}

const Named = z.object({ name: z.string() })

/** Refuses while a rule asks about the field: the rule would go on with values that nobody sees any more. */
async function requireUnused(tx: Tx, { organizationId, before }: FieldBefore): Promise<void> {
  const using = (await ruleGroups(tx, organizationId))
    .filter(({ rule }) => fieldsIn(rule).includes(before.key))
    .map(({ id }) => id)
  if (using.length === 0) return
  const named = await rows(
    tx,
    Named,
    sql`select name from groups where id = any(${arrayOf(using, 'uuid')}) order by ${called(sql`name`)} limit 3`,
  )
  const names = named.map(({ name }) => name).join(', ')
  throw refuse('conflict', { reason: { code: 'field_in_rule', params: { names, groups: using.length } } })
}

export async function removeField(tx: Tx, at: FieldBefore): Promise<Field> {
  await requireUnused(tx, at)
  return setRemoved(tx, at, true)
}

export async function bringBack(tx: Tx, at: FieldBefore): Promise<Field> {
  await requireRoom(tx, at.organizationId)
  return setRemoved(tx, at, false)
}

async function setRemoved(tx: Tx, { organizationId, before }: FieldBefore, removed: boolean): Promise<Field> {
  return requireRow(
    tx,
    Field,
    sql`update custom_fields f set deleted_at = ${removed ? sql`now()` : sql`null`}, updated_at = now()
      where f.organization_id = ${organizationId} and f.id = ${before.id} returning ${fieldColumns}`,
  )
}
