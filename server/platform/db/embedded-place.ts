import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeDataDir } from '../data-dir.ts'
import { writeOnce } from '../write-once.ts'
import { giving, whyNotStarted } from './embedded-faults.ts'

/** PostgreSQL runs as this system user when we are root (it refuses to run as root itself). */
type FolderOwner = { uid: number; gid: number }

/** One cluster lives at this place, and runs as this user. */
export type DataPlace = {
  home: string
  data: string
  log: string
  /** The binaries are copied to the first of these folders where programs may run. */
  binaries: string[]
  /** It is undefined on Windows, where the server listens on a port of 127.0.0.1. */
  socketDir: string | undefined
  /** It is undefined where the cluster runs as the user of this process. */
  owner: FolderOwner | undefined
  /** This file in DATA_DIR names `home`, when that lies elsewhere. */
  pointer: string | undefined
}

const SYSTEM_HOME = '/var/lib/sendreel'
const CHECKOUT = join(import.meta.dirname, '../../..')
// macOS allows 103 bytes, and Linux 107.
const SOCKET_PATH_BYTES = 103

/** Finds the cluster of a DATA_DIR, or decides where a new one goes. Creates DATA_DIR, nothing else. */
export function locate(dataDir: string): DataPlace {
  makeDataDir(dataDir)
  const root = realpathSync(dataDir)
  const inside = join(root, 'postgres')
  const pointer = join(root, 'database-location')
  const standard = process.getuid?.() === 0 ? standardOwner() : undefined
  const home = existingHome(inside, pointer) ?? newHome(root, inside, standard)
  const owner = ownerOf(home, standard)
  return {
    home,
    owner,
    data: join(home, 'data'),
    log: join(home, 'postgres.log'),
    binaries: owner ? [SYSTEM_HOME] : [home, ...checkoutHome()],
    socketDir: process.platform === 'win32' ? undefined : socketDirFor(home),
    pointer: home === inside ? undefined : pointer,
  }
}

/** Returns a folder in the checkout for somebody who may write there. Where a DATA_DIR runs no programs, that one mostly does. */
function checkoutHome(): string[] {
  const cache = join(CHECKOUT, '.cache')
  try {
    accessSync(existsSync(cache) ? cache : CHECKOUT, constants.W_OK)
    return [join(cache, 'postgres')]
  } catch {
    return []
  }
}

/** Makes the directories of a place, with the right owner and closed to everybody else. */
export function prepare({ home, owner, socketDir }: DataPlace): void {
  if (owner) makeSystemHome()
  mkdirSync(home, { recursive: true, mode: 0o700 })
  // The folder is new, or root has put it back from a backup.
  if (owner && statSync(home).uid === 0)
    giving(home, owner.uid, () =>
      execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, home], { stdio: 'pipe' }),
    )
  if (owner && !canEnter(home, owner))
    throw new Error(
      `The database lies in ${home}, but user id ${owner.uid}, which it belongs to, cannot enter ` +
        'that directory: one of the directories above it is closed (chmod o+x opens it)',
    )
  if (socketDir) makePrivate(socketDir, owner)
}

/** Leaves the note in DATA_DIR by which the cluster is found again. Call it only once the cluster is complete. */
export function leavePointer({ pointer, home }: DataPlace): void {
  if (pointer && !existsSync(pointer)) writeOnce(pointer, `${home}\n`, 0o644)
}

/** Returns the owner's password. It is made with a new cluster, and kept in a file that only its owner reads. */
export function readPassword(place: DataPlace): string {
  const file = join(place.home, 'password')
  if (!existsSync(file)) {
    if (existsSync(join(place.data, 'PG_VERSION')))
      throw new Error(`The password of the database is missing: restore ${file}`)
    writeOnce(file, `${randomBytes(24).toString('base64url')}\n`, 0o600)
    give(file, place.owner)
  }
  return readFileSync(file, 'utf8').trim()
}

/** Gives a file or directory to the user that PostgreSQL runs as. */
export function give(path: string, owner: FolderOwner | undefined): void {
  if (owner) giving(path, owner.uid, () => chownSync(path, owner.uid, owner.gid))
}

function existingHome(inside: string, pointer: string): string | undefined {
  if (existsSync(join(inside, 'data')) || !existsSync(pointer)) return undefined
  const home = readFileSync(pointer, 'utf8').trim()
  if (existsSync(home)) return home
  // An empty database in its place would look like the loss of everything: let a person decide.
  throw new Error(
    `The database was in ${home} (so says ${pointer}), which is gone. ` +
      `Put it back, or delete ${pointer} to begin with an empty database`,
  )
}

function newHome(root: string, inside: string, standard: FolderOwner | undefined): string {
  if (!standard || existsSync(join(inside, 'data')) || canEnter(root, standard)) return inside
  return join(SYSTEM_HOME, shortHash(root))
}

/** Returns whom PostgreSQL runs as where we are root. */
export function standardOwner(): FolderOwner {
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new Error('PostgreSQL does not run as root, and this system has neither a user postgres nor nobody')
}

// A cluster keeps the user that made it; only root can become that user.
function ownerOf(home: string, standard: FolderOwner | undefined): FolderOwner | undefined {
  if (process.platform === 'win32' || !existsSync(home)) return standard
  const { uid, gid } = statSync(home)
  if (standard) return uid === 0 ? standard : { uid, gid }
  if (uid === process.getuid?.()) return undefined
  throw new Error(
    `The database in ${home} belongs to user id ${uid}, this process runs as ${process.getuid?.()}: ` +
      'start as that user or as root, or choose another DATA_DIR',
  )
}

// It is tried for real, as that user, so that access lists and what a container or a network drive forbids count as well.
function canEnter(directory: string, { uid, gid }: FolderOwner): boolean {
  const { status, error } = spawnSync('/bin/sh', ['-c', 'cd "$0"', directory], { uid, gid, cwd: '/' })
  // Nobody has tried then, and nothing is known about the directory.
  if (error)
    throw new Error(
      `The database cannot be started: ${whyNotStarted(error, { program: '/bin/sh', uid }) ?? error.message}`,
    )
  return status === 0
}

function makeSystemHome(): void {
  try {
    mkdirSync(SYSTEM_HOME, { recursive: true })
    chmodSync(SYSTEM_HOME, 0o755)
  } catch (error) {
    throw new Error(
      `Started by root, the embedded database needs ${SYSTEM_HOME}, which cannot be written (${String(error)}). ` +
        'Start as an ordinary user, or set DATABASE_URL to a PostgreSQL server',
      { cause: error },
    )
  }
}

function socketDirFor(home: string): string {
  const near = join(home, 'socket')
  const longest = Buffer.byteLength(join(near, '.s.PGSQL.65535'))
  return longest <= SOCKET_PATH_BYTES ? near : join('/tmp', `sendreel-${shortHash(home)}`)
}

/** Returns a short name for a path that stays the same over restarts. */
function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function makePrivate(directory: string, owner: FolderOwner | undefined): void {
  if (!existsSync(directory)) {
    // The file is complete at once for whoever starts at the same time; if two write it, one of them stays.
    const draft = mkdtempSync(`${directory}.new-${process.pid}-`)
    give(draft, owner)
    try {
      renameSync(draft, directory)
    } catch (error) {
      rmdirSync(draft)
      if (!existsSync(directory)) throw error
    }
  }
  const found = lstatSync(directory)
  const isOurs = found.isDirectory() && found.uid === (owner?.uid ?? process.getuid?.())
  // Below /tmp somebody else could have put it there to listen in.
  if (!isOurs || (found.mode & 0o077) !== 0)
    throw new Error(`${directory} must be a directory of the database's user with mode 0700: remove it`)
}
