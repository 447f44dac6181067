import * as z from 'zod/mini'
import { revoke, issue, type Acting } from '../identity/invitations.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { auditMany, type AuditEntry } from '../platform/http/audit.ts'
import type { KindOfOperation, PendingRow, RowResult, Work } from '../operations/kinds.ts'
import { actingFor } from '../operations/rows.ts'
import { judge, planOf, readStored, refused } from './stored.ts'
import { auditedFacts, PersonData } from './fields.ts'
import { nothingTaken, withoutRepeats } from './judge.ts'
import { undoRows } from './undo.ts'
import { joinGroups, writePeople, type Applied, type Joined, type WrittenRow } from './write.ts'

/** People of a file. A row is judged once more when its turn comes: the rehearsal may be of yesterday. */
export const importPeople: KindOfOperation = {
  kind: 'users.import',
  // In chunks of 1,000 the same file takes a quarter longer; one of these takes about a second and a half.
  chunk: 4_000,
  apply: applyRows,
  undo: undoRows,
}

async function applyRows(work: Work, pending: readonly PendingRow[]): Promise<RowResult[]> {
  const { tx, actor, operation } = work
  const organizationId = operation.organizationId ?? ''
  const stored = await readStored(tx, { organizationId, id: operation.id })
  const plan = await planOf(tx, stored)
  const mayGiveRoles = isProved(operation.params)
  const given = pending.map(({ position, input }) => ({ position, cells: cellsOf(input) }))
  const judging = { tx, organizationId, plan, actor: actor.role, mayGiveRoles, lock: true }
  const { judged, readRows } = await judge(judging, given)
  const repeated = await findRepeats(
    tx,
    operation.id,
    given.map(({ position }) => position),
  )
  const once = judged.map((one) => {
    const reason = repeated.get(one.position)
    return reason === undefined ? one : refused(one, reason)
  })
  const written = await writePeople({ tx, organizationId }, withoutRepeats(once, readRows, nothingTaken()))
  const groups = await joinGroups({ tx, organizationId }, written)
  await invite(actingFor(work), { organizationId, written, groups, isWanted: plan.options.invite })
  await note(work, written, groups)
  if (given.some(({ position }) => countedAgainAt.has(position))) await countAgain(tx)
  return written.map((one) => resultOf(one, groups))
}

/** Rows after which the tables are no longer what the planner knows of them. */
const countedAgainAt: ReadonlySet<number> = new Set([1_000, 10_000, 50_000])

/**
 * To a planner that remembers a handful of people, an organization is as good a key as an email: it would walk through
 * everybody once per row. It takes note by itself only a minute later.
 */
async function countAgain(tx: Tx): Promise<void> {
  await tx.execute(sql`analyze users`)
  await tx.execute(sql`analyze group_members`)
}

const isProved = (params: unknown) =>
  typeof params === 'object' && params !== null && 'mayGiveRoles' in params && params.mayGiveRoles === true

export const cellsOf = (input: unknown): string[] =>
  Array.isArray(input) ? input.map((cell: unknown) => (typeof cell === 'string' ? cell : '')) : []

const FindRepeatsRow = z.object({ position: z.number(), reason: z.string() })

/** Rows that say again what an earlier one says; found by the rehearsal, which has seen the whole file. */
async function findRepeats(tx: Tx, id: string, positions: readonly number[]): Promise<Map<number, string>> {
  const found = await rows(
    tx,
    FindRepeatsRow,
    sql`select position, reason from import_rows where operation_id = ${id} and position = any(${arrayOf(positions, 'int')})
      and outcome = 'conflict' and reason like any(array['same\\_email:%', 'same\\_external\\_id:%', 'same\\_person:%'])`,
  )
  return new Map(found.map(({ position, reason }) => [position, reason]))
}

type Inviting = { organizationId: string; written: readonly WrittenRow[]; groups: Joined; isWanted: boolean }

/** Former invitations to the address give way to the person; a mail goes out only if somebody has chosen so. */
async function invite(
  acting: Acting,
  { organizationId, written, groups, isWanted }: Inviting,
): Promise<void> {
  for (const { outcome, wanted, userId, joins } of written) {
    if (outcome !== 'created' || !wanted?.role || userId === undefined) continue
    const { email, name, role, state } = wanted
    await revoke(acting, sql`organization_id = ${organizationId} and email = ${email}`)
    const groupIds = joins.flatMap((joined) => groups.get(joined)?.id ?? [])
    if (isWanted && state === 'invited')
      await issue(acting, { organizationId, email, name, role, groupIds, userId })
  }
}

async function note(work: Work, written: readonly WrittenRow[], groups: Joined): Promise<void> {
  const { organizationId } = work.operation
  const created = [...groups.values()].filter(({ position }) => position !== undefined)
  await auditMany(work.tx, actingFor(work), [
    ...created.map(({ id, name }): AuditEntry => ({
      organizationId,
      action: 'group.created',
      entity: 'group',
      entityId: id,
      after: { name },
    })),
    ...written.flatMap((one) => entryOf(one, organizationId) ?? []),
  ])
}

function entryOf(one: WrittenRow, organizationId: string | null): AuditEntry | undefined {
  const { outcome, person, wanted, userId, joins } = one
  if (!wanted || userId === undefined) return undefined
  const entry = { organizationId, entity: 'user', entityId: userId }
  const present = (person?.groups ?? []).map(({ name }) => name)
  const groups = joins.length > 0 ? { groups: [...present, ...joins] } : {}
  if (outcome === 'created')
    return { ...entry, action: 'user.created', after: { ...auditedFacts(wanted), ...groups } }
  if (!person) return undefined
  const before = { ...auditedFacts(person), ...(joins.length > 0 ? { groups: present } : {}) }
  return { ...entry, action: 'user.changed', before, after: { ...auditedFacts(wanted), ...groups } }
}

function resultOf(one: WrittenRow, groups: Joined): RowResult {
  const { position, outcome, reason, label, userId, person, wanted, joins, changes } = one
  const result = { position, outcome, reason, label, ...(userId === undefined ? {} : { entityId: userId }) }
  if (!wanted) return result
  const joined = joins.flatMap((name) => groups.get(name) ?? [])
  const after: Applied = {
    person: PersonData.parse(wanted),
    groupIds: joined.map(({ id }) => id),
    newGroups: joined.filter((group) => group.position === position).map(({ id }) => id),
    changes,
  }
  return { ...result, before: person ? PersonData.parse(person) : null, after }
}
