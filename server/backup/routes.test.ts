import { expect, test } from 'vitest'
import { readDashboardAlerts } from '#contract/dashboard.ts'
import { listAudit } from '#contract/platform/audit.ts'
import { readBackupPlan, readBackups, startBackup, updateBackupPlan } from '#contract/backup.ts'
import { damage, runs } from '../testing/backup/backups.ts'
import { until } from '../testing/until.ts'
import { aServer } from '../testing/worlds.ts'
import { beginIfDue } from './plan.ts'
import { startBackups } from './schedule.ts'

const server = await aServer()
const superadmin = await server.person('superadmin')
const admin = await server.person('admin', await server.organization('Acme'))

const plan = { isOn: true, hour: 3, daily: 7, weekly: 4, monthly: 12, checkEvery: 'week' } as const
const { query } = server
const alertKinds = async () => (await superadmin.call(readDashboardAlerts)).body.items.map(({ kind }) => kind)

test('requires sign-in', async () => {
  expect((await server.call(readBackups)).status).toBe(401)
  expect((await server.call(readBackupPlan)).status).toBe(401)
})

test('requires role', async () => {
  for (const asked of [readBackups, readBackupPlan, startBackup])
    expect((await admin.call(asked)).status).toBe(403)
  expect((await admin.call(updateBackupPlan, { body: plan })).status).toBe(403)
})

test('says that there is none, and keeps the plan', async () => {
  const { body } = await superadmin.call(readBackups)
  expect(body).toMatchObject({
    folder: server.services.env.backupDir,
    recipient: null,
    running: null,
    isAsked: false,
    failure: null,
    items: [],
  })
  expect((await superadmin.call(readBackupPlan)).body).toMatchObject({ isOn: false, hour: 2 })
  const outside = await superadmin.call(updateBackupPlan, { body: { ...plan, hour: 24, daily: 0 } })
  expect(outside).toMatchObject({
    status: 422,
    body: { fields: { hour: ['too_big'], daily: ['too_small'] } },
  })
  expect((await superadmin.call(updateBackupPlan, { body: plan })).body).toMatchObject(plan)
  const { items } = (await superadmin.call(listAudit, { query: { action: 'backup.' } })).body
  expect(items).toHaveLength(1)
})

test('the dashboard says when the last one failed, and when none was made for days', async () => {
  expect(await alertKinds()).not.toContain('failing_backups')
  await query(
    `update backup_plan set started_at = now(), ended_at = now(), failure = 'There is no room left.'`,
  )
  expect(await alertKinds()).toContain('failing_backups')
  expect((await superadmin.call(readBackups)).body.failure?.message).toBe('There is no room left.')
  await query(`update backup_plan set failure = null`)
  expect(await alertKinds()).not.toContain('failing_backups')
  const old = `now() - interval '49 hours'`
  await query(
    `update backup_plan set started_at = ${old}, ended_at = ${old}, made_at = ${old}, updated_at = ${old}`,
  )
  expect(await alertKinds()).toContain('failing_backups')
  await query(`update backup_plan set is_on = false`)
  expect(await alertKinds()).not.toContain('failing_backups')
})

test('makes one when somebody asks, lists it, and says what its check found', async () => {
  process.env['DATABASE_URL'] = server.ownerUrl
  const working = await startBackups(server.services)
  const listed = async () => (await superadmin.call(readBackups)).body
  try {
    expect((await superadmin.call(startBackup)).status).toBe(202)
    await until(async () => (await listed()).items.length === 1, 60)
    await until(async () => (await listed()).running === null, 60)
    const [made] = (await listed()).items
    expect(made).toMatchObject({ kind: 'whole', isEncrypted: false, checked: null })
    expect(made?.bytes).toBeGreaterThan(1_000)
    const { backupDir } = server.services.env
    await damage(`${backupDir}/${made?.name}/tables/public.users.zst`)
    expect(await runs('backup', ['--check'], { BACKUP_DIR: backupDir, DATABASE_URL: '' })).toMatchObject({
      code: 2,
    })
    expect((await listed()).items[0]?.checked?.fault).toContain('The table public.users is missing')
  } finally {
    await working.stop()
    delete process.env['DATABASE_URL']
  }
}, 90_000)

test('its hour makes it due, once', async () => {
  const { db } = server.services
  await query(`update backup_plan set is_on = true, hour = extract(hour from now() at time zone 'UTC'), asked_at = null,
    started_at = now() - interval '1 day', ended_at = now() - interval '1 day' + interval '1 minute'`)
  expect(await beginIfDue(db)).toEqual({ daily: 7, weekly: 4, monthly: 12 })
  expect(await beginIfDue(db)).toBeUndefined()
  await query(`update backup_plan set told_at = now() - interval '2 minutes'`)
  expect((await superadmin.call(readBackups)).body.failure?.message).toContain('broken off')
  expect(await beginIfDue(db)).toBeUndefined()
})
