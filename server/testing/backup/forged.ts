import { readFileSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { zstdDecompressSync } from 'node:zlib'
import type { Manifest, StoredFile } from '../../backup/manifest.ts'
import { macOf } from '../../backup/signature.ts'
import { keysOf } from '../../platform/keys.ts'
import { runs, type BackedUp } from './backups.ts'
import { secret } from '../server.ts'

let copies = 0

/** A copy of the folder of backups, for somebody who can write to it; `at` gives a place in the first backup of it, or in another. */
export async function copyOf(made: BackedUp) {
  copies += 1
  const folder = path.join(made.folder, `copy-${copies}`)
  await cp(made.backups, folder, { recursive: true })
  const names = made.names()
  const at = (which: number, ...rest: string[]) => path.join(folder, names[which] ?? '', ...rest)
  return { folder, at, newest: at(names.length - 1) }
}

export const readDescription = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Manifest
export const writeDescription = (file: string, manifest: object) =>
  writeFileSync(file, JSON.stringify(manifest))

/** As by somebody who has the secret too. */
export const signedAnew = (manifest: Manifest): Manifest => ({
  ...manifest,
  mac: macOf(keysOf(secret), manifest),
})

/** The list of files of a backup. */
export const listedIn = (list: string): StoredFile[] =>
  zstdDecompressSync(readFileSync(list))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StoredFile)

/** Where a refusal has to come before any database is asked. */
export const nowhere = {
  DATABASE_URL: 'postgres://nobody:none@127.0.0.1:1/none',
  DATA_DIR: '/nowhere/at/all',
  SECRET_KEY: secret,
}

export const restored = (from: string, options: string[] = [], place: Record<string, string> = nowhere) =>
  runs('restore', ['--from', from, ...options], place)

export async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
