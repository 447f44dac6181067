import { hash } from 'node:crypto'
import { buffer as bufferOf } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { isOfStore } from '../platform/storage/s3.ts'
import type { Store } from '../platform/storage/store.ts'
import { boundOf } from './bound.ts'
import { damageOf } from './restore/damage.ts'
import { measuring } from './seal.ts'

/** Of the form of a backup; raised when an older program could no longer read it. */
export const format = 1

const text = (form: RegExp) => z.string().check(z.regex(form))
const Hash = text(/^[0-9a-f]{64}$/)
/** Longer ones PostgreSQL cuts off. */
const Identifier = text(/^\w{1,63}$/)
const Schema = z.enum(['public', 'pgboss'])
const Count = z.int().check(z.nonnegative())
const Moment = z.string().check(
  z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  z.refine((at) => !Number.isNaN(Date.parse(at))),
)
export const mostFault = 2_000
/** What is shown to people, and nothing else. */
const Shown = z.string().check(z.maxLength(mostFault), z.regex(/^[^\p{Cc}\p{Cs}]+$/u))
/** Of HMAC-SHA-256, base64url. */
const Signature = text(/^[\w-]{43}$/)

export const StoredTable = z
  .object({
    schema: Schema,
    name: Identifier,
    columns: z.array(Identifier).check(z.minLength(1)),
    /** Of a partition: the table that it is a part of, and which part. */
    parent: z.nullable(Identifier),
    bound: z.nullable(z.string().check(z.refine((given) => boundOf(given) !== undefined))),
    rows: Count,
    /** Of the plain text, to which the hash belongs too. */
    bytes: Count,
    sha256: Hash,
    /** As it lies in the folder. */
    stored: Count,
  })
  .check(z.refine(({ parent, bound }) => (parent === null) === (bound === null)))
export type StoredTable = z.infer<typeof StoredTable>

export const Sequence = z.object({
  schema: Schema,
  name: Identifier,
  value: z.nullable(text(/^-?\d{1,19}$/)),
})

const namesOnce = (things: readonly { schema: string; name: string }[]) =>
  new Set(things.map(({ schema, name }) => `${schema}.${name}`)).size === things.length

/** Nothing in it is free text: whoever can write to the folder may have written it. */
export const Manifest = z.object({
  format: Count,
  /** `database`: tables only, as before a migration. */
  kind: z.enum(['whole', 'database']),
  /** Whose it is; nothing where the database was older than that name. */
  installation: z.optional(text(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)),
  release: text(/^\d{1,6}(\.\d{1,6}){2}(-[\w.]{1,40})?$/),
  postgres: text(/^\d{1,3}(\.\d{1,3}){0,2}(devel|(alpha|beta|rc)\d{1,2})?$/),
  migrations: z.array(z.object({ name: text(/^\d{4}\w{1,100}$/), hash: text(/^[0-9a-z]{64}$/) })),
  /** Null: for everybody who can read the folder. */
  recipient: z.nullable(text(/^age1[0-9a-z]{10,4000}$/)),
  /** `apart`: it came from the environment, and has to come from there again. */
  secret: z.enum(['included', 'apart']),
  /** Tells whether a secret is the same, and nothing else about it. */
  secretSign: z.nullable(Signature),
  startedAt: Moment,
  /** The moment whose state it holds. */
  snapshotAt: Moment,
  endedAt: Moment,
  tables: z.array(StoredTable).check(z.refine(namesOnce)),
  sequences: z.array(Sequence).check(z.refine(namesOnce)),
  /** Files that could not be read and are not in it: it is not whole. */
  leftOut: z.optional(z.array(Shown)),
  files: z.object({ count: Count, bytes: Count, newBytes: Count, list: Hash }),
  /** Over all of the above, and so over everything whose hash stands there; nothing in backups of before, and where there was no secret. */
  mac: z.optional(Signature),
})
export type Manifest = z.infer<typeof Manifest>

/** Until the year 9999. */
const mostMs = 253_402_300_799_999

/** A folder or a file of the product has such a name; others are what a file system or a file manager leaves behind. */
export const isOwnName = (name: string): boolean => /^[\w-]+(\.[\w-]+)*$/.test(name)

export const StoredFile = z.object({
  /** Below DATA_DIR. */
  path: z.string().check(
    z.maxLength(700),
    z.refine((name) => /^(uploads|sources|media)\/|^secret-key(\.previous)?$/.test(name)),
    z.refine((name) => name.split('/').every(isOwnName)),
  ),
  size: Count,
  modifiedMs: z.int().check(z.minimum(-mostMs), z.maximum(mostMs)),
  sha256: Hash,
})
export type StoredFile = z.infer<typeof StoredFile>

/** What came of reading a backup into a new place. */
const Checked = z.object({
  at: Moment,
  /** Goes into the database and onto the page. */
  fault: z.nullable(Shown),
  /** Hashes of the contents that are damaged: the next backup copies them anew. */
  contents: z.optional(z.array(Hash)),
})
export type Checked = z.infer<typeof Checked>

/** Keys of what belongs to a backup. */
export const partsOf = (name: string) => ({
  manifest: `${name}/manifest.json`,
  checked: `${name}/checked.json`,
  files: `${name}/files.jsonl.zst`,
  tables: `${name}/tables/`,
  /** Says who is making or removing it; without a description it is nothing yet, or nothing any more. */
  unfinished: `${name}/unfinished`,
})

/** Content lies once beside the backups, apart for each recipient: what is encrypted for another one is another file. */
export const contentsFor = (recipient: string | null): string =>
  `files/${recipient === null ? 'plain' : hash('sha256', recipient).slice(0, 16)}/`

export const contentOf = (recipient: string | null, sha256: string): string =>
  `${contentsFor(recipient)}${sha256.slice(0, 2)}/${sha256}`

/** Says for people where something lies. */
export const addressOf = ({ place }: Store, key: string): string => `${place}/${key}`

export const names = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/

/** Names of what lies there, the newest first; of those that are being made or removed it says by whom. */
async function allIn(store: Store): Promise<{ name: string; unfinishedOf: string | null }[]> {
  try {
    const found: string[] = []
    for await (const name of store.folders('')) if (names.test(name)) found.push(name)
    const newestFirst = found.toSorted().toReversed()
    return await Promise.all(
      newestFirst.map(async (name) => ({ name, unfinishedOf: await unfinishedOf(store, name) })),
    )
  } catch (error) {
    requireReadable(error, store.place)
    throw error
  }
}

async function unfinishedOf(store: Store, name: string): Promise<string | null> {
  const { manifest, unfinished } = partsOf(name)
  if ((await store.head(unfinished)) === undefined || (await store.head(manifest)) !== undefined) return null
  return (await textIn(store, unfinished)) ?? ''
}

/** Names of complete backups, the newest first. */
export async function namesIn(store: Store): Promise<string[]> {
  const all = await allIn(store)
  return all.filter((one) => one.unfinishedOf === null).map(({ name }) => name)
}

/** Names of those that somebody has left in the middle, or is still about. */
export async function unfinishedIn(store: Store, whose: string): Promise<string[]> {
  const all = await allIn(store)
  return all.filter((one) => one.unfinishedOf === whose).map(({ name }) => name)
}

export const nameAt = (at: Date): string => at.toISOString().replaceAll(/[:.]/g, '-')

/** A manifest, and all that stands in it: another release may have added to it. */
export type Description = { manifest: Manifest; given: object }

/** Throws a sentence when it is no backup, or one of a newer form. */
export async function readManifest(store: Store, name: string): Promise<Description> {
  const { manifest } = partsOf(name)
  return descriptionIn(await textIn(store, manifest), { name, address: addressOf(store, manifest) })
}

/** Does the same with what was read already. */
export function descriptionIn(
  text: string | undefined,
  { name, address }: { name: string; address: string },
): Description {
  const given = jsonOf(text)
  const parsed = Manifest.safeParse(given)
  if (parsed.success && parsed.data.format <= format) return { manifest: parsed.data, given: given as object }
  const { data } = z.object({ format: z.number() }).safeParse(given)
  if (data && data.format > format)
    throw new Error(
      `The backup ${name} was made by a newer release of this program. Restore it with that release.`,
    )
  const { path: where = [] } = parsed.error?.issues[0] ?? {}
  throw damageOf(
    `${address} is not the description of a backup, or it is damaged${where.length > 0 ? ` (${where.join('.')})` : ''}.`,
  )
}

function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Of hundreds of tables with a part for each day of many years. */
const mostBytes = 50_000_000

/** Undefined where there is none, and where it is none. */
async function textIn(store: Store, key: string): Promise<string | undefined> {
  try {
    const bytes = measuring({}, mostBytes)((await store.read(key)) as AsyncIterable<Buffer>)
    return (await bufferOf(bytes)).toString('utf8')
  } catch (error) {
    requireReadable(error, addressOf(store, key))
    if (isOfStore(error)) throw error
    return undefined
  }
}

/** A folder that somebody else has copied here belongs to them, and what nobody may read is not damaged. */
function requireReadable(error: unknown, place: string): void {
  if (error instanceof Error && 'code' in error && error.code === 'EACCES')
    throw new Error(`This user may not read ${place}: give it to them, with all that lies in it.`)
}

/** Null where nobody has checked it, or nobody can say. */
export async function readChecked(store: Store, name: string): Promise<Checked | null> {
  const text = await textIn(store, partsOf(name).checked).catch(unlessOfStore)
  return Checked.safeParse(jsonOf(text)).data ?? null
}

/** A store that does not answer says nothing about what lies there. */
export function unlessOfStore(error: unknown): undefined {
  if (isOfStore(error)) throw error
}
