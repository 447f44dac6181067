import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs'

/**
 * Makes DATA_DIR where there is none, closed to others whatever the umask is. Throws a sentence where it cannot be one, or cannot be
 * written to.
 */
export function makeDataDir(dataDir: string): void {
  try {
    makeClosed(dataDir)
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new Error(
      `DATA_DIR ${dataDir} cannot be used as a directory (${String(error)}). Name another one, or give it to this user.`,
      { cause: error },
    )
  }
}

const sticky = 0o1000

// Root's may be passed through, because the database lies in it and runs as another user. One that is there keeps its mode, except that
// nobody else may write: who can, replaces the secret.
function makeClosed(dataDir: string): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  if (mkdirSync(dataDir, { recursive: true, mode }) !== undefined) return chmodSync(dataDir, mode)
  const found = statSync(dataDir)
  const isShared = (found.mode & sticky) !== 0 || found.uid !== process.getuid?.()
  if (!isShared && (found.mode & 0o022) !== 0) chmodSync(dataDir, found.mode & 0o7755)
}
