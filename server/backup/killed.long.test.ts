import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  backedUp,
  contentsOf,
  filesIn,
  putFile,
  runs,
  starts,
  type BackedUp,
} from '../testing/backup/backups.ts'
import { launch, start } from '../testing/processes/process.ts'
import { administer } from '../testing/setup.ts'
import { until } from '../testing/until.ts'

let made: BackedUp
beforeAll(async () => {
  made = await backedUp()
  for (let n = 0; n < 60; n++)
    await putFile(
      path.join(made.from.DATA_DIR, 'media', crypto.randomUUID(), crypto.randomUUID(), `${n}.m4s`),
      randomBytes(2_000_000),
    )
})
afterAll(() => made.close())

const drafts = () => readdirSync(made.backups).filter((name) => name.startsWith('.new-'))

test('a backup that is killed leaves nothing that the next one does not remove', async () => {
  for (const patience of [0, 300, 900]) {
    const { child, ended } = starts('backup', [], made.from)
    await until(async () => existsSync(made.backups) && drafts().length > 0)
    await new Promise((resolve) => {
      setTimeout(resolve, patience)
    })
    child.kill('SIGKILL')
    await ended
  }
  const whole = made.names().length
  expect(await runs('backup', [], made.from)).toMatchObject({ code: 0 })
  expect(drafts()).toEqual([])
  expect(readdirSync(path.join(made.backups, 'files'))).toEqual(['plain'])
  expect(made.names()).toHaveLength(whole + 1)
})

test('a restore that is killed starts nowhere, and begins anew', async () => {
  const { DATA_DIR } = await made.newPlace()
  const place = { DATA_DIR, DATABASE_URL: '' }
  mkdirSync(DATA_DIR, { mode: 0o755 })
  const environment = { ...place, SECRET_KEY: made.from['SECRET_KEY'] ?? '' }
  for (const sign of ['media', 'postgres/data/PG_VERSION']) {
    const { child, ended } = starts('restore', ['--from', made.backups], environment)
    await until(async () => existsSync(path.join(DATA_DIR, sign)))
    child.kill('SIGKILL')
    await ended
    const program = launch({ ...environment, RUN: 'worker' })
    expect(await program.ended).toBe('1')
    expect(program.output()).toContain('was not finished')
  }
  const done = await runs('restore', ['--from', made.backups], environment)
  expect(done).toMatchObject({ code: 0 })
  const sorted = (files: Record<string, string>) => Object.values(files).toSorted()
  expect(sorted(await filesIn(DATA_DIR))).toEqual(sorted(await filesIn(made.from.DATA_DIR)))
  const again = await start({ ...environment, RUN: 'api' })
  expect((await fetch(`${again.url}/api/health`)).status).toBe(200)
  again.child.kill('SIGTERM')
  expect(await again.ended).toBe('0')
})

test.skipIf(process.getuid?.() !== 0)(
  'a full disk is told, and nothing is damaged (needs root, to mount a small one)',
  async () => {
    const small = path.join(made.folder, 'small')
    mkdirSync(small)
    expect(spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', small]).status).toBe(0)
    try {
      const done = await runs('backup', ['--to', small], made.from)
      expect(done).toMatchObject({ code: 1 })
      expect(done.output).toContain(`There is no room left in ${small}.`)
      expect(readdirSync(small)).toEqual(['files'])
      const place = await made.newPlace()
      const restored = await runs('restore', ['--from', made.backups], {
        ...place,
        DATA_DIR: path.join(small, 'data'),
      })
      expect(restored.output).toContain('There is no room left where')
    } finally {
      spawnSync('/bin/umount', [small])
    }
  },
)

test('before a migration changes a database with data, its tables are backed up, or nothing is changed', async () => {
  const before = await contentsOf(made.server.ownerUrl)
  const forget = `delete from migrations where name in ('0009_backups', '0010_checked_backups'); drop table backup_plan`
  await administer(made.server.ownerUrl, forget)
  const inTheWay = path.join(made.folder, 'in-the-way')
  await writeFile(inTheWay, '')
  const settings = { ...made.from, RUN: 'api' }
  const refused = launch({ ...settings, BACKUP_DIR: path.join(inTheWay, 'backups') })
  expect(await refused.ended).toBe('1')
  expect(refused.output()).toContain('could not be backed up before')
  expect(refused.output()).toContain('npm start -- --no-backup')
  expect(Object.keys(await contentsOf(made.server.ownerUrl))).not.toContain('public.backup_plan')
  const count = made.names().length
  const program = await start(settings)
  expect(program.output()).toContain('Before its tables are brought up to date, they were backed up: ')
  expect(made.names()).toHaveLength(count + 1)
  program.child.kill('SIGTERM')
  await program.ended
  // It brings the tables alone, into a place that has the files.
  const place = await made.newPlace()
  await putFile(path.join(place.DATA_DIR, 'media/kept.m4s'), 'x')
  expect(await runs('restore', ['--from', made.backups], place)).toMatchObject({ code: 0 })
  expect(Object.keys(await filesIn(place.DATA_DIR))).toEqual(['media/kept.m4s'])
  const { 'public.users': users } = await contentsOf(place.DATABASE_URL)
  expect(users).toBe(before['public.users'])
  await administer(made.server.ownerUrl, forget)
  const without = await start({ ...settings, BACKUP_DIR: path.join(inTheWay, 'backups') }, ['--no-backup'])
  expect(without.output()).not.toContain('backed up')
  without.child.kill('SIGTERM')
  await without.ended
})
