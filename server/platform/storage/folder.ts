import { createHash, randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { copyFile, link, open, opendir, readFile, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isKey } from './keys.ts'
import { makePrivate, makePrivateFolder, makeTreePrivate } from './private.ts'
import { absent, isAbsent, noObject, type Store, type StoredObject } from './store.ts'

/** Files are written under such a name first, which no key can have. */
const draft = '.new-'

/**
 * A folder of this machine as a store. Unfinished uploads lie in `uploads`, one file each under the last segment of its key; everything is
 * on one file system, so that a rename puts a file into its place at once.
 */
export function folderStore(root: string): Store {
  const at = (key: string) => {
    if (!isKey(key)) throw new Error(`no key of a file: ${JSON.stringify(key)}`)
    return path.join(root, ...key.split('/'))
  }
  const folderOf = (prefix: string) => at(path.posix.dirname(`${prefix}x`))
  const uploads = path.join(root, 'uploads')
  const uploadAt = (id: string) => at(`uploads/${id}`)

  async function place(file: string, key: string): Promise<void> {
    const target = at(key)
    await makePrivateFolder(path.dirname(target))
    await makePrivate(file)
    await rename(file, target)
    await syncFolder(path.dirname(target))
  }

  async function draftIn(key: string): Promise<string> {
    const folder = path.dirname(at(key))
    await makePrivateFolder(folder)
    return path.join(folder, `${draft}${randomUUID()}`)
  }

  return {
    kind: 'folder',
    place: root,
    part: { usual: 2 ** 20, least: 1 },
    async head(key) {
      const found = await stat(at(key)).catch(absent(undefined))
      return found?.isFile() ? { key, size: found.size, modifiedAt: found.mtime } : undefined
    },
    async read(key, range) {
      const handle = await open(at(key), plainly).catch((error: unknown) => {
        throw isAbsent(error) || isLink(error) ? noObject(key, error) : error
      })
      if ((await handle.stat()).isFile()) return createReadStream('', { fd: handle, ...range })
      await handle.close()
      throw noObject(key)
    },
    async copyTo(key, file) {
      await link(at(key), file).catch(async (error: unknown) => {
        if (isAbsent(error)) throw noObject(key, error)
        // Not every file system knows links, and none of them leads to another one.
        await copyFile(at(key), file, constants.COPYFILE_FICLONE)
      })
    },
    async put(key, body) {
      const file = await draftIn(key)
      try {
        const handle = await open(file, 'wx', 0o600)
        try {
          await handle.writeFile(body)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await place(file, key)
      } finally {
        await rm(file, { force: true })
      }
    },
    async putFile(key, file) {
      await makePrivateFolder(path.dirname(at(key)))
      await place(file, key).catch(async (error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
        // What lies on another file system is copied beside its place first.
        const near = await draftIn(key)
        try {
          await copyFile(file, near)
          await place(near, key)
        } finally {
          await rm(near, { force: true })
        }
        await rm(file, { force: true })
      })
    },
    async putFolder(prefix, folder) {
      const target = folderOf(prefix)
      await makePrivateFolder(path.dirname(target))
      await makeTreePrivate(folder)
      await rm(target, { recursive: true, force: true })
      await rename(folder, target)
      await syncFolder(path.dirname(target))
    },
    list: (prefix) => objectsBelow(root, prefix),
    async *folders(prefix) {
      const entries = await readdir(path.join(root, prefix), { withFileTypes: true }).catch(absent([]))
      for (const entry of entries) if (!entry.isFile() && isKey(entry.name)) yield entry.name
    },
    async remove(key) {
      await rm(at(key), { force: true })
    },
    async removeBelow(prefix) {
      if (prefix.endsWith('/')) return rm(folderOf(prefix), { recursive: true, force: true })
      for await (const { key } of objectsBelow(root, prefix)) await rm(at(key), { force: true })
    },
    uploads: {
      async begin(key) {
        const id = path.posix.basename(key)
        await makePrivateFolder(uploads)
        const handle = await open(uploadAt(id), 'a', 0o600)
        try {
          return { id, arrived: (await handle.stat()).size }
        } finally {
          await handle.close()
        }
      },
      async write({ key, id }, { offset, body }) {
        const handle = await open(uploadAt(id), 'r+').catch((error: unknown) => {
          throw isAbsent(error) ? noObject(key, error) : error
        })
        try {
          // Where a disk has lost the end of what had arrived, nothing is put behind the gap.
          if ((await handle.stat()).size < offset) throw noObject(key)
          for (let written = 0; written < body.length;) {
            const { bytesWritten } = await handle.write(
              body,
              written,
              body.length - written,
              offset + written,
            )
            written += bytesWritten
          }
          await handle.sync()
        } finally {
          await handle.close()
        }
        return String(offset)
      },
      async complete({ key, id }, { size }) {
        const found = await stat(uploadAt(id)).catch(absent(undefined))
        if (found?.size === size) return place(uploadAt(id), key)
        // A second try after a crash finds the work done.
        const done = await stat(at(key)).catch(absent(undefined))
        if (done?.size !== size) throw noObject(key)
      },
      async drop({ id }) {
        await rm(uploadAt(id), { force: true })
      },
      async *list() {
        for (const id of await readdir(uploads).catch(absent([]))) {
          const found = await stat(path.join(uploads, id)).catch(absent(undefined))
          if (found?.isFile() && isKey(id)) yield { key: id, id, modifiedAt: found.mtime }
        }
      },
    },
    async traceOf(key) {
      const found = await stat(at(key), { bigint: true }).catch(absent(undefined))
      if (!found) return undefined
      const machine = await readFile('/etc/machine-id', 'utf8').catch(() => '')
      const machineHash = createHash('sha256').update(machine.trim()).digest('base64url').slice(0, 16)
      return [machineHash, found.dev, found.ino, found.birthtimeNs].join(' ')
    },
    close() {},
  }
}

/** Whoever can write to the folder leads nobody elsewhere by a link, and keeps nobody waiting by a pipe. Windows has no such bits. */
const plainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const isLink = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ELOOP'

async function* objectsBelow(root: string, prefix: string): AsyncGenerator<StoredObject> {
  const above = path.posix.dirname(`${prefix}x`)
  const entries = await opendir(path.join(root, above), { recursive: true }).catch(absent(null))
  if (!entries) return
  for await (const entry of entries) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    const key = path.relative(root, file).split(path.sep).join('/')
    if (!key.startsWith(prefix) || !isKey(key)) continue
    // What is removed meanwhile is not there.
    const found = await stat(file).catch(absent(undefined))
    if (found) yield { key, size: found.size, modifiedAt: found.mtime }
  }
}

/** A rename survives a power cut only when its folder is written too. Some systems cannot open folders; there it is best effort. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
