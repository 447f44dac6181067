import * as z from 'zod/mini'
import { userStates } from '#contract/users.ts'
import { allReasons, because, type ImportReason } from '#contract/import-reasons.ts'
import type { ImportChange, ImportOptions } from '#contract/imports.ts'
import type { RowOutcome } from '#contract/operations.ts'
import { mayGrant, type Role, roles } from '#contract/roles.ts'
import type { OwnField } from './columns.ts'
import type { Understood } from './read.ts'

/** Somebody who is there already. */
export const Person = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  phone: z.nullable(z.string()),
  externalId: z.nullable(z.string()),
  role: z.nullable(z.enum(roles)),
  state: z.enum(userStates),
  custom: z.record(z.string(), z.string()),
  /** Names of the groups, in lower case. */
  groups: z.array(z.string()),
})
export type Person = z.infer<typeof Person>

/** What a row is judged by; keys of groups are names in lower case. */
export type Directory = {
  options: ImportOptions
  fields: readonly OwnField[]
  actor: Role
  /** Whether whoever has started the import had proved who they are. */
  mayGiveRoles: boolean
  byEmail: ReadonlyMap<string, Person>
  byExternalId: ReadonlyMap<string, Person>
  /** External ids of people who were removed. */
  removed: ReadonlySet<string>
  groups: ReadonlyMap<string, { id: string; kind: 'static' | 'rule' }>
}

/** The person as they are to be. */
export const Wanted = z.omit(Person, { id: true, groups: true })
export type Wanted = z.infer<typeof Wanted>

export type Judgement = {
  position: number
  outcome: Exclude<RowOutcome, 'removed' | 'failed'>
  reason: string | null
  label: string
  person: Person | undefined
  changes: ImportChange[]
  /** There when something is to be written. */
  wanted: Wanted | undefined
  /** Names of groups that the person is to be put into. */
  joins: string[]
}

/** Says what becomes of one row; nothing but what is given goes into it. */
export function judgeRow(row: Understood, directory: Directory): Judgement {
  const { person, fault } = personOf(row, directory)
  const label = row.name ?? person?.name ?? row.email ?? row.externalId ?? '–'
  const judged = { position: row.position, label, person }
  const nothing = { changes: [], wanted: undefined, joins: [] }
  const faults = [...row.faults, ...(fault ? [because(fault)] : [])]
  if (person && faults.length === 0 && directory.options.existing === 'skip')
    return { ...judged, ...nothing, outcome: 'skipped', reason: because('exists') }
  const wanted = person ? changed(row, person) : created(row, directory)
  const joins = row.groups.filter((name) => !person?.groups.includes(name.toLowerCase()))
  faults.push(...(person ? faultsOfChange(row, person) : faultsOfCreation(row, wanted, directory)))
  faults.push(...faultsOfGroups(joins, directory))
  if (faults.length > 0)
    return { ...judged, ...nothing, outcome: 'conflict', reason: allReasons([...new Set(faults)]) }
  const changes = changesOf({ person, wanted, joins }, directory)
  if (changes.length === 0) return { ...judged, ...nothing, outcome: 'unchanged', reason: null }
  return { ...judged, outcome: person ? 'changed' : 'created', reason: null, changes, wanted, joins }
}

/** Who the row is about, or why that cannot be told. */
function personOf(
  row: Understood,
  directory: Directory,
): { person: Person | undefined; fault?: ImportReason } {
  const { matchBy } = directory.options
  const email = row.email === undefined ? undefined : directory.byEmail.get(row.email)
  const external = row.externalId ? directory.byExternalId.get(row.externalId) : undefined
  if (matchBy === 'email') {
    if (external && external.id !== email?.id) return { person: email, fault: 'two_people' }
    return row.email === undefined ? { person: undefined, fault: missing(row) } : { person: email }
  }
  if (external)
    return { person: external, ...(email && email.id !== external.id ? { fault: 'two_people' } : {}) }
  if (matchBy === 'externalId') {
    if (!row.externalId) return { person: undefined, fault: 'external_id_missing' }
    return { person: undefined, ...(email ? { fault: 'email_taken' } : {}) }
  }
  const isAnother = row.externalId && email?.externalId && email.externalId !== row.externalId
  return { person: email, ...(isAnother ? { fault: 'email_taken' } : {}) }
}

/** An email that could not be read has been named already. */
const missing = ({ faults }: Understood): ImportReason =>
  faults.some((one) => one.startsWith('invalid_email')) ? 'invalid_email' : 'email_missing'

function created(row: Understood, { options }: Directory): Wanted {
  const role = row.role === undefined ? options.role : row.role
  const custom = Object.entries(row.custom).filter((entry): entry is [string, string] => entry[1] !== null)
  return {
    name: row.name ?? '',
    email: row.email ?? '',
    phone: row.phone ?? null,
    externalId: row.externalId ?? null,
    role,
    // Who is given a role is invited until they accept; nobody else makes them active.
    state: row.state === 'disabled' ? 'disabled' : role === null ? 'active' : 'invited',
    custom: Object.fromEntries(custom),
  }
}

function changed(row: Understood, person: Person): Wanted {
  const custom = { ...person.custom, ...row.custom }
  const kept = Object.entries(custom).filter((entry): entry is [string, string] => entry[1] !== null)
  return {
    name: row.name ?? person.name,
    email: row.email ?? person.email,
    phone: row.phone === undefined ? person.phone : row.phone,
    externalId: row.externalId === undefined ? person.externalId : row.externalId,
    role: person.role,
    state: row.state && person.role === null ? row.state : person.state,
    custom: Object.fromEntries(kept),
  }
}

/** Power and the way in are no matter of a file: whoever signs in keeps role, state and email. */
function faultsOfChange(row: Understood, person: Person): string[] {
  const faults: ImportReason[] = []
  if (row.role !== undefined && row.role !== person.role) faults.push('role_differs')
  if (person.role !== null && row.email !== undefined && row.email !== person.email)
    faults.push('email_of_role')
  const isOtherState = row.state !== undefined && (row.state === 'disabled') !== (person.state === 'disabled')
  if (person.role !== null && isOtherState) faults.push('state_of_role')
  return faults.map((fault) => because(fault))
}

function faultsOfCreation(row: Understood, { role }: Wanted, directory: Directory): string[] {
  const faults: string[] = []
  if (row.name === undefined && !row.faults.includes('name_too_long')) faults.push(because('name_missing'))
  if (row.email === undefined && missing(row) === 'email_missing') faults.push(because('email_missing'))
  if (row.externalId && directory.removed.has(row.externalId)) faults.push(because('was_removed'))
  if (role === null) return faults
  if (!mayGrant(directory.actor, role)) faults.push(because('role_not_allowed', role))
  else if (!directory.mayGiveRoles) faults.push(because('role_unproved'))
  return faults
}

function faultsOfGroups(joins: readonly string[], { groups, options }: Directory): string[] {
  return joins.flatMap((name) => {
    const group = groups.get(name.toLowerCase())
    if (group?.kind === 'rule') return [because('rule_group', name)]
    return group || options.createGroups ? [] : [because('unknown_group', name)]
  })
}

type Comparison = { person: Person | undefined; wanted: Wanted; joins: readonly string[] }

const columns = [
  ['Name', 'name'],
  ['Email', 'email'],
  ['Phone', 'phone'],
  ['External ID', 'externalId'],
  ['Role', 'role'],
  ['State', 'state'],
] as const

/** Field by field, as people read it. */
function changesOf({ person, wanted, joins }: Comparison, { fields }: Directory): ImportChange[] {
  const own = fields.map(({ key, label }) => ({
    field: label,
    before: person?.custom[key] ?? null,
    after: wanted.custom[key] ?? null,
  }))
  const fixed = columns.map(([field, key]) => ({ field, before: person?.[key] ?? null, after: wanted[key] }))
  const groups = { field: 'Groups', before: null, after: joins.join('; ') || null }
  return [...fixed, ...own, groups].filter(({ before, after }) => before !== after)
}

/** What earlier rows of the file are about, with the row. */
export type Taken = {
  emails: Map<string, number>
  externalIds: Map<string, number>
  people: Map<string, number>
}

export const nothingTaken = (): Taken => ({ emails: new Map(), externalIds: new Map(), people: new Map() })

type Keyed = { email: string | undefined; externalId: string | null | undefined }

/** Of rows about the same person the first one counts; the others name it. */
export function withoutRepeats(
  judged: readonly Judgement[],
  keys: ReadonlyMap<number, Keyed>,
  taken: Taken,
): Judgement[] {
  return judged.map((one) => {
    const { email, externalId } = keys.get(one.position) ?? {}
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
