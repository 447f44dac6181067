import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Env } from '../platform/env.ts'
import { tops } from '../platform/storage/keys.ts'
import { isOfStore } from '../platform/storage/s3.ts'
import type { Holding } from '../platform/storage/storage.ts'
import { absent, type Store } from '../platform/storage/store.ts'
import { eachAtOnce } from './at-once.ts'
import { damageOf, isDamage } from './restore/damage.ts'
import {
  addressOf,
  contentOf,
  contentsFor,
  isOwnName,
  partsOf,
  StoredFile,
  unlessOfStore,
  type Manifest,
} from './manifest.ts'
import { keptIn, ofVideos, type BackupPlace } from './place.ts'
import type { ProgressListener } from './progress.ts'
import { readSealed, writeSealed, type Measured, type Seal, type Unseal } from './seal.ts'

type Found = Omit<StoredFile, 'sha256'>
/** And the store that has it. */
type Lying = Found & { store: Store }

/** What could not be read is left out, and named. */
type LeaveOut = (store: Store, name: string, error: unknown) => void

/** Everything of the stores that cannot be made again. */
async function findFiles({ env, holding }: Copying, leaveOut: LeaveOut): Promise<Lying[]> {
  const found = new Map<string, Lying>()
  for (const { store, names } of keptIn(env, holding))
    for (const name of names)
      for await (const file of store.kind === 'folder'
        ? foundAt(store.place, name, (part, error) => leaveOut(store, part, error))
        : listedBelow(store, name))
        found.set(file.path, { ...file, store })
  return [...found.values()]
}

async function* listedBelow(store: Store, name: string): AsyncGenerator<Found> {
  for await (const { key, size, modifiedAt } of store.list(`${name}/`))
    if (StoredFile.shape.path.safeParse(key).success)
      yield { path: key, size, modifiedMs: modifiedAt.getTime() }
}

/** A folder is walked name by name, so that what cannot be read there is known, and the rest of it is found. */
async function* foundAt(
  root: string,
  name: string,
  leaveOut: (name: string, error: unknown) => void,
): AsyncGenerator<Found> {
  try {
    const known = await stat(path.join(root, name)).catch(absent(undefined))
    if (known?.isDirectory()) {
      const entries = await readdir(path.join(root, name), { withFileTypes: true }).catch(absent([]))
      for (const entry of entries)
        if (isOwnName(entry.name) && (entry.isFile() || entry.isDirectory()))
          yield* foundAt(root, `${name}/${entry.name}`, leaveOut)
    }
    if (known?.isFile() && StoredFile.shape.path.safeParse(name).success)
      yield { path: name, size: known.size, modifiedMs: Math.round(known.mtimeMs) }
  } catch (error) {
    leaveOut(name, error)
  }
}

type Copying = {
  env: Env
  holding: Holding
  place: BackupPlace
  /** A folder of this machine, from which content goes to its place at once. */
  draft: string
  seal: Seal
  /** Of the last backup: what has the same size and time as there is not read again. */
  before: ReadonlyMap<string, StoredFile>
  tell: ProgressListener
}
type Copied = { files: StoredFile[]; newBytes: number }
type LeftOut = { leftOut: string[] }

/** Copies what is new. What changes or goes meanwhile is looked at again, so that no folder of a video is half of one and half of another. */
export async function copyFiles(copying: Copying): Promise<Copied & LeftOut> {
  const leftOut = new Set<string>()
  const leaveOut: LeaveOut = (store, name, error) => {
    if (!isOfFile(error, path.join(store.place, name))) throw error
    leftOut.add(name)
  }
  const present = await contentsIn(copying)
  let known: ReadonlyMap<string, StoredFile> = copying.before
  let newBytes = 0
  for (let round = 0; round < rounds; round++) {
    const found = await findFiles(copying, leaveOut)
    const fresh = found.filter((file) => !isSame(known.get(file.path), file))
    if (
      round > 0 &&
      fresh.every(({ path: name }) => leftOut.has(name)) &&
      found.length - fresh.length === known.size
    )
      break
    const copied = await copyAll(found, known, { ...copying, present, leaveOut })
    known = new Map(copied.files.map((file) => [file.path, file]))
    newBytes += copied.newBytes
  }
  return { files: [...known.values()], newBytes, leftOut: [...leftOut].filter((name) => !known.has(name)) }
}

/** Hashes of the contents that are there for this recipient. */
async function contentsIn({ place: { store }, seal }: Copying): Promise<Set<string>> {
  const found = new Set<string>()
  for await (const { key } of store.list(contentsFor(seal.recipient))) found.add(path.posix.basename(key))
  return found
}

/** Whether it says something about this file, and not about the place where the backup is written. */
function isOfFile(error: unknown, file: string): boolean {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return false
  const isUnreadable = /^(EACCES|EPERM|EIO|ELOOP)$/.test(String(error.code))
  return isUnreadable && (error.syscall === 'read' || ('path' in error && error.path === file))
}

/** An upload that is being sent changes all the time. */
const rounds = 4

const isSame = (known: StoredFile | undefined, { size, modifiedMs }: Found) =>
  known?.size === size && known.modifiedMs === modifiedMs

type CopyingNow = Copying & { present: Set<string>; leaveOut: LeaveOut }

async function copyAll(
  found: readonly Lying[],
  known: ReadonlyMap<string, StoredFile>,
  copying: CopyingNow,
): Promise<Copied> {
  const { place, present, tell, leaveOut } = copying
  const files: (StoredFile | undefined)[] = found.map(() => undefined)
  let newBytes = 0
  let done = 0
  const total = found.reduce((sum, { size }) => sum + size, 0)
  const kinds = new Set([place.store, ...found.map(({ store }) => store)].map(({ kind }) => kind))
  await eachAtOnce([...kinds], found, async (file, index) => {
    tell({ step: 'files', done, total })
    const before = known.get(file.path)
    const stored =
      before && isSame(before, file) && present.has(before.sha256)
        ? { file: before, newBytes: 0 }
        : await copyOne(file, copying).catch((error: unknown) => leaveOut(file.store, file.path, error))
    done += file.size
    if (!stored) return
    files[index] = stored.file
    newBytes += stored.newBytes
  })
  return { files: files.filter((file) => file !== undefined), newBytes }
}

/** Undefined when it is gone. A file that grows is copied as far as it was there when it was found. */
async function copyOne(
  { store, ...file }: Lying,
  { place, draft, seal, present }: CopyingNow,
): Promise<{ file: StoredFile; newBytes: number } | undefined> {
  const range = { start: 0, end: file.size - 1 }
  const source =
    file.size === 0 ? Readable.from([]) : await store.read(file.path, range).catch(absent(undefined))
  if (!source) return undefined
  const content = path.join(draft, `content-${crypto.randomUUID()}`)
  try {
    const { bytes, sha256 } = await writeSealed(content, source as AsyncIterable<Buffer>, { seal })
    await place.store.putFile(contentOf(seal.recipient, sha256), content)
    const isKnown = present.has(sha256)
    present.add(sha256)
    return { file: { ...file, size: bytes, sha256 }, newBytes: isKnown ? 0 : bytes }
  } finally {
    source.destroy()
    await rm(content, { force: true })
  }
}

/** One line for each file; gives the hash that the manifest names. */
export async function writeFileList(place: string, files: readonly StoredFile[]): Promise<Measured> {
  const lines = function* () {
    for (const file of files) yield Buffer.from(`${JSON.stringify(file)}\n`)
  }
  return writeSealed(place, Readable.from(lines()), { seal: plainly, isText: true })
}

const plainly: Seal = { recipient: null, wrap: (bytes) => Promise.resolve(bytes) }
const asItIs: Unseal = (bytes) => Promise.resolve(bytes)

/** Of one line of the list. */
const mostLine = 1_000

/** Throws a sentence when the list is not the one that the manifest names. */
export async function readFileList(
  store: Store,
  name: string,
  { list: sha256, count, bytes: size }: Manifest['files'],
): Promise<StoredFile[]> {
  const measured: Partial<Measured> = {}
  const damaged = damageOf(`The list of files of the backup ${name} is missing or damaged.`)
  try {
    const most = mostLine * (count + 1)
    const bytes = await readSealed(store, partsOf(name).files, {
      unseal: asItIs,
      isText: true,
      measured,
      most,
    })
    const text = await textOf(bytes)
    const files = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => StoredFile.parse(JSON.parse(line)))
    const total = files.reduce((sum, file) => sum + file.size, 0)
    if (measured.sha256 !== sha256 || files.length !== count || total !== size || overlap(files))
      throw damaged
    return files
  } catch (error) {
    unlessOfStore(error)
    throw damaged
  }
}

/** Two of one name, or one in whose place there is a folder of another. */
function overlap(files: readonly StoredFile[]): boolean {
  const places = new Set(files.map((file) => file.path))
  const isBelow = ({ path: name }: StoredFile) =>
    name.split('/').some((_, end, parts) => end > 0 && places.has(parts.slice(0, end).join('/')))
  return places.size !== files.length || files.some(isBelow)
}

/** Where files go. */
export type Target = {
  dataDir: string
  /** For files of videos, where they do not stay in the folder. */
  bucket: Store | undefined
}

type Bringing = {
  store: Store
  recipient: string | null
  unseal: Unseal
  tell: ProgressListener
  /** Null: they are only read. */
  target: Target | null
}

/** Puts every file into its place, or reads it only; throws a sentence that names the first that is not as it was. */
export async function bringFiles(files: readonly StoredFile[], bringing: Bringing): Promise<void> {
  const { store, target } = bringing
  const total = files.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  let fault: Error | undefined
  const contents = new Set<string>()
  const kinds = [store.kind, target?.bucket?.kind ?? 'folder'] as const
  await eachAtOnce(kinds, files, async (file) => {
    bringing.tell({ step: 'files', done, total })
    try {
      await bringOne(file, bringing)
    } catch (error) {
      // Who only reads goes on, to know all of them.
      if (target !== null || !isDamage(error)) throw error
      fault ??= error
      contents.add(file.sha256)
    }
    done += file.size
  })
  if (fault) throw Object.assign(fault, { contents: [...contents] })
  // What went into the bucket leaves empty folders, and what has arrived of an upload is of no use beside it.
  if (target?.bucket)
    for (const top of tops) await rm(path.join(target.dataDir, top), { recursive: true, force: true })
}

async function bringOne(file: StoredFile, { store, recipient, unseal, target }: Bringing): Promise<void> {
  const measured: Partial<Measured> = {}
  const content = contentOf(recipient, file.sha256)
  const address = addressOf(store, content)
  const place = target === null ? null : path.join(target.dataDir, file.path)
  if (place !== null) await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
  try {
    const bytes = await readSealed(store, content, { unseal, measured, most: file.size })
    if (place === null) for await (const _ of bytes);
    else await pipeline(bytes, createWriteStream(place, { mode: 0o600, flags: 'wx' }))
  } catch (error) {
    if (isOfStore(error) || (place !== null && !isOfContent(error, address))) throw error
    throw damaged(file, address)
  }
  if (measured.sha256 !== file.sha256 || measured.bytes !== file.size) throw damaged(file, address)
  if (place === null) return
  await utimes(place, file.modifiedMs / 1000, file.modifiedMs / 1000)
  if (ofVideos.some((top) => file.path.startsWith(`${top}/`))) await target?.bucket?.putFile(file.path, place)
}

/** A place that cannot be written to says nothing about the backup. */
function isOfContent(error: unknown, address: string): boolean {
  const isSystem = error instanceof Error && 'syscall' in error
  return !isSystem || ('path' in error && error.path === address)
}

const damaged = ({ path: name }: StoredFile, address: string) =>
  damageOf(`The file ${name} is missing in the backup or damaged there: ${address}`)

/** What a list names, by its path. */
export const byPath = (files: readonly StoredFile[]): Map<string, StoredFile> =>
  new Map(files.map((file) => [file.path, file]))
