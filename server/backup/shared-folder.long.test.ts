import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBackups } from '#contract/backup.ts'
import { backedUp, filesIn, putFile, runs, type BackedUp } from '../testing/backup/backups.ts'
import { startTestServer, type TestServer } from '../testing/server.ts'

let made: BackedUp
/** Another installation that keeps its backups in the same folder. */
let other: TestServer
beforeAll(async () => {
  made = await backedUp()
  mkdirSync(made.backups, { mode: 0o700 })
  other = await startTestServer({ BACKUP_DIR: made.backups })
  await other.services.db.system.query('update backup_plan set installation = gen_random_uuid()')
  await putFile(
    path.join(other.services.env.dataDir, 'media', crypto.randomUUID(), '1.m4s'),
    randomBytes(50_000),
  )
})
afterAll(async () => {
  await other.close()
  await made.close()
})

const keepOne = ['--keep', '1,0,0']
const backUp = async (args: string[] = []) => {
  const before = new Set(made.names())
  expect(await runs('backup', args, made.from)).toMatchObject({ code: 0 })
  return made.names().find((name) => !before.has(name)) ?? ''
}
const ofOther = () => ({
  ...made.from,
  DATABASE_URL: other.ownerUrl,
  DATA_DIR: other.services.env.dataDir,
})
const manifestOf = (name: string) => path.join(made.backups, name, 'manifest.json')

test('two installations in one folder list and remove their own backups only', async () => {
  const first = await backUp()
  expect(await runs('backup', keepOne, ofOther())).toMatchObject({ code: 0 })
  const others = made.names().filter((name) => name !== first)
  expect(made.names()).toContain(first)
  const second = await backUp(keepOne)
  expect(made.names().toSorted()).toEqual([...others, second].toSorted())
  const superadmin = await other.person('superadmin')
  const { items } = (await superadmin.call(readBackups)).body
  expect(items.map(({ name }) => name)).toEqual(others)
  const place = await made.newPlace()
  expect(await runs('restore', ['--from', path.join(made.backups, others[0] ?? '')], place)).toMatchObject({
    code: 0,
  })
  expect(Object.keys(await filesIn(place.DATA_DIR))).toEqual(Object.keys(await filesIn(ofOther().DATA_DIR)))
})

test('one that cannot be read stays, and its files; the others are removed as ever, and the page says so', async () => {
  const file = path.join(made.from.DATA_DIR, 'media', crypto.randomUUID(), '2.m4s')
  await putFile(file, randomBytes(50_000))
  const unreadable = await backUp(keepOne)
  const { files } = JSON.parse(readFileSync(manifestOf(unreadable), 'utf8')) as { files: { count: number } }
  expect(files.count).toBeGreaterThan(0)
  const text = readFileSync(manifestOf(unreadable), 'utf8')
  await writeFile(manifestOf(unreadable), '{')
  await writeFile(file, 'not what it was')
  const gone = await backUp(keepOne)
  const last = await backUp(keepOne)
  expect(made.names()).toEqual(expect.arrayContaining([unreadable, last]))
  expect(existsSync(manifestOf(gone))).toBe(false)
  const superadmin = await other.person('superadmin')
  expect((await superadmin.call(readBackups)).body.unreadable).toEqual([unreadable])
  // What only that one names is still there.
  await writeFile(manifestOf(unreadable), text)
  expect((await superadmin.call(readBackups)).body.unreadable).toEqual([])
  const restored = await runs(
    'restore',
    ['--from', path.join(made.backups, unreadable)],
    await made.newPlace(),
  )
  expect(restored).toMatchObject({ code: 0 })
})

test('content that nobody names is removed once no backup can be about it any more', async () => {
  const contentOf = (sign: string) => path.join(made.backups, 'files/plain', sign.repeat(2), sign.repeat(64))
  const [young, old] = [contentOf('a'), contentOf('b')]
  for (const file of [young, old])
    await putFile(file, 'what a backup wrote that was killed, or is not at its end')
  const threeDaysAgo = new Date(Date.now() - 3 * 86_400_000)
  await utimes(old, threeDaysAgo, threeDaysAgo)
  await backUp()
  await backUp(keepOne)
  expect({ young: existsSync(young), old: existsSync(old) }).toEqual({ young: true, old: false })
})
