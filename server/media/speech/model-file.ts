import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, copyFile, link, open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isAbsent } from '../../platform/storage/store.ts'
import { giveTo } from '../boundary.ts'

/** A file, and what it is to be. */
type NamedModel = { file: string; sha256: string }

/** A model, wherever it lies. `read` throws what says that it is not there. */
type ModelSource = { sha256: string; read: () => Promise<Readable> }

/** The file is not there, or is another one. */
export class ModelFileError extends Error {
  override name = 'ModelFileError'
  readonly code: 'model_missing' | 'model_altered'

  constructor(code: ModelFileError['code'], options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}

/** Says whether the file is what it is to be. Throws ModelFileError. */
export async function checkModel({ file, sha256 }: NamedModel): Promise<void> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash).catch(missing)
  if (hash.digest('hex') !== sha256) throw new ModelFileError('model_altered')
}

const copies = new Map<string, Promise<string>>()

/**
 * Puts the model where a child may read it. A process copies it once, into a folder of its own, and looks at its checksum on the way; each
 * child then gets a link to that copy. Throws ModelFileError, or the disk's error.
 */
export async function bringModel(
  model: ModelSource,
  { openFolder, target }: { openFolder: () => Promise<string>; target: string },
): Promise<void> {
  const known = model.sha256
  const copying = copies.get(known) ?? copied(model, openFolder)
  copies.set(known, copying)
  const copy = await copying.catch((error: unknown) => {
    copies.delete(known)
    throw error
  })
  await link(copy, target).catch(async () => {
    // Not every file system knows links.
    await copyFile(copy, target)
    await giveTo(target)
  })
}

async function copied({ sha256, read }: ModelSource, openFolder: () => Promise<string>): Promise<string> {
  const source = await read().catch(missing)
  const copy = path.join(await openFolder(), 'model.bin')
  const hash = createHash('sha256')
  try {
    await pipeline(
      source,
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          hash.update(piece)
          yield piece
        }
      },
      createWriteStream(copy, { flags: 'wx', mode: 0o600 }),
    )
    if (hash.digest('hex') !== sha256) throw new ModelFileError('model_altered')
    await chmod(copy, 0o400)
    await giveTo(copy)
    return copy
  } catch (error) {
    await rm(copy, { force: true })
    throw error
  }
}

/** Reads the file of an operator, which may have gone meanwhile. */
export const readModelFile = async (file: string): Promise<Readable> => (await open(file)).createReadStream()

/** A store that does not answer says nothing about the model. */
function missing(cause: unknown): never {
  if (!isAbsent(cause) && !isDenied(cause)) throw cause
  throw new ModelFileError('model_missing', { cause })
}

const isDenied = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EACCES'
