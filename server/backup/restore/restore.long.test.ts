import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backedUp, putFile, runs, type BackedUp } from '../../testing/backup/backups.ts'
import { launch } from '../../testing/processes/process.ts'

let made: BackedUp
beforeAll(async () => {
  made = await backedUp()
}, 60_000)
afterAll(() => made.close())

const newest = () => made.names().at(-1) ?? ''

test('an encrypted one opens with its key alone', async () => {
  const key = path.join(made.folder, 'key')
  const reported = await runs('backup', ['--new-key', key], made.from)
  const recipient = /BACKUP_RECIPIENT=(age1\w+)/.exec(reported.output)?.[1] ?? ''
  expect(statSync(key).mode & 0o077).toBe(0)
  expect((await runs('backup', ['--new-key', key], made.from)).output).toContain('never overwritten')
  const done = await runs('backup', [], { ...made.from, BACKUP_RECIPIENT: recipient })
  expect(done.output).toContain(`Encrypted for ${recipient}`)
  expect(existsSync(path.join(made.backups, newest(), 'tables/public.users.zst.age'))).toBe(true)
  const restored = async (args: string[]) =>
    runs('restore', ['--from', made.backups, ...args], await made.newPlace())
  expect((await restored([])).output).toContain('This backup is encrypted for age1')
  await runs('backup', ['--new-key', `${key}.other`], made.from)
  expect((await restored(['--identity', `${key}.other`])).output).toContain('does not open this backup')
  expect(await restored(['--identity', key])).toMatchObject({ code: 0 })
}, 120_000)

test('nothing starts where a restore was not finished', async () => {
  const place = await made.newPlace()
  await putFile(path.join(place.DATA_DIR, 'restore-unfinished'), 'whole\n')
  const program = launch({ ...place, RUN: 'worker' })
  expect(await program.ended).toBe('1')
  expect(program.output()).toContain('was not finished. Run it once more')
  const plain = path.join(made.folder, 'plain')
  expect(await runs('backup', ['--to', plain], made.from)).toMatchObject({ code: 0 })
  expect(await runs('restore', ['--from', plain], place)).toMatchObject({ code: 0 })
}, 120_000)
