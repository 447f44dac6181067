import path from 'node:path'
import { parseArgs } from 'node:util'
import { existsSync } from 'node:fs'
import { formatBytes } from '#contract/platform/text/format.ts'
import { readEnv } from '../../platform/env.ts'
import { namesIn } from '../manifest.ts'
import { reportTo, secondsText } from '../progress.ts'
import { restore } from './restore.ts'
import { isSecretOf } from '../secret.ts'

const whereIs = (place: string) => path.resolve(process.env['INIT_CWD'] ?? process.cwd(), place)

/** `npm run restore -- --from folder[/name] [--identity file] [--unsigned] [--foreign]`: into an empty DATA_DIR and an empty database. */
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
  if (values.from === undefined) throw new Error('Name the backup: npm run restore -- --from folder[/name]')
  const { folder, name } = await chosen(whereIs(values.from))
  const env = readEnv()
  const began = performance.now()
  const { unsigned, foreign } = values
  const { manifest, origin, isBrought } = await restore({
    env,
    folder,
    name,
    identity: values.identity === undefined ? undefined : whereIs(values.identity),
    allowed: { unsigned, foreign },
    tell: reportTo(false),
  })
  const { tables, files, snapshotAt, kind, secretSign, leftOut = [] } = manifest
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  console.log(`${path.join(folder, name)} is restored in ${env.dataDir}, as it was at ${snapshotAt}.`)
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

/** One of them by its folder, or the newest of a folder of backups. */
async function chosen(place: string): Promise<{ folder: string; name: string }> {
  if (existsSync(path.join(place, 'manifest.json')))
    return { folder: path.dirname(place), name: path.basename(place) }
  const [name] = await namesIn(place)
  if (name === undefined) throw new Error(`There is no backup in ${place}.`)
  return { folder: place, name }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
