import { accessSync, constants } from 'node:fs'

/** An operator can do this where the embedded database cannot run at all. */
const elsewhere = 'start as an ordinary user who owns DATA_DIR, or set DATABASE_URL to a PostgreSQL server'

type Attempt = { program: string; uid: number | undefined }

const noProcess =
  'no further process may be started here: raise the limit of processes of this user, service or container (ulimit -u, TasksMax, pids)'

/** Returns what a program of PostgreSQL has said, with its meaning where that is not plain. */
export const withMeaning = (words: string): string =>
  /could not fork|Resource temporarily unavailable/.test(words) ? `${noProcess}.\n${words}` : words

/** The system means this when it starts no program, by the code of its error. */
const meanings: Record<string, (attempt: Attempt) => string> = {
  EAGAIN: () => noProcess,
  ENOMEM: () => 'there is no memory for a further process: stop something else, or give the machine more',
  EPERM: ({ uid }) =>
    `PostgreSQL refuses to run as root, and this process may not become user id ${uid}, although it is root: give it the capabilities SETUID, SETGID and CHOWN, ${elsewhere}`,
  EACCES: ({ program }) =>
    `${program} may not be run: its file system is mounted noexec, or a directory above it is closed`,
}

/** Says why a program was not started, in a sentence; undefined where it ran and failed by itself. */
export function whyNotStarted(error: unknown, attempt: Attempt): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? meanings[code]?.(attempt) : undefined
}

/** Changes an owner. Throws an error that says why that is not possible. */
export function giving(path: string, uid: number, change: () => unknown): void {
  try {
    change()
  } catch (error) {
    const words = error instanceof Error ? error.message.trim() : String(error)
    throw new Error(
      `${path} cannot be given to user id ${uid}, as whom PostgreSQL runs (${words}). Either this process lacks the capability CHOWN, or the file system knows no owners: choose a DATA_DIR on another one, ${elsewhere}`,
      { cause: error },
    )
  }
}

/** Returns false where the file system of a program runs none; Windows has no such systems. */
export function isRunnable(program: string): boolean {
  if (process.platform === 'win32') return true
  try {
    accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  }
}
