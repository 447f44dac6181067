import type { Readable } from 'node:stream'

/** What a store says of an object without handing it out. */
export type StoredObject = { key: string; size: number; modifiedAt: Date }

/** Bytes from `start` to `end`, both included. */
export type ByteRange = { start: number; end: number }

/** A part as the store wants it named when an upload is completed. */
export type StoredPart = { number: number; etag: string }

/** An object that comes into being part by part, from any machine; until it is complete nobody reads it. */
export type Uploading = { key: string; id: string }

/**
 * Where files lie: a folder of this machine, or a bucket. Keys are relative names of plain segments (`keys.ts`). Every function throws
 * `storeAway` while the store cannot be reached, an error with the code ENOSPC when it is full, and otherwise what the store said.
 */
export type Store = {
  kind: StoreKind
  /** Says for people where it is: a folder, or the endpoint and the bucket. */
  place: string
  /** So many bytes an upload is best written in at once, and as many each part but the last has at least. */
  part: { usual: number; least: number }
  head(key: string): Promise<StoredObject | undefined>
  /** Reads an object from its beginning, or a range of it. Throws `noObject` where there is none, and where a folder has a link or a pipe. */
  read(key: string, range?: ByteRange): Promise<Readable>
  /** Brings an object to a new file of this machine, which nobody may write to. Throws `noObject` where there is none. */
  copyTo(key: string, file: string): Promise<void>
  /** Writes a whole object. It is there with all of its bytes or not at all, and in place of what was there. */
  put(key: string, body: Buffer): Promise<void>
  /** Does the same with the bytes of a file of this machine, which is gone afterwards. */
  putFile(key: string, file: string): Promise<void>
  /**
   * Puts the files of a folder of this machine below `prefix`, in place of all that was there, those that `isLast` names behind all others.
   * Files of the folder are gone afterwards.
   */
  putFolder(prefix: string, folder: string, isLast: (name: string) => boolean): Promise<void>
  /** Gives every object whose key begins with `prefix`, in no order. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Gives each first segment behind `prefix` that has further ones behind it, in no order. */
  folders(prefix: string): AsyncIterable<string>
  /** Removes an object; one that is not there is removed already. */
  remove(key: string): Promise<void>
  /** Removes all that `list` gives. */
  removeBelow(prefix: string): Promise<void>
  uploads: {
    /** Begins an object, or finds the one that was begun in this place, with as many bytes as it has already. */
    begin(key: string): Promise<{ id: string; arrived: number }>
    /** Writes a part durably. Numbers rise from 1 to 10,000, and none is used twice. Throws `noObject` where the upload is gone. */
    write(upload: Uploading, part: { number: number; offset: number; body: Buffer }): Promise<string>
    /** Makes the object of its parts. It is harmless when that was done already, and throws `noObject` where the upload is gone. */
    complete(upload: Uploading, whole: { parts: StoredPart[]; size: number }): Promise<void>
    drop(upload: Uploading): Promise<void>
    /** Gives the uploads that were begun and neither completed nor dropped. */
    list(): AsyncIterable<Uploading & { modifiedAt: Date }>
  }
  /** Returns marks of an object that no copy of the store can have; undefined where there is no such object. */
  traceOf(key: string): Promise<string | undefined>
  /** Signs an address by which a browser reads the object from the store itself for a while; a folder has none. */
  sign?(key: string): Promise<string>
  close(): void
}

export const storeKinds = ['folder', 's3'] as const
export type StoreKind = (typeof storeKinds)[number]

type StoreFault = Error & { code: 'EAWAY' | 'ENOSPC' | 'ENOENT' }

const fault = (code: StoreFault['code'], message: string, cause?: unknown): StoreFault =>
  Object.assign(new Error(message, { cause }), { code })

/** The store does not answer, or says that it cannot now: another try may succeed. */
export const storeAway = (message: string, cause?: unknown): StoreFault => fault('EAWAY', message, cause)

/** The store takes no more. It has the code of a full disk, so that whoever handles that handles this. */
export const storeFull = (message: string, cause?: unknown): StoreFault => fault('ENOSPC', message, cause)

export const noObject = (key: string, cause?: unknown): StoreFault =>
  fault('ENOENT', `There is no ${key} among the files.`, cause)

export const isAway = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAWAY'

/** Whether a file or an object was looked for that is not there. */
export function isAbsent(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR|ENAMETOOLONG)$/.test(String(error.code))
  )
}

/** What a missing file stands for. */
export function absent<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isAbsent(error)) return instead
    throw error
  }
}

/** Collects a whole object that is known to be small. */
export async function bytesOf(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
