import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { toTheEnd } from '../failures.ts'

const folderMode = 0o700
const fileMode = 0o600

/** A folder that only the server's own user can enter, with those above it where they are missing. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: folderMode })
}

/** Readable by the server's own user only, whatever the program that wrote it left open. */
export async function makePrivate(file: string): Promise<void> {
  await chmod(file, fileMode)
}

/**
 * The same for a folder with all that is in it. The folder itself comes last: a private one has been gone through to its end. What cannot
 * be closed, because it is another user's, leaves nothing else open.
 */
export async function makeTreePrivate(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  await toTheEnd([
    ...entries.map((entry) => async () => {
      const inside = path.join(folder, entry.name)
      if (entry.isDirectory()) await makeTreePrivate(inside)
      else if (entry.isFile()) await makePrivate(inside)
    }),
    () => chmod(folder, folderMode),
  ])
}

/** Whether others on this machine may enter it. Windows has no such bits; there the folder of the user protects. */
export async function isOpenToOthers(folder: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const found = await stat(folder).catch(() => undefined)
  return found !== undefined && (found.mode & 0o077) !== 0
}
