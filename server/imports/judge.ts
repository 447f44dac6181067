import * as z from 'zod/mini'
import { listCell } from '#contract/platform/csv.ts'
import { allReasons, because, type ImportReason } from '#contract/imports/import-reasons.ts'
import { importTargets, type ImportChange, type ImportOptions } from '#contract/imports/imports.ts'
import type { RowOutcome } from '#contract/operations.ts'
import { mayGrant, type Role } from '#contract/roles.ts'
import type { OwnField } from './columns.ts'
import { importedFields, nobody, PersonData } from './fields.ts'
import type { ReadRow } from './read.ts'

/** Somebody who is there already. */
export const ImportedPerson = z.extend(PersonData, {
  id: z.string(),
  groups: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type ImportedPerson = z.infer<typeof ImportedPerson>

/** What a row is judged by; keys of groups are names as rows write them. */
export type Directory = {
  options: ImportOptions
  fields: readonly OwnField[]
  actor: Role
  /** Whether whoever has started the import had proved who they are. */
  mayGiveRoles: boolean
  byEmail: ReadonlyMap<string, ImportedPerson>
  byExternalId: ReadonlyMap<string, ImportedPerson>
  /** People who were removed and can be brought back, by email and by external id. */
  removed: { byEmail: ReadonlyMap<string, string>; byExternalId: ReadonlyMap<string, string> }
  groups: ReadonlyMap<string, { id: string; kind: 'static' | 'rule' }>
}

export type Judgement = {
  position: number
  outcome: Exclude<RowOutcome, 'removed' | 'failed'>
  reason: string | null
  label: string
  person: ImportedPerson | undefined
  changes: ImportChange[]
  /** The person as they are to be; there when something is to be written. */
  wanted: PersonData | undefined
  /** Names of groups that the person is to be put into. */
  joins: string[]
}

/** Says what becomes of one row; nothing but what is given goes into it. */
export function judgeRow(row: ReadRow, directory: Directory): Judgement {
  const { person, fault } = personOf(row, directory)
  const label = row.given.name ?? person?.name ?? row.given.email ?? row.given.externalId ?? '–'
  const judged = { position: row.position, label, person }
  const nothing = { changes: [], wanted: undefined, joins: [] }
  const faults = [...row.faults, ...(fault ? [because(fault)] : [])]
  if (person && faults.length === 0 && directory.options.existing === 'skip')
    return { ...judged, ...nothing, outcome: 'skipped', reason: because('exists') }
  const wanted = person ? changed(row, person) : created(row, directory)
  const joins = joinsOf(row, person, directory)
  faults.push(...(person ? faultsOfChange(row, person) : faultsOfCreation(row, wanted, directory)))
  faults.push(...faultsOfGroups(joins, directory))
  const warnings = warningsOf(row, person)
  if (faults.length > 0)
    return {
      ...judged,
      ...nothing,
      outcome: 'conflict',
      reason: allReasons([...new Set([...faults, ...warnings])]),
    }
  const changes = changesOf({ person, wanted, joins }, directory)
  const reason = allReasons(warnings)
  if (changes.length === 0) return { ...judged, ...nothing, outcome: 'unchanged', reason }
  return { ...judged, outcome: person ? 'changed' : 'created', reason, changes, wanted, joins }
}

/** What somebody has already is right, whatever its field takes by now. */
const warningsOf = ({ warnings }: ReadRow, person: ImportedPerson | undefined): string[] =>
  warnings.flatMap(({ reason, key, given }) =>
    key !== undefined && person?.custom[key] === given ? [] : [reason],
  )

/** Groups of the row that the person is not in. */
function joinsOf(row: ReadRow, person: ImportedPerson | undefined, { groups }: Directory): string[] {
  const isOne =
    row.groupsAsOne !== undefined &&
    groups.has(row.groupsAsOne) &&
    row.groups.some((name) => !groups.has(name))
  const names = isOne && row.groupsAsOne !== undefined ? [row.groupsAsOne] : row.groups
  return names.filter((name) => !person?.groups.some(({ id }) => id === groups.get(name)?.id))
}

/** Who the row is about, or why that cannot be told. */
function personOf(
  { given, faults }: ReadRow,
  { options: { matchBy }, byEmail, byExternalId }: Directory,
): { person: ImportedPerson | undefined; fault?: ImportReason } {
  const email = given.email === undefined ? undefined : byEmail.get(given.email)
  const external = given.externalId ? byExternalId.get(given.externalId) : undefined
  if (matchBy === 'email') {
    if (external && external.id !== email?.id) return { person: email, fault: 'two_people' }
    if (given.email === undefined) return { person: undefined, fault: faultOfEmail(faults) }
    return { person: email }
  }
  if (external)
    return { person: external, ...(email && email.id !== external.id ? { fault: 'two_people' } : {}) }
  if (matchBy === 'externalId') {
    if (!given.externalId) return { person: undefined, fault: 'external_id_missing' }
    return { person: undefined, ...(email ? { fault: 'email_taken' } : {}) }
  }
  const isAnother = given.externalId && email?.externalId && email.externalId !== given.externalId
  return { person: email, ...(isAnother ? { fault: 'email_taken' } : {}) }
}

/** An email that could not be read has been named already. */
const faultOfEmail = (faults: readonly string[]): ImportReason =>
  faults.some((one) => one.startsWith('invalid_email')) ? 'invalid_email' : 'email_missing'

function created({ given, custom }: ReadRow, { options }: Directory): PersonData {
  const person = { ...nobody, role: options.role, ...given }
  // Who is given a role is invited until they accept; nobody else makes them active.
  const state = person.state === 'active' && person.role !== null ? 'invited' : person.state
  return { ...person, state, custom: withoutNulls(custom) }
}

function changed({ given, custom }: ReadRow, person: ImportedPerson): PersonData {
  return {
    ...person,
    ...given,
    role: person.role,
    state: given.state && person.role === null ? given.state : person.state,
    custom: withoutNulls({ ...person.custom, ...custom }),
  }
}

const withoutNulls = (custom: ReadRow['custom']): PersonData['custom'] =>
  Object.fromEntries(Object.entries(custom).filter((entry): entry is [string, string] => entry[1] !== null))

/** Power and the way in are no matter of a file: whoever signs in keeps role, state and email. */
function faultsOfChange({ given }: ReadRow, { role, email, state }: ImportedPerson): string[] {
  const faults: ImportReason[] = []
  if (given.role !== undefined && given.role !== role) faults.push('role_differs')
  if (role !== null && given.email !== undefined && given.email !== email) faults.push('email_of_role')
  const isOtherState = given.state !== undefined && (given.state === 'disabled') !== (state === 'disabled')
  if (role !== null && isOtherState) faults.push('state_of_role')
  return faults.map((fault) => because(fault))
}

function faultsOfCreation({ given, faults }: ReadRow, { role }: PersonData, directory: Directory): string[] {
  const found: string[] = []
  if (given.name === undefined && !faults.includes('name_too_long')) found.push(because('name_missing'))
  if (given.email === undefined && faultOfEmail(faults) === 'email_missing')
    found.push(because('email_missing'))
  const removed = removedOf(given, directory)
  if (removed !== undefined && directory.options.removed !== 'add')
    found.push(because('was_removed', removed))
  if (role === null) return found
  if (!mayGrant(directory.actor, role)) found.push(because('role_not_allowed', role))
  else if (!directory.mayGiveRoles) found.push(because('role_unproved'))
  return found
}

const removedOf = ({ email, externalId }: ReadRow['given'], { removed }: Directory): string | undefined =>
  (externalId ? removed.byExternalId.get(externalId) : undefined) ??
  (email ? removed.byEmail.get(email) : undefined)

function faultsOfGroups(joins: readonly string[], { groups, options }: Directory): string[] {
  return joins.flatMap((name) => {
    const group = groups.get(name)
    if (group?.kind === 'rule') return [because('rule_group', name)]
    return group || options.createGroups ? [] : [because('unknown_group', name)]
  })
}

type Comparison = { person: ImportedPerson | undefined; wanted: PersonData; joins: readonly string[] }

/** Field by field, as people read it. */
function changesOf({ person, wanted, joins }: Comparison, { fields }: Directory): ImportChange[] {
  const own = fields.map(({ key, label }) => ({
    field: label,
    before: person?.custom[key] ?? null,
    after: wanted.custom[key] ?? null,
  }))
  const fixed = importedFields.map((field) => ({
    field: importTargets[field],
    before: person?.[field] ?? null,
    after: wanted[field],
  }))
  const groups = { field: importTargets.groups, before: null, after: listCell(joins) || null }
  return [...fixed, ...own, groups].filter(({ before, after }) => before !== after)
}

/** What earlier rows of the file are about, with the row. */
export type TakenKeys = {
  emails: Map<string, number>
  externalIds: Map<string, number>
  people: Map<string, number>
}

export const nothingTaken = (): TakenKeys => ({
  emails: new Map(),
  externalIds: new Map(),
  people: new Map(),
})

/** Of rows about the same person the first one counts; the others name it. */
export function withoutRepeats(
  judged: readonly Judgement[],
  readRows: ReadonlyMap<number, ReadRow>,
  taken: TakenKeys,
): Judgement[] {
  return judged.map((one) => {
    const { email, externalId } = readRows.get(one.position)?.given ?? {}
    if (one.outcome === 'conflict') return one
    const earlier =
      repeat('same_external_id', externalId ? taken.externalIds.get(externalId) : undefined) ??
      repeat('same_email', email ? taken.emails.get(email) : undefined) ??
      repeat('same_person', one.person && taken.people.get(one.person.id))
    if (earlier)
      return { ...one, outcome: 'conflict', reason: earlier, changes: [], wanted: undefined, joins: [] }
    if (externalId) taken.externalIds.set(externalId, one.position)
    if (email) taken.emails.set(email, one.position)
    if (one.person) taken.people.set(one.person.id, one.position)
    return one
  })
}

/** Rows are numbered as in a spreadsheet, where the header is the first. */
const repeat = (reason: ImportReason, position: number | undefined) =>
  position === undefined ? undefined : because(reason, position + 1)
