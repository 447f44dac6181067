import * as z from 'zod/mini'
import { because, type ChangedPart } from '#contract/imports/import-reasons.ts'
import { arrayOf, rows } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { auditMany } from '../platform/http/audit.ts'
import { leaveMany, removeUnused } from '../directory/groups/by-name.ts'
import { selectedFields } from '../directory/users/many.ts'
import { removeNewcomers } from '../directory/users/remove.ts'
import { forgetSecrets } from '../identity/removal.ts'
import { revoke } from '../identity/invitations.ts'
import type { DoneRow, UndoneRow, Work } from '../operations/kinds.ts'
import { actingFor } from '../operations/rows.ts'
import { auditedFacts, changeableFields, importedFields, PersonData } from './fields.ts'
import { updatePeople, type Applied } from './write.ts'
import { hasEntered } from '../people.ts'

const PresentPerson = z.extend(PersonData, {
  id: z.string(),
  joined: z.array(z.string()),
  hasMail: z.boolean(),
  hasEntered: z.boolean(),
})
type PresentPerson = z.infer<typeof PresentPerson>
type Undoing = { row: DoneRow; before: PersonData | null; after: Applied; person: PresentPerson | undefined }

/** Takes back what nobody has changed since: whole people who came with the file, single fields of the others. */
export async function undoRows(work: Work, done: readonly DoneRow[]): Promise<UndoneRow[]> {
  const present = await findPresent(work, done)
  const undoing = done.map((one) => ({
    row: one,
    before: one.before as PersonData | null,
    after: one.after as Applied,
    person: one.entityId === null ? undefined : present.get(one.entityId),
  }))
  const removed = await removeCreated(
    work,
    undoing.filter(({ row }) => row.outcome === 'created'),
  )
  const restored = await restoreChanged(
    work,
    undoing.filter(({ row }) => row.outcome === 'changed'),
  )
  const ended = new Map([...removed, ...restored].map((one) => [one.position, one]))
  await removeEmptyGroups(work, undoing)
  return done.flatMap(({ position }) => ended.get(position) ?? [])
}

async function findPresent(
  { tx, operation }: Work,
  done: readonly DoneRow[],
): Promise<ReadonlyMap<string, PresentPerson>> {
  const ids = arrayOf(
    done.map(({ entityId }) => entityId),
    'uuid',
  )
  const found = await rows(
    tx,
    PresentPerson,
    sql`select u.id, ${selectedFields(importedFields)}, u.custom_fields as custom,
        coalesce((select array_agg(m.group_id::text) from group_members m where m.user_id = u.id and not m.by_rule), '{}') as joined,
        exists (select 1 from deliveries d where d.organization_id = u.organization_id and d.user_id = u.id) as "hasMail",
        ${hasEntered('u')} as "hasEntered"
      from users u where u.organization_id = ${operation.organizationId} and u.deleted_at is null and u.id = any(${ids})
      order by u.id for update of u`,
  )
  return new Map(found.map((one) => [one.id, one]))
}

/** What is not as the import has left it. */
function changedSince(person: PresentPerson, { person: left, groupIds }: Applied): ChangedPart[] {
  const fixed: ChangedPart[] = importedFields.filter((field) => person[field] !== left[field])
  const keys = new Set([...Object.keys(person.custom), ...Object.keys(left.custom)])
  const isOwn = [...keys].some((key) => person.custom[key] !== left.custom[key])
  const isGroups =
    person.joined.length !== groupIds.length || groupIds.some((id) => !person.joined.includes(id))
  return [...fixed, ...(isOwn ? (['custom'] as const) : []), ...(isGroups ? (['groups'] as const) : [])]
}

async function removeCreated(work: Work, created: readonly Undoing[]): Promise<UndoneRow[]> {
  const gone: { id: string; person: PresentPerson }[] = []
  const results = created.map(({ row: { position }, after, person }): UndoneRow => {
    if (!person) return { position, undo: 'changed_since' }
    const changed = changedSince(person, after)
    if (person.hasMail || person.hasEntered)
      return { position, undo: 'changed_since', reason: because('something_sent') }
    if (changed.length > 0)
      return { position, undo: 'changed_since', reason: because('changed_since', changed.join(', ')) }
    gone.push({ id: person.id, person })
    return { position, undo: 'undone' }
  })
  await removePeople(work, gone)
  return results
}

/** As when somebody removes them by hand: out of the groups, nothing that opens the console, evidence stays. */
async function removePeople(
  work: Work,
  gone: readonly { id: string; person: PresentPerson }[],
): Promise<void> {
  const { tx, operation } = work
  if (gone.length === 0) return
  const { organizationId } = operation
  const mine = sql`organization_id = ${organizationId}`
  await removeNewcomers(
    tx,
    organizationId ?? '',
    gone.map(({ id }) => id),
  )
  const acting = actingFor(work)
  const entering = gone.filter(({ person }) => person.role !== null).map(({ id }) => id)
  if (entering.length > 0) {
    await revoke(acting, sql`${mine} and user_id = any(${arrayOf(entering, 'uuid')})`)
    await forgetSecrets(tx, entering)
  }
  await auditMany(
    tx,
    acting,
    gone.map(({ id, person }) => ({
      organizationId,
      action: 'user.removed' as const,
      entity: 'user',
      entityId: id,
      before: auditedFacts(person),
    })),
  )
}

type Restoring = Undoing & {
  person: PresentPerson
  before: PersonData
  wanted: PersonData
  left: string[]
  leaves: string[]
}

/** Each field that is still as the import has left it becomes what it was; the others stay, and are named. */
async function restoreChanged(work: Work, changed: readonly Undoing[]): Promise<UndoneRow[]> {
  const restoring = changed.flatMap((one): Restoring[] =>
    one.person && one.before
      ? [{ ...one, ...formerOf(one.person, one.before, one.after), person: one.person, before: one.before }]
      : [],
  )
  const organizationId = work.operation.organizationId ?? ''
  const refusals = await updatePeople(
    { tx: work.tx, organizationId },
    restoring.map(({ row: { position }, person, wanted }) => ({ position, id: person.id, wanted })),
  )
  const restored = restoring.filter(({ row }) => !refusals.has(row.position))
  await leaveGroups(work, restored)
  await noteRestored(work, restored)
  const byPosition = new Map(restoring.map((one) => [one.row.position, one]))
  return changed.map(({ row: { position } }): UndoneRow => {
    const one = byPosition.get(position)
    if (!one) return { position, undo: 'changed_since' }
    if (refusals.has(position)) return { position, undo: 'impossible', reason: because('taken_meanwhile') }
    if (one.left.length === 0) return { position, undo: 'undone' }
    return { position, undo: 'changed_since', reason: because('changed_since', one.left.join(', ')) }
  })
}

/** `left`: what somebody has changed since. `leaves`: groups that the import has put the person into. */
function formerOf(
  person: PresentPerson,
  before: PersonData,
  after: Applied,
): Pick<Restoring, 'wanted' | 'left' | 'leaves'> {
  const wanted: PersonData = { ...person, custom: { ...person.custom } }
  const left: string[] = []
  // Whoever has got a role in between signs in by this email and this state.
  const bound = person.role !== null && before.role === null ? ['email', 'state'] : []
  for (const field of changeableFields) {
    if (before[field] === after.person[field]) continue
    if (person[field] !== after.person[field] || bound.includes(field)) left.push(field)
    else Object.assign(wanted, { [field]: before[field] })
  }
  const { custom } = after.person
  for (const key of new Set([...Object.keys(custom), ...Object.keys(before.custom)])) {
    const former = before.custom[key]
    if (former === custom[key]) continue
    if (person.custom[key] !== custom[key]) left.push(key)
    else if (former === undefined) delete wanted.custom[key]
    else wanted.custom[key] = former
  }
  return { wanted, left, leaves: after.groupIds.filter((id) => person.joined.includes(id)) }
}

async function leaveGroups({ tx, operation }: Work, restored: readonly Restoring[]): Promise<void> {
  const pairs = restored.flatMap(({ person, leaves }) =>
    leaves.map((groupId) => ({ userId: person.id, groupId })),
  )
  if (pairs.length > 0) await leaveMany({ tx, organizationId: operation.organizationId ?? '' }, pairs)
}

async function noteRestored(work: Work, restored: readonly Restoring[]): Promise<void> {
  await auditMany(
    work.tx,
    actingFor(work),
    restored.map(({ person, wanted, leaves }) => ({
      organizationId: work.operation.organizationId,
      action: 'user.changed' as const,
      entity: 'user',
      entityId: person.id,
      before: { ...auditedFacts(person), ...(leaves.length > 0 ? { groupIds: person.joined } : {}) },
      after: {
        ...auditedFacts(wanted),
        ...(leaves.length > 0 ? { groupIds: person.joined.filter((id) => !leaves.includes(id)) } : {}),
      },
    })),
  )
}

/** A group that came with the file goes with it, unless somebody uses it by now. */
async function removeEmptyGroups(work: Work, undoing: readonly Undoing[]): Promise<void> {
  const { tx, operation } = work
  const { organizationId } = operation
  const ids = undoing.flatMap(({ after }) => after.newGroups)
  const removed = await removeUnused({ tx, organizationId: organizationId ?? '' }, ids)
  await auditMany(
    tx,
    actingFor(work),
    removed.map(({ id, name }) => ({
      organizationId,
      action: 'group.removed' as const,
      entity: 'group',
      entityId: id,
      before: { name },
    })),
  )
}
