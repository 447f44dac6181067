import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { hash } from 'node:crypto'
import { absent } from '../platform/storage/store.ts'
import { damageOf, isDamage } from './restore/damage.ts'
import { isOwnName, placeOf, StoredFile, type Manifest } from './manifest.ts'
import type { ProgressListener } from './progress.ts'
import { readSealed, writeSealed, type Measured, type Seal, type Unseal } from './seal.ts'

/** What of DATA_DIR cannot be made again, beside the database; sources after uploads, which become sources. */
const backedUp = ['secret-key', 'secret-key.previous', 'uploads', 'sources', 'media']

/** Content lies once in a folder of backups, apart for each key: what another key encrypts is another file. */
const contents = (folder: string, recipient: string | null) =>
  path.join(folder, 'files', recipient === null ? 'plain' : hash('sha256', recipient).slice(0, 16))

export const contentOf = (folder: string, recipient: string | null, sha256: string): string =>
  path.join(contents(folder, recipient), sha256.slice(0, 2), sha256)

type Found = Omit<StoredFile, 'sha256'>

/** What could not be read is left out, and named. */
type LeaveOut = (name: string, error: unknown) => void

async function* filesBelow(root: string, leaveOut: LeaveOut): AsyncGenerator<Found> {
  for (const name of backedUp) yield* foundAt(root, name, leaveOut)
}

async function* foundAt(root: string, name: string, leaveOut: LeaveOut): AsyncGenerator<Found> {
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
  dataDir: string
  folder: string
  /** Beside the contents. */
  draftName: string
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
  const leaveOut: LeaveOut = (name, error) => {
    if (!isOfFile(error, path.join(copying.dataDir, name))) throw error
    leftOut.add(name)
  }
  let known: ReadonlyMap<string, StoredFile> = copying.before
  let newBytes = 0
  for (let round = 0; round < rounds; round++) {
    const found: Found[] = await Readable.from(filesBelow(copying.dataDir, leaveOut)).toArray()
    const fresh = found.filter((file) => !isSame(known.get(file.path), file))
    if (
      round > 0 &&
      fresh.every(({ path: name }) => leftOut.has(name)) &&
      found.length - fresh.length === known.size
    )
      break
    const copied = await copyAll(found, known, { ...copying, leaveOut })
    known = new Map(copied.files.map((file) => [file.path, file]))
    newBytes += copied.newBytes
  }
  return { files: [...known.values()], newBytes, leftOut: [...leftOut].filter((name) => !known.has(name)) }
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

async function copyAll(
  found: readonly Found[],
  known: ReadonlyMap<string, StoredFile>,
  copying: Copying & { leaveOut: LeaveOut },
): Promise<Copied> {
  const { folder, seal, tell, leaveOut } = copying
  const files: StoredFile[] = []
  let newBytes = 0
  let done = 0
  const total = found.reduce((sum, { size }) => sum + size, 0)
  for (const file of found) {
    tell({ step: 'files', done, total })
    const before = known.get(file.path)
    const content = before && contentOf(folder, seal.recipient, before.sha256)
    const isThere = content && isSame(before, file) && (await stat(content).catch(absent(undefined)))
    const stored = isThere
      ? { file: before, newBytes: 0 }
      : await copyOne(file, copying).catch((error: unknown) => leaveOut(file.path, error))
    done += file.size
    if (!stored) continue
    files.push(stored.file)
    newBytes += stored.newBytes
  }
  return { files, newBytes }
}

/** Undefined when it is gone. A file that grows is copied as far as it was there when it was found. */
async function copyOne(
  file: Found,
  { dataDir, folder, draftName, seal }: Copying,
): Promise<{ file: StoredFile; newBytes: number } | undefined> {
  const handle = await open(path.join(dataDir, file.path), 'r').catch(absent(undefined))
  if (!handle) return undefined
  const draft = path.join(folder, 'files', draftName)
  await mkdir(path.dirname(draft), { recursive: true, mode: 0o700 })
  await rm(draft, { force: true })
  const source =
    file.size === 0
      ? Readable.from([])
      : createReadStream('', { fd: handle, start: 0, end: file.size - 1, autoClose: false })
  try {
    const { bytes, sha256 } = await writeSealed(draft, source as AsyncIterable<Buffer>, { seal })
    const place = contentOf(folder, seal.recipient, sha256)
    const isKnown = (await stat(place).catch(absent(undefined))) !== undefined
    await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
    await rename(draft, place)
    return { file: { ...file, size: bytes, sha256 }, newBytes: isKnown ? 0 : bytes }
  } finally {
    await handle.close()
    await rm(draft, { force: true })
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
  folder: string,
  name: string,
  { list: sha256, count, bytes: size }: Manifest['files'],
): Promise<StoredFile[]> {
  const measured: Partial<Measured> = {}
  const damaged = damageOf(`The list of files of the backup ${name} is missing or damaged.`)
  try {
    const most = mostLine * (count + 1)
    const bytes = await readSealed(placeOf(folder, name).files, {
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
  } catch {
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

type Bringing = {
  folder: string
  recipient: string | null
  unseal: Unseal
  tell: ProgressListener
  /** Null: they are only read. */
  dataDir: string | null
}

/** Puts every file into its place, or reads it only; throws a sentence that names the first that is not as it was. */
export async function bringFiles(files: readonly StoredFile[], bringing: Bringing): Promise<void> {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  let fault: Error | undefined
  const contents = new Set<string>()
  for (const file of files) {
    bringing.tell({ step: 'files', done, total })
    try {
      await bringOne(file, bringing)
    } catch (error) {
      // Who only reads goes on, to know all of them.
      if (bringing.dataDir !== null || !isDamage(error)) throw error
      fault ??= error
      contents.add(file.sha256)
    }
    done += file.size
  }
  if (fault) throw Object.assign(fault, { contents: [...contents] })
}

async function bringOne(file: StoredFile, { folder, recipient, unseal, dataDir }: Bringing): Promise<void> {
  const measured: Partial<Measured> = {}
  const content = contentOf(folder, recipient, file.sha256)
  const place = dataDir === null ? null : path.join(dataDir, file.path)
  if (place !== null) await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
  try {
    const bytes = await readSealed(content, { unseal, measured, most: file.size })
    if (place === null) for await (const _ of bytes);
    else await pipeline(bytes, createWriteStream(place, { mode: 0o600, flags: 'wx' }))
  } catch (error) {
    if (place !== null && !isOfContent(error, content)) throw error
    throw damaged(file, content)
  }
  if (measured.sha256 !== file.sha256 || measured.bytes !== file.size) throw damaged(file, content)
  if (place !== null) await utimes(place, file.modifiedMs / 1000, file.modifiedMs / 1000)
}

/** A place that cannot be written to says nothing about the backup. */
function isOfContent(error: unknown, content: string): boolean {
  const isSystem = error instanceof Error && 'syscall' in error
  return !isSystem || ('path' in error && error.path === content)
}

const damaged = ({ path: name }: StoredFile, content: string) =>
  damageOf(`The file ${name} is missing in the backup or damaged there: ${content}`)

/** What a list names, by its path. */
export const byPath = (files: readonly StoredFile[]): Map<string, StoredFile> =>
  new Map(files.map((file) => [file.path, file]))
