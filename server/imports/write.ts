import * as z from 'zod/mini'
import { because } from '#contract/imports/import-reasons.ts'
import type { ImportChange } from '#contract/imports/imports.ts'
import { arrayOf, rows, unlessTaken, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { Id } from '../platform/db/rows.ts'
import { statementParts, type PersonData } from './fields.ts'
import type { Judgement } from './judge.ts'
import { refused } from './stored.ts'

/** A judgement that has been carried out, or refused by the database at the last moment. */
export type WrittenRow = Judgement & { userId: string | undefined }

type Within = { tx: Tx; organizationId: string }
/** `id`: of the person to be changed. */
type PersonWrite = { position: number; id: string | undefined; wanted: PersonData }

const changesWith = (judged: readonly Judgement[], wantedOutcome: 'created' | 'changed'): PersonWrite[] =>
  judged.flatMap(({ outcome, position, person, wanted }) =>
    outcome === wantedOutcome && wanted ? [{ position, id: person?.id, wanted }] : [],
  )

/** Writes what is to be created and changed; rows that somebody else was faster with become conflicts. */
export async function writePeople(at: Within, judged: readonly Judgement[]): Promise<WrittenRow[]> {
  const created = await insertPeople(at, changesWith(judged, 'created'))
  const refusals = await updatePeople(at, changesWith(judged, 'changed'))
  return judged.map((one) => {
    const userId = one.outcome === 'created' ? created.get(one.position) : one.person?.id
    const isRefused = (one.outcome === 'created' && !userId) || refusals.has(one.position)
    return { ...(isRefused ? refused(one, because('taken_meanwhile')) : one), userId }
  })
}

function recordsOf(changes: readonly PersonWrite[]): SQL {
  const records = changes.map(({ position, id, wanted }) => ({ ...wanted, position, id }))
  return sql`jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
    as g(position int, id uuid, ${statementParts.typed}, custom jsonb)`
}

const AddedPerson = z.object({ position: z.number(), id: z.string() })

/** Position to the new person; whoever has the email or the external id already is left out by the database itself. */
async function insertPeople(
  { tx, organizationId }: Within,
  creations: readonly PersonWrite[],
): Promise<Map<number, string>> {
  if (creations.length === 0) return new Map()
  const added = await rows(
    tx,
    AddedPerson,
    sql`with given as materialized (select uuidv7() as new_id, g.* from ${recordsOf(creations)}),
      added as (
        insert into users (id, organization_id, ${statementParts.columns}, custom_fields)
        select new_id, ${organizationId}, ${statementParts.values}, custom from given g order by position
        on conflict do nothing returning id)
      select given.position, added.id from added join given on given.new_id = added.id`,
  )
  return new Map(added.map(({ position, id }) => [position, id]))
}

/** Positions of rows that the database refused. All at once; one by one only when one of them is refused. */
export async function updatePeople(at: Within, changes: readonly PersonWrite[]): Promise<Set<number>> {
  if (changes.length === 0 || (await attempt(at, changes))) return new Set()
  const refusals = new Set<number>()
  for (const one of changes) if (!(await attempt(at, [one]))) refusals.add(one.position)
  return refusals
}

async function attempt({ tx, organizationId }: Within, changes: readonly PersonWrite[]): Promise<boolean> {
  return unlessTaken(tx, async () => {
    await tx.execute(
      sql`update users u set ${statementParts.changed}, custom_fields = g.custom, updated_at = now()
        from ${recordsOf(changes)} where u.organization_id = ${organizationId} and u.id = g.id`,
    )
  })
}

/** What a row has left behind, as it is kept for taking it back. */
export type Applied = {
  person: PersonData
  /** Groups into which the row has put the person. */
  groupIds: string[]
  /** Those of them that came into being with this row. */
  newGroups: string[]
  changes: ImportChange[]
}

/** Name as a row writes it to group; `position`: of the row by which it was created. */
export type Joined = Map<string, { id: string; name: string; position: number | undefined }>

/** Creates the groups that are missing and puts people into theirs. */
export async function joinGroups(at: Within, written: readonly WrittenRow[]): Promise<Joined> {
  const joining = written.filter(({ joins, userId }) => joins.length > 0 && userId !== undefined)
  const wanted = new Map<string, number>()
  for (const { joins, position } of joining)
    for (const name of joins) if (!wanted.has(name)) wanted.set(name, position)
  if (wanted.size === 0) return new Map()
  const groups = await ensureGroups(at, wanted)
  const pairs = joining.flatMap(({ joins, userId, wanted: person }) =>
    joins.map((name) => ({
      user_id: userId,
      group_id: groups.get(name)?.id,
      // Whoever is created as a groupadmin administers the groups that the file names, as on the page of a new person.
      groupadmin: person?.role === 'groupadmin',
    })),
  )
  await at.tx.execute(
    sql`insert into group_members (organization_id, group_id, user_id, groupadmin)
      select ${at.organizationId}, p.group_id, p.user_id, p.groupadmin
      from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as p(group_id uuid, user_id uuid, groupadmin boolean)
      on conflict (group_id, user_id) do nothing`,
  )
  return groups
}

/** A group that is removed at this moment is created anew; one that somebody else creates at this moment is taken. */
async function ensureGroups(at: Within, wanted: ReadonlyMap<string, number>): Promise<Joined> {
  const groups: Joined = new Map()
  for (const { id, name, key } of await holdGroups(at, [...wanted.keys()]))
    groups.set(key, { id, name, position: undefined })
  const missing = [...wanted.keys()].filter((name) => !groups.has(name))
  if (missing.length === 0) return groups
  const created = new Set((await createGroups(at, missing)).map(({ id }) => id))
  for (const { id, name, key } of await holdGroups(at, missing))
    groups.set(key, { id, name, position: created.has(id) ? wanted.get(key) : undefined })
  return groups
}

const KnownGroup = z.object({ id: z.string(), name: z.string(), key: z.string() })

/** By the names that were asked for; nobody removes them until the transaction ends. */
function holdGroups({ tx, organizationId }: Within, names: readonly string[]) {
  return rows(
    tx,
    KnownGroup,
    sql`select g.id, g.name, n as key from unnest(${arrayOf(names, 'text')}) n
      join groups g on g.organization_id = ${organizationId} and g.deleted_at is null and lower(g.name) = lower(n) for key share of g`,
  )
}

/** Those that came into being; whatever somebody else has created at this moment is taken as it is. */
function createGroups({ tx, organizationId }: Within, names: readonly string[]) {
  return rows(
    tx,
    Id,
    sql`with made as (insert into groups as g (organization_id, name)
        select distinct on (lower(n)) ${organizationId}::uuid, n
          from unnest(${arrayOf(names, 'text')}) with ordinality u(n, nth) order by lower(n), nth
        on conflict (organization_id, lower(name)) where deleted_at is null do update set name = g.name
        returning id, xmax = 0 as is_new) select id from made where is_new`,
  )
}
