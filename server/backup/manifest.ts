import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { absent } from '../platform/storage/local.ts'
import { damageOf } from './damage.ts'

/** Of the form of a backup; raised when an older program could no longer read it. */
export const format = 1

const Hash = z.string().check(z.regex(/^[0-9a-f]{64}$/))
const Identifier = z.string().check(z.regex(/^\w+$/))

export const StoredTable = z.object({
  schema: z.enum(['public', 'pgboss']),
  name: Identifier,
  columns: z.array(Identifier),
  /** Of a partition: the table that it is a part of, and which part. */
  parent: z.nullable(Identifier),
  bound: z.nullable(z.string().check(z.regex(/^(DEFAULT|FOR VALUES [^;]+)$/))),
  rows: z.number(),
  /** Of the plain text, to which the hash belongs too. */
  bytes: z.number(),
  sha256: Hash,
  /** As it lies in the folder. */
  stored: z.number(),
})
export type StoredTable = z.infer<typeof StoredTable>

export const Sequence = z.object({ schema: Identifier, name: Identifier, value: z.nullable(z.string()) })

export const Manifest = z.object({
  format: z.number(),
  /** `database`: tables only, as before a migration. */
  kind: z.enum(['whole', 'database']),
  /** Whose it is; nothing where the database was older than that name. */
  installation: z.optional(z.string()),
  release: z.string(),
  postgres: z.string(),
  migrations: z.array(z.object({ name: z.string(), hash: z.string() })),
  /** Null: for everybody who can read the folder. */
  recipient: z.nullable(z.string()),
  /** `apart`: it came from the environment, and has to come from there again. */
  secret: z.enum(['included', 'apart']),
  /** Tells whether a secret is the same, and nothing else about it. */
  secretSign: z.nullable(z.string()),
  startedAt: z.string(),
  /** The moment whose state it holds. */
  snapshotAt: z.string(),
  endedAt: z.string(),
  tables: z.array(StoredTable),
  sequences: z.array(Sequence),
  /** Files that could not be read and are not in it: it is not whole. */
  leftOut: z.optional(z.array(z.string())),
  files: z.object({ count: z.number(), bytes: z.number(), newBytes: z.number(), list: Hash }),
})
export type Manifest = z.infer<typeof Manifest>

export const StoredFile = z.object({
  /** Below DATA_DIR. */
  path: z.string().check(
    z.refine((name) => /^(uploads|sources|media)\/|^secret-key(\.previous)?$/.test(name)),
    z.refine((name) => name.split('/').every((part) => /^[\w-]+(\.[\w-]+)*$/.test(part))),
  ),
  size: z.number(),
  modifiedMs: z.number(),
  sha256: Hash,
})
export type StoredFile = z.infer<typeof StoredFile>

/** What came of reading a backup into a new place. */
const Checked = z.object({
  at: z.string(),
  fault: z.nullable(z.string()),
  /** Hashes of the contents that are damaged: the next backup copies them anew. */
  contents: z.optional(z.array(Hash)),
})
export type Checked = z.infer<typeof Checked>

/** Where things lie in a folder of backups. */
export const placeOf = (folder: string, name: string) => ({
  folder: path.join(folder, name),
  manifest: path.join(folder, name, 'manifest.json'),
  checked: path.join(folder, name, 'checked.json'),
  files: path.join(folder, name, 'files.jsonl.zst'),
  tables: path.join(folder, name, 'tables'),
})

const names = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/

/** Names of complete backups, the newest first. */
export async function namesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder).catch((error: unknown) => {
    requireReadable(error, folder)
    return absent([])(error)
  })
  return found
    .filter((name) => names.test(name))
    .toSorted()
    .toReversed()
}

export const nameAt = (at: Date): string => at.toISOString().replaceAll(/[:.]/g, '-')

/** Throws a sentence when it is no backup, or one of a newer form. */
export function readManifest(folder: string, name: string): Manifest {
  const { manifest } = placeOf(folder, name)
  const parsed = Manifest.safeParse(jsonOf(manifest))
  if (parsed.success && parsed.data.format <= format) return parsed.data
  const { data } = z.object({ format: z.number() }).safeParse(jsonOf(manifest))
  if (data && data.format > format)
    throw new Error(
      `The backup ${name} was made by a newer release of this program. Restore it with that release.`,
    )
  throw damageOf(`${manifest} is not the description of a backup, or it is damaged.`)
}

function jsonOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    requireReadable(error, file)
    return undefined
  }
}

/** A folder that somebody else has copied here belongs to them, and what nobody may read is not damaged. */
function requireReadable(error: unknown, place: string): void {
  if (error instanceof Error && 'code' in error && error.code === 'EACCES')
    throw new Error(`This user may not read ${place}: give it to them, with all that lies in it.`)
}

export async function readChecked(folder: string, name: string): Promise<Checked | null> {
  const text = await readFile(placeOf(folder, name).checked, 'utf8').catch(() => '')
  try {
    return Checked.parse(JSON.parse(text))
  } catch {
    return null
  }
}
