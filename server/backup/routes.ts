import type { FastifyInstance } from 'fastify'
import { readBackupPlan, readBackups, startBackup, updateBackupPlan } from '#contract/backup.ts'
import type { Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { audit, ofInstallation } from '../platform/http/audit.ts'
import { requireUnchanged, type Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { listBackups } from './list.ts'
import { readPlan, stateOf, writePlan } from './plan.ts'

export function backupRoutes(_app: FastifyInstance, mount: Mount, { env, jobs }: Services): void {
  const all = async (tx: Tx) => ({ ...(await listBackups(tx, env)), ...(await stateOf(tx)) })

  mount(readBackupPlan, ({ tx }) => readPlan(tx))

  mount(updateBackupPlan, async ({ tx, body, caller, request }) => {
    const { updatedAt, ...before } = await readPlan(tx)
    requireUnchanged(request, new Date(updatedAt))
    await writePlan(tx, body)
    await jobs.send(tx, 'backup.run', {})
    await audit(tx, { caller, request }, { ...ofInstallation, action: 'backup.planned', before, after: body })
    return readPlan(tx)
  })

  mount(readBackups, ({ tx }) => all(tx))

  mount(startBackup, async ({ tx, caller, request }) => {
    await tx.execute(sql`update backup_plan set asked_at = now()`)
    await jobs.send(tx, 'backup.run', {})
    await audit(tx, { caller, request }, { ...ofInstallation, action: 'backup.asked' })
    return all(tx)
  })
}
