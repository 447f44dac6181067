import { statfs } from 'node:fs/promises'

/** Bytes that work with media leaves free on the disk. */
const leastRoom = 16 * 2 ** 20

/**
 * Throws the disk's own error when it is full. Engines lose what they cannot write without a word, or call the file damaged, and a
 * database beside them needs room too: so the disk is asked.
 */
export async function requireRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < leastRoom) throw Object.assign(new Error('no room for media'), { code: 'ENOSPC' })
}
