import { globSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { cp, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hashOf, readCatalogue } from '../testing/calls/catalogue.ts'
import { connectionLock } from '../platform/db/locks.ts'
import { servingUrl } from '../platform/db/roles.ts'
import {
  backedUp,
  contentsOf,
  damage,
  filesIn,
  putFile,
  runs,
  type BackedUp,
} from '../testing/backup/backups.ts'

// Each is a whole backup, some of them two and a restore.
vi.setConfig({ testTimeout: 120_000 })

let made: BackedUp
beforeAll(async () => {
  made = await backedUp()
})
afterAll(() => made.close())

const manifestOf = (name: string) => path.join(made.backups, name, 'manifest.json')
const newest = () => made.names().at(-1) ?? ''

async function catalogueOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return hashOf(await readCatalogue(client))
  } finally {
    await client.end()
  }
}

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<object>(text)).rows
  } finally {
    await client.end()
  }
}

test('makes a backup, and a second one copies only what is new', async () => {
  const first = await runs('backup', [], made.from)
  expect(first).toMatchObject({ code: 0 })
  expect(first.output).toContain('5 files (600 KB, of which 600 KB are new)')
  expect(first.output).toContain('It is not encrypted')
  const second = await runs('backup', [], made.from)
  expect(second.output).toContain('of which 0 bytes are new')
  for (const file of globSync('**', { cwd: made.backups })) {
    const { mode } = statSync(path.join(made.backups, file))
    expect({ file, open: mode & 0o077 }).toEqual({ file, open: 0 })
  }
})

test('what cannot be read is left out and named, everything else is in it, and it is not called whole', async () => {
  const media = path.join(made.from.DATA_DIR, 'media')
  const strange = path.join(made.from.DATA_DIR, 'sources', '.DS_Store')
  await rename(media, `${media}.was`)
  symlinkSync('media', media)
  writeFileSync(strange, 'what a file manager leaves')
  const before = made.names().length
  const { code, output } = await runs('backup', ['--keep', '1,0,0'], made.from)
  expect(code).toBe(1)
  expect(output).toContain('it is not whole')
  expect(output).toContain('could not be read and are not in it: media.')
  // Those that are whole stay.
  expect(made.names()).toHaveLength(before + 1)
  expect(JSON.parse(readFileSync(manifestOf(newest()), 'utf8'))).toMatchObject({ leftOut: ['media'] })
  await rm(media)
  await rename(`${media}.was`, media)
  const put = await runs('restore', ['--from', path.join(made.backups, newest())], await made.newPlace())
  expect(put).toMatchObject({ code: 0 })
  expect(put.output).toContain(
    'It is not whole: these files could not be read when it was made, and are not here: media.',
  )
  expect(await runs('backup', [], made.from)).toMatchObject({ code: 0 })
  await rm(strange)
})

/** In the fixture, the tables call one source an upload that is not finished. */
function asUploads(files: Record<string, string>): Record<string, string> {
  const [, second] = Object.keys(files)
    .filter((name) => name.startsWith('sources/'))
    .toSorted()
  const later = second ?? ''
  return Object.fromEntries(
    Object.entries(files).map(([name, hash]) => [
      name === later ? `uploads/${path.basename(name)}` : name,
      hash,
    ]),
  )
}

test('after the secret was changed, both are in a backup and come back', async () => {
  const backups = path.join(made.folder, 'of-changed')
  const names = ['secret-key', 'secret-key.previous']
  const from = { ...made.from, BACKUP_DIR: backups, SECRET_KEY: '' }
  for (const name of names)
    await putFile(path.join(made.from.DATA_DIR, name), `${name}, long enough for a secret\n`)
  try {
    expect(await runs('backup', [], from)).toMatchObject({ code: 0 })
    const place = { ...(await made.newPlace()), SECRET_KEY: '' }
    expect(await runs('restore', ['--from', backups], place)).toMatchObject({ code: 0 })
    for (const name of names)
      expect(readFileSync(path.join(place.DATA_DIR, name), 'utf8')).toContain(`${name}, long enough`)
  } finally {
    for (const name of names) await rm(path.join(made.from.DATA_DIR, name))
  }
})

test('restores into a new place what was there, and holds sending', async () => {
  const place = await made.newPlace()
  const { code, output } = await runs('restore', ['--from', made.backups], place)
  expect({ code, output }).toMatchObject({ code: 0 })
  expect(output).toContain('were read again and are the same, and so are 5 files (600 KB)')
  expect(await contentsOf(place.DATABASE_URL)).toEqual(await contentsOf(made.server.ownerUrl))
  expect(await filesIn(place.DATA_DIR)).toEqual(asUploads(await filesIn(made.from.DATA_DIR)))
  expect(await catalogueOf(place.DATABASE_URL)).toBe(await catalogueOf(made.server.ownerUrl))
  expect(
    await ask(place.DATABASE_URL, 'select held_at is not null as held, signs, marker from sending_guard'),
  ).toEqual([{ held: true, signs: ['copied'], marker: null }])
  expect(
    await ask(
      place.DATABASE_URL,
      `select distinct ended_at is null as "wasRunning", process_id is null as "servedAnybody" from served_runs order by 1`,
    ),
    'whom a process served since the backup is not known',
  ).toEqual([
    { wasRunning: false, servedAnybody: false },
    { wasRunning: true, servedAnybody: true },
  ])
  const again = await runs('restore', ['--from', made.backups], place)
  expect(again).toMatchObject({ code: 1 })
  expect(again.output).toContain(`${place.DATA_DIR} is not empty.`)
  const used = await runs('restore', ['--from', made.backups], {
    ...place,
    DATA_DIR: path.join(made.folder, 'elsewhere'),
  })
  expect(used.output).toContain('The database is not empty.')
})

test('a byte that is another one is found, and the table or the file named', async () => {
  const other = path.join(made.folder, 'damaged')
  await cp(made.backups, other, { recursive: true })
  const name = newest()
  const table = path.join(other, name, 'tables/public.users.zst')
  const restored = async () => runs('restore', ['--from', path.join(other, name)], await made.newPlace())
  const good = readFileSync(table)
  await damage(table)
  expect((await restored()).output).toContain(
    `The table public.users is missing in the backup or damaged there: ${table}`,
  )
  await writeFile(table, good)
  const content = globSync('files/plain/*/*', { cwd: other }).find(
    (file) => statSync(path.join(other, file)).size > 0,
  )
  await damage(path.join(other, content ?? ''))
  expect((await restored()).output).toMatch(
    /^The file (sources|media)\/\S+ is missing in the backup or damaged there: /,
  )
})

/** Refused before it is looked for. */
const nowhere = { DATABASE_URL: 'postgres://nobody:none@127.0.0.1:1/none', DATA_DIR: '/nowhere' }

test('a backup of a newer program, and one of other tables, are refused', async () => {
  const name = newest()
  const text = readFileSync(manifestOf(name), 'utf8')
  const restored = async (changed: string) => {
    writeFileSync(manifestOf(name), changed)
    return (await runs('restore', ['--from', made.backups], nowhere)).output
  }
  try {
    expect(await restored(text.replace('"0001_initial"', '"9001_later"'))).toContain(
      'which is newer than this program',
    )
    expect(await restored(text.replace(/"hash": "./, '"hash": "x'))).toContain(
      'another form of the migration 0001_initial',
    )
    expect(await restored(text.replace('"format": 1', '"format": 2'))).toContain(
      'was made by a newer release',
    )
    expect(await restored('{')).toContain('is not the description of a backup')
  } finally {
    writeFileSync(manifestOf(name), text)
  }
})

test('two at once: the second says so; and without the owner none is made', async () => {
  const client = new pg.Client({ connectionString: made.server.ownerUrl })
  await client.connect()
  await client.query(connectionLock('backup').wait, [''])
  expect((await runs('backup', [], made.from)).output).toContain(
    'Another backup of this installation is being made',
  )
  await client.end()
  const serving = await runs('backup', [], { ...made.from, DATABASE_URL: servingUrl(made.server.ownerUrl) })
  expect(serving).toMatchObject({ code: 1 })
  expect(serving.output).toContain('name its address in DATABASE_OWNER_URL')
})
