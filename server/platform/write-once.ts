import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Whole or not at all; of two who write at once, the first is right for both. */
export function writeOnce(file: string, text: string, mode: number): void {
  const draft = `${file}.new-${process.pid}-${randomBytes(6).toString('hex')}`
  writeFileSync(draft, text, { mode, flush: true })
  try {
    linkSync(draft, file)
  } catch {
    // Somebody else was the first, or this file system knows no links.
    if (!existsSync(file)) renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
