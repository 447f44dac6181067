import path from 'node:path'
import { parseArgs } from 'node:util'
import { formatBytes } from '#contract/platform/text/format.ts'
import { readEnv, type Env } from '../../platform/env.ts'
import { isKey } from '../../platform/storage/keys.ts'
import { placeOf } from '../../platform/storage/s3.ts'
import type { Store } from '../../platform/storage/store.ts'
import { addressOf, namesIn, partsOf } from '../manifest.ts'
import { bucketIn, placeNamed } from '../place.ts'
import { reportTo, secondsText } from '../progress.ts'
import { restore } from './restore.ts'
import { isSecretOf } from '../secret.ts'

const whereIs = (place: string) => path.resolve(process.env['INIT_CWD'] ?? process.cwd(), place)

/** `npm run restore -- --from place[/name] [--identity file] [--unsigned] [--foreign]`: into an empty DATA_DIR and an empty database. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(2),
    options: {
      from: { type: 'string' },
      identity: { type: 'string' },
      unsigned: { type: 'boolean', default: false },
      foreign: { type: 'boolean', default: false },
    },
  })
  if (values.from === undefined)
    throw new Error('Name the backup: npm run restore -- --from folder[/name], or the address of a bucket')
  const from = bucketIn(values.from) ? values.from : whereIs(values.from)
  const env = readTarget(from)
  const { store, name } = await chosen(env, from)
  const began = performance.now()
  const { unsigned, foreign } = values
  const target = process.env['S3_BUCKET'] ? env : { ...env, s3: undefined }
  const { manifest, origin, isBrought } = await restore({
    env: target,
    store,
    name,
    identity: values.identity === undefined ? undefined : whereIs(values.identity),
    allowed: { unsigned, foreign },
    tell: reportTo(false),
  })
  const { tables, files, snapshotAt, kind, secretSign, leftOut = [] } = manifest
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const places = target.s3 && kind === 'whole' ? `${env.dataDir} and ${placeOf(target.s3)}` : env.dataDir
  console.log(`${addressOf(store, name)} is restored in ${places}, as it was at ${snapshotAt}.`)
  console.log(
    `${tables.length} tables with ${rows.toLocaleString('en-US')} rows were read again and are the same${kind === 'database' ? '' : `, and so are ${files.count.toLocaleString('en-US')} files (${formatBytes(files.bytes)})`}. It took ${secondsText(performance.now() - began)}.`,
  )
  if (leftOut.length > 0)
    console.log(
      `It is not whole: these files could not be read when it was made, and are not here: ${leftOut.join(', ')}.`,
    )
  if (origin === 'ours' && isBrought)
    console.log(
      'Its signature fits the secret that it brought along: it is as it was made. That it is yours you know by where it came from.',
    )
  if (secretSign !== null && !isBrought && !isSecretOf(secretSign, env))
    console.log(
      'Its secret is not here: bring it, or take another one with “npm run rotate-secret -- --lost” before the start.',
    )
  console.log('Sending is held: npm start, then answer under Settings, Sending what happened.')
}

/** What S3_* say beside S3_BUCKET leads to the bucket of the backups too, which may be the only one. */
const readTarget = (from: string): Env =>
  readEnv({ ...process.env, S3_BUCKET: process.env['S3_BUCKET'] || bucketIn(from)?.bucket })

/** One of them by its place, or the newest of a place of backups. */
async function chosen(env: Env, from: string): Promise<{ store: Store; name: string }> {
  const [parent, own] = [path.dirname(from), path.basename(from)]
  const above = placeNamed(env, parent).store
  if (isKey(own) && (await above.head(partsOf(own).manifest)) !== undefined)
    return { store: above, name: own }
  const { store } = placeNamed(env, from)
  const [name] = await namesIn(store)
  if (name === undefined) throw new Error(`There is no backup in ${from}.`)
  return { store, name }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
