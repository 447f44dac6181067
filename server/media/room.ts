import { statfs } from 'node:fs/promises'

/** Bytes that work with media leaves free on the disk. */
const leastRoom = 16 * 2 ** 20

/** Awaits work that writes into a folder; however it ends, a full disk is the reason. */
export async function withRoom<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } finally {
    await requireRoom(folder)
  }
}

/**
 * Throws the disk's own error when it is full. Engines lose what they cannot write without a word, or call the file damaged, and a
 * database beside them needs room too: so the disk is asked.
 */
export async function requireRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < leastRoom) throw Object.assign(new Error('no room for media'), { code: 'ENOSPC' })
}
