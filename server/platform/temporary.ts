import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/**
 * Where nothing can be written among the temporary files of the system (it is not there, full or read-only), others are used: by this
 * process and by those that it starts. Answers a sentence about it.
 */
export function settleTemporary(dataDir: string): string | undefined {
  const wanted = os.tmpdir()
  const own = path.join(dataDir, 'temporary')
  const found = [wanted, '/tmp', own].find((folder) => isWritable(folder, folder === own))
  if (found === wanted) return undefined
  if (found !== undefined) process.env['TMPDIR'] = found
  const instead = found === undefined ? 'nor anywhere else' : `so ${found} is used`
  return `Nothing can be written to ${wanted}, where temporary files belong, ${instead}. Name a folder in TMPDIR.`
}

const needed = Buffer.alloc(64 * 1024)

function isWritable(folder: string, mayBeMade: boolean): boolean {
  try {
    if (mayBeMade) mkdirSync(folder, { recursive: true, mode: 0o700 })
    const made = mkdtempSync(path.join(folder, 'sendreel-written-'))
    try {
      writeFileSync(path.join(made, 'file'), needed)
    } finally {
      rmSync(made, { recursive: true, force: true })
    }
    return true
  } catch {
    return false
  }
}
