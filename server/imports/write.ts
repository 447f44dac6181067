import { because } from '#contract/imports/import-reasons.ts'
import type { ImportChange } from '#contract/imports/imports.ts'
import { ensureGroups, joinMany } from '../directory/groups/by-name.ts'
import { addPeople, changePeople } from '../directory/users/many.ts'
import type { Tx } from '../platform/db/client.ts'
import { changeableFields, importedFields, type PersonData } from './fields.ts'
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
  const created = await addPeople(at.tx, ofNew(at.organizationId), changesWith(judged, 'created'))
  const refusals = await updatePeople(at, changesWith(judged, 'changed'))
  return judged.map((one) => {
    const userId = one.outcome === 'created' ? created.get(one.position) : one.person?.id
    const isRefused = (one.outcome === 'created' && !userId) || refusals.has(one.position)
    return { ...(isRefused ? refused(one, because('taken_meanwhile')) : one), userId }
  })
}

/** Of whom a file may write what. */
const ofNew = (organizationId: string) => ({ organizationId, fields: importedFields })
const ofKnown = (organizationId: string) => ({ organizationId, fields: changeableFields })

/** Positions of rows that the database refused. All at once; one by one only when one of them is refused. */
export async function updatePeople(
  { tx, organizationId }: Within,
  changes: readonly PersonWrite[],
): Promise<Set<number>> {
  const isWritten = (some: readonly PersonWrite[]) => changePeople(tx, ofKnown(organizationId), some)
  if (changes.length === 0 || (await isWritten(changes))) return new Set()
  const refusals = new Set<number>()
  for (const one of changes) if (!(await isWritten([one]))) refusals.add(one.position)
  return refusals
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
  const groups: Joined = new Map(
    (await ensureGroups(at, [...wanted.keys()])).map(({ id, name, key, isNew }) => [
      key,
      { id, name, position: isNew ? wanted.get(key) : undefined },
    ]),
  )
  const pairs = joining.flatMap(({ joins, userId = '', wanted: person }) =>
    joins.map((name) => ({
      userId,
      groupId: groups.get(name)?.id ?? '',
      // Whoever is created as a groupadmin administers the groups that the file names, as on the page of a new person.
      groupadmin: person?.role === 'groupadmin',
    })),
  )
  await joinMany(at, pairs)
  return groups
}
