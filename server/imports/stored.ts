import * as z from 'zod/mini'
import { groupKinds } from '#contract/directory/groups.ts'
import { allReasons } from '#contract/imports/import-reasons.ts'
import { ImportMapping, ImportOptions, delimiters } from '#contract/imports/imports.ts'
import type { Role } from '#contract/roles.ts'
import { arrayOf, requireRow, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { OwnField } from './columns.ts'
import { judgeRow, ImportedPerson, type Directory, type Judgement } from './judge.ts'
import { importedFields } from './fields.ts'
import { selectedFields } from '../directory/users/many.ts'
import { findRemoved } from '../directory/users/restore.ts'
import { readRow, type Plan, type ReadRow } from './read.ts'

export const StoredImport = z.object({
  id: z.string(),
  organizationId: z.string(),
  fileName: z.string(),
  delimiter: z.enum(delimiters),
  header: z.array(z.string()),
  mapping: ImportMapping,
  options: ImportOptions,
  ragged: z.number(),
  raggedRows: z.array(z.number()),
})
export type StoredImport = z.infer<typeof StoredImport>

type Key = { organizationId: string; id: string }

export function readStored(tx: Tx, { organizationId, id }: Key, lock = false): Promise<StoredImport> {
  return requireRow(
    tx,
    StoredImport,
    sql`select operation_id as id, organization_id as "organizationId", file_name as "fileName", delimiter, header, mapping, options,
        ragged, ragged_rows as "raggedRows"
      from imports where organization_id = ${organizationId} and operation_id = ${id} ${lock ? sql`for update` : sql``}`,
  )
}

export function readFields(tx: Tx, organizationId: string): Promise<OwnField[]> {
  return rows(
    tx,
    OwnField,
    sql`select key, label, type, options from custom_fields where organization_id = ${organizationId} and deleted_at is null
      order by position, id`,
  )
}

export async function planOf(
  tx: Tx,
  { organizationId, mapping, options, header }: StoredImport,
): Promise<Plan> {
  return { mapping, options, fields: await readFields(tx, organizationId), width: header.length }
}

type FileRow = { position: number; cells: readonly string[] }
type Judging = {
  tx: Tx
  organizationId: string
  plan: Plan
  actor: Role
  mayGiveRoles: boolean
  /** Whether what was found has to stay as it is until the transaction ends. */
  lock: boolean
}

/** Reads rows and holds them against what is there now; a fixed number of statements for any number of rows. */
export async function judge(
  judging: Judging,
  fileRows: readonly FileRow[],
): Promise<{ judged: Judgement[]; readRows: ReadonlyMap<number, ReadRow> }> {
  const read = fileRows.map(({ position, cells }) => readRow(position, cells, judging.plan))
  const directory = await readDirectory(judging, read)
  return {
    judged: read.map((one) => judgeRow(one, directory)),
    readRows: new Map(read.map((one) => [one.position, one])),
  }
}

async function readDirectory(judging: Judging, readRows: readonly ReadRow[]): Promise<Directory> {
  const { tx, organizationId, plan, actor, mayGiveRoles } = judging
  const emails = readRows.flatMap(({ given }) => given.email ?? [])
  const externalIds = readRows.flatMap(({ given }) => given.externalId ?? [])
  const names = readRows.flatMap(({ groups, groupsAsOne }) =>
    groupsAsOne ? [...groups, groupsAsOne] : groups,
  )
  const found = await findPeople(judging, { emails, externalIds })
  const removed = await findRemoved(tx, organizationId, { emails, externalIds })
  return {
    options: plan.options,
    fields: plan.fields,
    actor,
    mayGiveRoles,
    byEmail: new Map(found.map((one) => [one.email, one])),
    byExternalId: new Map(found.flatMap((one) => (one.externalId ? [[one.externalId, one]] : []))),
    removed: {
      byEmail: new Map(removed.map(({ id, email }) => [email, id])),
      byExternalId: new Map(removed.flatMap(({ id, externalId }) => (externalId ? [[externalId, id]] : []))),
    },
    groups: await findGroups(tx, organizationId, names),
  }
}

type Keys = { emails: string[]; externalIds: string[] }

function findPeople(
  { tx, organizationId, lock }: Judging,
  { emails, externalIds }: Keys,
): Promise<ImportedPerson[]> {
  const mine = sql`organization_id = ${organizationId} and deleted_at is null`
  return rows(
    tx,
    // One look into a unique index per key: a condition on all keys at once is planned as a walk through everybody.
    ImportedPerson,
    sql`with keys as materialized (
        select f.id from unnest(${arrayOf(emails, 'text')}) e(key)
          cross join lateral (select id from users where ${mine} and email = e.key limit 1) f
        union select f.id from unnest(${arrayOf(externalIds, 'text')}) x(key)
          cross join lateral (select id from users where ${mine} and external_id = x.key limit 1) f)
      select u.id, ${selectedFields(importedFields)}, u.custom_fields as custom,
        coalesce((select json_agg(json_build_object('id', g.id, 'name', g.name)) from group_members m
          join groups g on g.id = m.group_id and g.deleted_at is null where m.user_id = u.id), '[]') as groups
      from keys join users u on u.id = keys.id and u.organization_id = ${organizationId} and u.deleted_at is null
      order by u.id ${lock ? sql`for update of u` : sql``}`,
  )
}

const Group = z.object({ id: z.string(), kind: z.enum(groupKinds) })
type Group = z.infer<typeof Group>

const FindGroupsRow = z.extend(Group, { key: z.string() })

/** By the names that were asked for. Which of them are the same in another case, the database alone says, here as where it keeps names apart. */
async function findGroups(
  tx: Tx,
  organizationId: string,
  names: readonly string[],
): Promise<Map<string, Group>> {
  if (names.length === 0) return new Map()
  const found = await rows(
    tx,
    FindGroupsRow,
    sql`select g.id, g.kind, n as key from unnest(${arrayOf([...new Set(names)], 'text')}) n
      join groups g on g.organization_id = ${organizationId} and g.deleted_at is null and lower(g.name) = lower(n)`,
  )
  return new Map(found.map(({ key, id, kind }) => [key, { id, kind }]))
}

/** Puts a reason beside others. */
export const refused = (judged: Judgement, reason: string): Judgement => ({
  ...judged,
  outcome: 'conflict',
  reason: allReasons([reason]),
  changes: [],
  wanted: undefined,
  joins: [],
})
