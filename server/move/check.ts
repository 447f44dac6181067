import path from 'node:path'
import * as z from 'zod/mini'
import { requireRow } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { mediaPrefix, sourceKey } from '../platform/storage/keys.ts'
import { readHolding } from '../platform/storage/storage.ts'
import { absent, bytesOf, type Store } from '../platform/storage/store.ts'
import { hashIn, type Moving } from './move.ts'
import { filesIn, versionsWithFiles, type Version } from './versions.ts'

const Titled = z.object({ title: z.string(), organization: z.string() })

/** Reads every file of every video and compares it with the database, and with the former store while there is one. Throws when one is wrong. */
export async function check({ db, storage, say }: Moving): Promise<void> {
  const { kind, former } = await readHolding(db.single)
  const main = storage.of(kind)
  let checked = 0
  let wrong = 0
  for await (const version of versionsWithFiles(db.single)) {
    const faults = await faultsOf(version, { main, former: former === null ? undefined : storage.of(former) })
    checked += 1
    if (faults.length === 0) continue
    wrong += 1
    const { title, organization } = await requireRow(
      db.single,
      Titled,
      sql`select v.title, o.name as organization from videos v join organizations o on o.id = v.organization_id
        where v.id = ${version.videoId}`,
    )
    say(`“${title}” of ${organization} (video ${version.videoId}, file ${version.versionId}):`)
    for (const fault of faults) say(`  ${fault}`)
  }
  if (wrong > 0) throw new Error(`${wrong} of ${checked} videos are not whole in ${main.place}.`)
  say(`${checked} videos are whole in ${main.place}: every file is there, and is as it was.`)
}

type Stores = { main: Store; former: Store | undefined }

async function faultsOf(version: Version, { main, former }: Stores): Promise<string[]> {
  const source = sourceKey(version)
  const found = new Map<string, string>()
  for (const { key } of await filesIn(main, version)) found.set(key, (await hashIn(main, key)) ?? '')
  const faults: string[] = []
  if (version.isUploaded && !found.has(source)) faults.push(`${source} is missing`)
  else if (found.has(source) && version.sha256 !== null && found.get(source) !== version.sha256)
    faults.push(`${source} is not the file that was uploaded`)
  for (const key of await namedIn(main, version)) if (!found.has(key)) faults.push(`${key} is missing`)
  for (const { key } of former ? await filesIn(former, version) : []) {
    const before = await hashIn(former ?? main, key)
    if (before !== undefined && found.get(key) !== before)
      faults.push(`${key} is not the same as in ${former?.place}`)
  }
  return [...new Set(faults)]
}

/** Files that the playlists of a version name, with the playlists themselves. */
async function namedIn(store: Store, version: Version): Promise<string[]> {
  if (!version.isReady) return []
  const prefix = mediaPrefix(version)
  const named: string[] = []
  const open = [`${prefix}master.m3u8`]
  for (let list = open.pop(); list !== undefined; list = open.pop()) {
    named.push(list)
    const stream = await store.read(list).catch(absent(undefined))
    if (!stream) continue
    const text = String(await bytesOf(stream))
    const folder = `${path.posix.dirname(list)}/`
    const uris = [...text.matchAll(/URI="([^"]+)"/g)].map(([, uri = '']) => uri)
    const lines = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'))
    for (const name of [...uris, ...lines]) {
      if (name.endsWith('.m3u8')) open.push(`${folder}${name}`)
      else named.push(`${folder}${name}`)
    }
  }
  return named
}
