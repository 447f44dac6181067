import { chmodSync, mkdirSync, statSync } from 'node:fs'

const sticky = 0o1000

/**
 * Makes DATA_DIR where there is none, closed to others whatever the umask is. Root's may be passed through, because the database lies
 * in it and runs as another user. One that is there keeps its mode, except that nobody else may write: who can, replaces the secret.
 */
export function makeDataDir(dataDir: string): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  if (mkdirSync(dataDir, { recursive: true, mode }) !== undefined) return chmodSync(dataDir, mode)
  const found = statSync(dataDir)
  const isShared = (found.mode & sticky) !== 0 || found.uid !== process.getuid?.()
  if (!isShared && (found.mode & 0o022) !== 0) chmodSync(dataDir, found.mode & 0o7755)
}
