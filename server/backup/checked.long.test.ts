import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync } from 'node:fs'
import { rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  readBackupPlan,
  readBackups,
  startBackup,
  updateBackupPlan,
  type CheckRhythm,
} from '#contract/backup.ts'
import { readDashboardAlerts } from '#contract/dashboard.ts'
import { readDoctor } from '#contract/doctor/doctor.ts'
import { locate } from '../platform/db/embedded-place.ts'
import { damage, putFile } from '../testing/backup/backups.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { until } from '../testing/until.ts'
import { startBackups } from './schedule.ts'

let server: TestServer
let superadmin: Person
const usual = process.env['TMPDIR']
let working: Awaited<ReturnType<typeof startBackups>>
beforeAll(async () => {
  server = await startTestServer()
  superadmin = await server.person('superadmin')
  process.env['DATABASE_URL'] = server.ownerUrl
  // As where nobody names a place for what is temporary.
  delete process.env['TMPDIR']
  await putFile(
    path.join(server.services.env.dataDir, 'media', crypto.randomUUID(), '1.m4s'),
    randomBytes(500_000),
  )
  working = await startBackups(server.services)
})
afterAll(async () => {
  await working.stop()
  delete process.env['DATABASE_URL']
  if (usual !== undefined) process.env['TMPDIR'] = usual
  await rm(server.services.env.backupDir, { recursive: true, force: true })
  await server.close()
})

const listed = async () => (await superadmin.call(readBackups)).body
const newest = async () => (await listed()).items[0]
const alertKinds = async () => (await superadmin.call(readDashboardAlerts)).body.items.map(({ kind }) => kind)
const doctorSays = async () =>
  (await superadmin.call(readDoctor)).body.findings.flatMap(({ check, code }) =>
    check === 'backups' ? [code] : [],
  )
const places = () =>
  readdirSync(server.services.env.dataDir).filter((name) => name.startsWith('sendreel-check-'))
const isChecking = async () => (await listed()).running?.work === 'check'
const isIdle = async () => (await listed()).running === null
const query = (text: string) => server.services.db.system.query(text)

async function plan(checkEvery: CheckRhythm) {
  const { headers } = await superadmin.call(readBackupPlan)
  const body = { isOn: true, hour: new Date().getUTCHours(), daily: 7, weekly: 4, monthly: 12, checkEvery }
  const etag = String(headers['etag'])
  expect((await superadmin.call(updateBackupPlan, { body, headers: { 'if-match': etag } })).status).toBe(200)
}

/** Asks for one, and waits until it is there. */
async function backedUpNow(): Promise<string> {
  const before = (await newest())?.name
  expect((await superadmin.call(startBackup)).status).toBe(202)
  await until(async () => (await newest())?.name !== before, 60)
  return (await newest())?.name ?? ''
}

test('the plan makes a backup, checks it, and shows both', async () => {
  await plan('week')
  await until(isChecking, 60)
  await until(async () => ((await newest())?.checked ?? null) !== null, 90)
  await until(isIdle, 10)
  expect(await listed()).toMatchObject({ checkFailure: null, items: [{ checked: { fault: null } }] })
  expect(places()).toEqual([])
  expect(await alertKinds()).not.toContain('failing_backups')
  expect(await doctorSays()).toEqual(['backups_made', 'backups_checked'])
  // The next within the week is not checked.
  await backedUpNow()
  await until(isIdle, 10)
  expect((await newest())?.checked).toBeNull()
})

test('a byte that changed is found by the plan, told everywhere, and mended by the next backup', async () => {
  const { backupDir } = server.services.env
  const content =
    globSync('files/plain/*/*', { cwd: backupDir }).map((file) => path.join(backupDir, file))[0] ?? ''
  await damage(content)
  await plan('backup')
  await until(async () => ((await newest())?.checked?.fault ?? null) !== null, 90)
  expect((await newest())?.checked?.fault).toMatch(
    /^The file media\/\S+ is missing in the backup or damaged there: /,
  )
  await until(async () => (await alertKinds()).includes('failing_backups'), 10)
  expect(await doctorSays()).toContain('backups_damaged')
  await plan('week')
  await backedUpNow()
  await until(async () => ((await newest())?.checked ?? null) !== null, 90)
  expect((await newest())?.checked?.fault).toBeNull()
  await until(async () => !(await alertKinds()).includes('failing_backups'), 10)
})

test('a check that is killed leaves nothing, and is done again', async () => {
  await plan('backup')
  await backedUpNow()
  await until(isChecking, 30)
  await until(async () => places().length > 0, 60)
  const place = path.join(server.services.env.dataDir, places()[0] ?? '')
  const { home } = locate(place)
  await until(async () => existsSync(path.join(home, 'data')), 60)
  process.kill(Number(/sendreel-check-(\d+)/.exec(place)?.[1]), 'SIGKILL')
  await until(async () => (await listed()).checkFailure?.message.includes('broken off') ?? false, 60)
  expect(places()).toEqual([])
  expect(existsSync(home)).toBe(false)
  expect((await newest())?.checked).toBeNull()
  // As every hour.
  await server.services.jobs.wake('backup.run', {})
  await until(async () => ((await newest())?.checked ?? null) !== null, 90)
  await until(isIdle, 10)
  expect(await listed()).toMatchObject({ checkFailure: null, items: [{ checked: { fault: null } }] })
})

test('a check gives way to a backup that somebody wishes', async () => {
  const given = await backedUpNow()
  await until(isChecking, 30)
  const next = await backedUpNow()
  await until(async () => ((await newest())?.checked ?? null) !== null, 90)
  expect(next).not.toBe(given)
  expect(await newest()).toMatchObject({ name: next, checked: { fault: null } })
})

test.skipIf(process.getuid?.() !== 0)(
  'without room it is not checked, and the reason is shown (needs root, to mount a small disk)',
  async () => {
    const small = `${server.services.env.dataDir}-small`
    mkdirSync(small)
    expect(spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', small]).status).toBe(0)
    process.env['TMPDIR'] = small
    try {
      await backedUpNow()
      const reason = 'There is no room to check a backup in '
      await until(async () => (await listed()).checkFailure?.message.startsWith(reason) ?? false, 60)
      expect((await newest())?.checked).toBeNull()
      expect(readdirSync(small)).toEqual([])
    } finally {
      delete process.env['TMPDIR']
      spawnSync('/bin/umount', [small])
      await rmdir(small)
    }
    await query(`update backup_plan set check_ended_at = now() - interval '21 hours'`)
    await server.services.jobs.wake('backup.run', {})
    await until(async () => ((await newest())?.checked ?? null) !== null, 90)
  },
)
