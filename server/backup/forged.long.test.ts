import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keysOf } from '../platform/keys.ts'
import { backedUp, runs, type BackedUp } from '../testing/backup/backups.ts'
import {
  ask,
  copyOf,
  listedIn,
  readDescription,
  restored,
  signedAnew,
  writeDescription,
} from '../testing/backup/forged.ts'
import type { Manifest, StoredFile } from './manifest.ts'
import { macOf } from './signature.ts'

let made: BackedUp
beforeAll(async () => {
  made = await backedUp()
  for (let n = 0; n < 2; n++) await runs('backup', [], made.from)
})
afterAll(() => made.close())

type Loose = Record<string, unknown>

const trusting = ['--unsigned', '--foreign']

/** A sentence, exit code 1, and nothing of what was slipped in was run. */
async function expectRefusal(from: string, sentence: RegExp | string, options: string[] = []) {
  const place = await made.newPlace()
  const { code, output } = await restored(from, options, place)
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(sentence) })
  expect(output).not.toMatch(/\n +at |syntax error/)
  return ask(place.DATABASE_URL, `select 1 from pg_class where relname = 'slipped_in'`)
}

const evil = [
  `x'); create table public.slipped_in (); --`,
  `x" (); create table public.slipped_in (); --`,
  '../../../etc/passwd',
  '',
  '\u0000',
]

/** Paths of all that is text in a description, of lists one of each kind. */
function textsOf(value: unknown, at: (string | number)[] = []): (string | number)[][] {
  if (typeof value === 'string') return [at]
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((one, n) => textsOf(one, [...at, n]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => textsOf(one, [...at, name]))
}

function withText(manifest: object, at: readonly (string | number)[], text: unknown): object {
  const changed = structuredClone(manifest)
  const last = at.at(-1) ?? ''
  const parent = at.slice(0, -1).reduce<Loose>((one, name) => one[name] as Loose, changed as Loose)
  parent[last] = text
  return changed
}

test('no text of a description gets further than the description, whatever the operator allows', async () => {
  const { newest } = await copyOf(made)
  const file = path.join(newest, 'manifest.json')
  const { tables, ...rest } = readDescription(file)
  const parts = tables.toSorted((a, b) => Number(b.parent !== null) - Number(a.parent !== null))
  const manifest = { ...rest, tables: parts }
  const texts = textsOf(manifest).filter((at) => at[0] !== 'mac')
  expect(texts.map((at) => at.join('.'))).toEqual(
    expect.arrayContaining([
      'release',
      'migrations.0.name',
      'tables.0.bound',
      'tables.0.columns.0',
      'sequences.0.value',
    ]),
  )
  for (const [n, at] of texts.entries()) {
    writeDescription(file, withText(manifest, at, evil[n % evil.length]))
    const { code, output } = await restored(newest, trusting)
    expect({ at, code, output }).toEqual({
      at,
      code: 1,
      output: expect.stringContaining('is not the description of a backup, or it is damaged'),
    })
  }
})

test('the same for figures that are none, and for lists that contradict themselves', async () => {
  const { newest } = await copyOf(made)
  const file = path.join(newest, 'manifest.json')
  const manifest = readDescription(file)
  const [table, part] = [manifest.tables[0], manifest.tables.find(({ parent }) => parent !== null)]
  const changes: object[] = [
    { ...manifest, tables: [...manifest.tables, table] },
    { ...manifest, tables: [{ ...part, bound: null }] },
    { ...manifest, tables: [{ ...table, columns: [] }] },
    { ...manifest, files: { ...manifest.files, count: 1e300 } },
    { ...manifest, files: { ...manifest.files, bytes: -1 } },
    { ...manifest, tables: [{ ...table, bytes: 0.5 }] },
    { ...manifest, startedAt: '2026-99-99T00:00:00.000Z' },
    [],
  ]
  for (const change of changes) {
    writeDescription(file, change)
    expect((await restored(newest, trusting)).output).toContain('is not the description of a backup')
  }
})

test('what is well written and wrong all the same is refused by the tables that this release has', async () => {
  const { newest } = await copyOf(made)
  const file = path.join(newest, 'manifest.json')
  const manifest = readDescription(file)
  const part = manifest.tables.find(({ parent }) => parent === 'track_batches')
  const day = "FOR VALUES FROM ('2031-01-01') TO ('2031-01-02')"
  const cases: [Partial<Manifest>, string][] = [
    [
      { tables: [...manifest.tables, { ...part, name: 'users_1', parent: 'users', bound: day } as never] },
      'as a part of users, which it cannot be',
    ],
    [
      { tables: [...manifest.tables, { ...part, name: 'other', bound: day } as never] },
      'as a part of track_batches, which it cannot be',
    ],
    [
      {
        tables: [
          ...manifest.tables,
          { ...part, name: 'track_batches_x', bound: "FOR VALUES FROM ('x') TO ('y')" } as never,
        ],
      },
      'as a part of track_batches, which it cannot be',
    ],
    [{ sequences: [{ schema: 'public', name: 'users', value: '1' }] }, 'which this release does not know'],
    [
      {
        tables: manifest.tables.map((one) =>
          one.name === 'users' ? { ...one, columns: [...one.columns, 'slipped'] } : one,
        ),
      },
      'This release has no public.users.slipped',
    ],
  ]
  for (const [change, sentence] of cases) {
    writeDescription(file, signedAnew({ ...manifest, ...change }))
    expect(await expectRefusal(newest, sentence)).toEqual([])
  }
})

test('the queue runs nothing that stands in its tables', async () => {
  const { ownerUrl } = made.server
  const [{ name } = { name: '' }] = await ask<{ name: string }>(
    ownerUrl,
    'select name from pgboss.queue limit 1',
  )
  await ask(
    ownerUrl,
    `insert into pgboss.bam (name, version, status, table_name, command) values ('x', 1, 'pending', 'job', 'create table public.slipped_in ()')`,
  )
  const first = { ...made.from, BACKUP_DIR: path.join(made.folder, 'commands') }
  expect(await runs('backup', [], first)).toMatchObject({ code: 0 })
  await ask(ownerUrl, 'delete from pgboss.bam')
  const place = await made.newPlace()
  expect(await restored(first.BACKUP_DIR, [], place)).toMatchObject({ code: 0 })
  expect(await ask(place.DATABASE_URL, 'select 1 from pgboss.bam')).toEqual([])
  await ask(
    ownerUrl,
    `update pgboss.queue set table_name = 'job; create table slipped_in (); --' where name = '${name}'`,
  )
  const second = { ...made.from, BACKUP_DIR: path.join(made.folder, 'names') }
  expect(await runs('backup', [], second)).toMatchObject({ code: 0 })
  await ask(ownerUrl, `update pgboss.queue set table_name = 'job_common' where name = '${name}'`)
  expect(await expectRefusal(second.BACKUP_DIR, 'names what is no queue')).toEqual([])
})

test('a description that was changed or cut off anywhere is refused with a sentence', async () => {
  const { newest } = await copyOf(made)
  const file = path.join(newest, 'manifest.json')
  const whole = readFileSync(file)
  const step = Math.ceil(whole.length / 24)
  for (let at = 1; at < whole.length; at += step) {
    const flipped = Buffer.from(whole)
    flipped.writeUInt8(flipped.readUInt8(at) ^ 2, at)
    writeFileSync(file, flipped)
    const { code, output } = await restored(newest)
    expect({ at, code, output }).toEqual({
      at,
      code: 1,
      output: expect.stringMatching(
        /is not the description of a backup|is not signed with this secret|no signature|newer than this program|another form|list of files|another backup|encrypted for|not that of the installation|brings its secret/,
      ),
    })
    writeFileSync(file, whole)
    truncateSync(file, at)
    expect((await restored(newest)).output).toContain('is not the description of a backup')
  }
})

test('parts of two backups do not make one', async () => {
  const swapped = await copyOf(made)
  const beside = path.join(swapped.folder, 'beside')
  renameSync(swapped.at(0), beside)
  renameSync(swapped.at(1), swapped.at(0))
  renameSync(beside, swapped.at(1))
  expect((await restored(swapped.newest)).output).toContain(
    'has the description of another backup, which is called',
  )
  await ask(made.server.ownerUrl, `update organizations set name = name || ' Ltd'`)
  const other = { ...made.from, BACKUP_DIR: path.join(made.folder, 'later') }
  expect(await runs('backup', [], other)).toMatchObject({ code: 0 })
  const mixed = await copyOf(made)
  const later = readdirSync(other.BACKUP_DIR).find((name) => name.startsWith('20')) ?? ''
  await cp(path.join(other.BACKUP_DIR, later, 'tables'), mixed.at(1, 'tables'), {
    recursive: true,
    force: true,
  })
  expect(await expectRefusal(mixed.newest, 'is missing in the backup or damaged there')).toEqual([])
  const listed = await copyOf(made)
  writeFileSync(listed.at(1, 'files.jsonl.zst'), zstdCompressSync('{}\n'))
  expect((await restored(listed.newest)).output).toContain('The list of files of the backup')
})

test('files lead nowhere else, and hold nobody up', async () => {
  const { newest, at } = await copyOf(made)
  const file = path.join(newest, 'manifest.json')
  const list = at(1, 'files.jsonl.zst')
  const files = listedIn(list)
  const [first, second] = files
  const manifest = readDescription(file)
  const named = async (changed: readonly object[]) => {
    const text = changed.map((one) => `${JSON.stringify(one)}\n`).join('')
    writeFileSync(list, zstdCompressSync(text))
    const bytes = changed.reduce((sum, one) => sum + Math.max(0, (one as StoredFile).size ?? 0), 0)
    writeDescription(
      file,
      signedAnew({
        ...manifest,
        files: { ...manifest.files, count: changed.length, bytes, list: hash('sha256', text) },
      }),
    )
    const { code, output } = await restored(newest)
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining('The list of files of the backup'),
    })
  }
  for (const name of [
    '../out',
    'media/../../out',
    '/etc/cron.d/out',
    'media//out',
    'media/.',
    'media/a\\..\\out',
    'secret-key/x',
    'postgres/x',
    'media/\u0000',
  ])
    await named([{ ...first, path: name }])
  await named([first ?? {}, first ?? {}])
  await named([
    { ...first, path: 'media/a' },
    { ...second, path: 'media/a/b' },
  ])
  await named([{ ...first, size: -1 }])
  await named([{ ...first, sha256: '../../../../etc/passwd' }])
  await named([{ ...first, modifiedMs: 1e300 }])
  for (const place of ['link', 'pipe', 'bomb']) {
    const other = await copyOf(made)
    const table = other.at(1, 'tables/public.users.zst')
    rmSync(table)
    if (place === 'link') symlinkSync('/dev/zero', table)
    else if (place === 'pipe') spawnSync('/usr/bin/mkfifo', [table])
    else writeFileSync(table, zstdCompressSync(Buffer.alloc(200_000_000, '\\N\n')))
    expect(
      await expectRefusal(other.newest, 'The table public.users is missing in the backup or damaged there'),
    ).toEqual([])
  }
})

test('the check says of which backup nobody can tell whose it is, and does not try one of another secret', async () => {
  const { folder, newest } = await copyOf(made)
  const file = path.join(newest, 'manifest.json')
  const { mac: _mac, ...manifest } = readDescription(file)
  writeDescription(file, manifest)
  const checked = await runs('backup', ['--check', '--to', folder], { ...made.from, DATABASE_URL: '' })
  expect(checked).toEqual({ code: 0, output: expect.stringMatching(/is whole[^]*It has no signature/) })
  writeDescription(file, {
    ...manifest,
    mac: macOf(keysOf('the secret of somebody else, long enough'), manifest),
  })
  const looked = await runs('backup', ['--check', '--to', folder], { ...made.from, DATABASE_URL: '' })
  expect(looked).toEqual({ code: 1, output: expect.stringContaining('is not signed with this secret') })
})
