import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openClient } from '../platform/db/preconditions.ts'
import type { BackupOrigin } from '#contract/backup.ts'
import { formatBytes } from '#contract/platform/text/format.ts'
import { statementsOn } from '../platform/db/client.ts'
import { startEmbedded } from '../platform/db/embedded/embedded.ts'
import { addressesOf, type Addresses } from '../platform/db/roles.ts'
import { readEnv, type Env } from '../platform/env.ts'
import { givenKeys } from '../platform/keys.ts'
import { settleTemporary } from '../platform/temporary.ts'
import { requireFitOfOwner } from '../secret/fit.ts'
import { makeBackup, type Made } from './backup.ts'
import { check, damagedExitCode } from './check.ts'
import { isDamage } from './restore/damage.ts'
import { namesIn } from './manifest.ts'
import { reportTo, secondsText } from './progress.ts'
import type { Retention } from './prune.ts'
import { bucketIn, holdingIn, placeBy, placeNamed, type BackupPlace } from './place.ts'
import { newKey } from './seal.ts'
import { requireWhole } from './restore/restore.ts'

/** npm runs scripts in the project's directory, people name files from theirs. */
const whereIs = (place: string) => path.resolve(process.env['INIT_CWD'] ?? process.cwd(), place)

/**
 * `npm run backup -- [--to place] [--keep 7,4,12] | --check [name] [--identity file] | --new-key file`. With `--lines`, for whoever started
 * it, progress is JSON.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    options: {
      to: { type: 'string' },
      check: { type: 'boolean', default: false },
      identity: { type: 'string' },
      'new-key': { type: 'string' },
      keep: { type: 'string' },
      lines: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const env = readEnv()
  const { to } = values
  const place = to === undefined ? undefined : placeNamed(env, bucketIn(to) ? to : whereIs(to))
  const tell = reportTo(values.lines)
  if (values.lines) endWithStarter()
  if (values['new-key'] !== undefined) return makeKey(whereIs(values['new-key']))
  if (values.check) {
    settleTemporary(env.dataDir)
    const identity = values.identity === undefined ? undefined : whereIs(values.identity)
    const { store } = place ?? (await placeNow(env))
    return checkOne({ store, name: positionals[0], identity, keys: givenKeys(env), tell })
  }
  await backUp(env, { place, tell, retention: values.keep === undefined ? undefined : keptOf(values.keep) })
}

/** Whoever started it holds the other end of our input: when that closes, nobody waits for us any more. */
function endWithStarter(): void {
  process.stdin.on('end', () => process.exit(1))
  process.stdin.resume()
  process.stdin.unref()
}

/** Days, weeks and months, as `7,4,12`. */
function keptOf(text: string): Retention {
  const [daily = 0, weekly = 0, monthly = 0] = text.split(',').map(Number)
  return { daily, weekly, monthly }
}

async function makeKey(file: string): Promise<void> {
  const recipient = await newKey(file)
  console.log(`The key that opens backups is in ${file}. Keep it away from this server.`)
  console.log(`From now on set BACKUP_RECIPIENT=${recipient}`)
}

type BackingUp = Pick<Parameters<typeof makeBackup>[0], 'place' | 'tell' | 'retention'>

async function backUp(env: Env, asked: BackingUp): Promise<void> {
  if (!hasData(env)) throw new Error(`There is no data in ${env.dataDir}. Name the place with DATA_DIR.`)
  requireWhole(env.dataDir)
  await onDatabase(env, async ({ owner }) => {
    if (owner === undefined)
      throw new Error(
        'A backup reads as the owner of the tables: name its address in DATABASE_OWNER_URL (docs/operating.md).',
      )
    await requireFitOfOwner(owner, env)
    const made = await makeBackup({ env, owner, kind: 'whole', ...asked })
    say(made)
    requireComplete(made)
  })
}

const hasData = ({ databaseUrl, dataDir }: Env) => databaseUrl !== undefined || existsSync(dataDir)

async function onDatabase<T>(env: Env, work: (addresses: Addresses) => Promise<T>): Promise<T> {
  const embedded = env.databaseUrl ? undefined : await startEmbedded({ dataDir: env.dataDir })
  try {
    return await work(addressesOf(env, embedded?.url))
  } finally {
    await embedded?.stop()
  }
}

/** Where backups lie by the settings. The database is asked only where they alone do not tell, and where there is one. */
async function placeNow(env: Env): Promise<BackupPlace> {
  if (!env.s3 || env.isBackupDirGiven) return placeBy(env, 'folder')
  if (!hasData(env)) return placeBy(env, 's3')
  return onDatabase(env, async ({ owner, direct }) => {
    const client = await openClient(owner ?? direct)
    try {
      return placeBy(env, (await holdingIn(statementsOn(client))).kind)
    } finally {
      await client.end()
    }
  })
}

const mostNamed = 10

/** It is there and can be restored, but nobody should rely on it. */
function requireComplete({ name, manifest: { leftOut } }: Made): void {
  if (!leftOut) return
  const more = leftOut.length > mostNamed ? ` and ${leftOut.length - mostNamed} more` : ''
  throw new Error(
    `The backup ${name} was made, but it is not whole: these files of DATA_DIR could not be read and are not in it: ${leftOut.slice(0, mostNamed).join(', ')}${more}. Let the user of the server read them, and make another backup.`,
  )
}

function say({ at, manifest }: Made): void {
  const { tables, files, startedAt, endedAt, recipient, secret, secretSign } = manifest
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const stored = tables.reduce((sum, table) => sum + table.stored, 0)
  console.log(`Backup ${at}`)
  console.log(
    `${tables.length} tables with ${rows.toLocaleString('en-US')} rows (${formatBytes(stored)}), ${files.count.toLocaleString('en-US')} files (${formatBytes(files.bytes)}, of which ${formatBytes(files.newBytes)} are new), in ${secondsText(Date.parse(endedAt) - Date.parse(startedAt))}.`,
  )
  console.log(
    recipient === null
      ? 'It is not encrypted: whoever can read it there has all of the data.'
      : `Encrypted for ${recipient}.`,
  )
  if (secret === 'apart' && secretSign !== null)
    console.log('The secret came from SECRET_KEY or SECRET_KEY_FILE and is not in it: keep it apart.')
}

type Checking = Omit<Parameters<typeof check>[0], 'name'> & { name: string | undefined }

const notes: Partial<Record<BackupOrigin, string>> = {
  unsigned:
    'It has no signature, because an earlier release made it, or because somebody took it away: nobody can tell whether it is yours.',
  unknown: 'Whether it is yours could not be told: its secret is not here.',
}

async function checkOne({ store, name, ...checking }: Checking): Promise<void> {
  const chosen = name ?? (await namesIn(store))[0]
  if (chosen === undefined) throw new Error(`There is no backup in ${store.place}.`)
  const began = performance.now()
  const origin = await check({ store, name: chosen, ...checking })
  console.log(
    `${chosen} is whole: restored into a new place, every table and file is the same (${secondsText(performance.now() - began)}).`,
  )
  const note = notes[origin]
  if (note !== undefined) console.error(note)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = isDamage(error) ? damagedExitCode : 1
})
