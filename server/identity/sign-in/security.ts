import * as z from 'zod/mini'
import { readSecurity, updateSecurity } from '#contract/identity/security.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { audit, ofInstallation } from '../../platform/http/audit.ts'
import { requireUnchanged, type Mount } from '../../platform/http/mount.ts'
import { systemSecurity } from '../security.ts'

const LastProof = z.object({ at: z.string() })

/** Before anybody has changed something there is no row; the beginning of time then stands for its age. */
async function settings(tx: Tx) {
  const found = await row(tx, LastProof, sql`select ${isoText(sql`updated_at`)} as at from system_settings`)
  const updatedAt = found?.at ?? new Date(0).toISOString()
  return { ...(await systemSecurity(tx)), withoutFactor: await countWithoutFactor(tx), updatedAt }
}

const PeopleWithoutFactor = z.object({ admins: z.number(), everyone: z.number() })

/** Whom a stricter policy would ask to set something up. */
async function countWithoutFactor(tx: Tx): Promise<{ admins: number; everyone: number }> {
  const counted = await row(
    tx,
    PeopleWithoutFactor,
    sql`select count(*) filter (where u.role <> 'groupadmin')::int as admins, count(*)::int as everyone
      from users u where u.role is not null and u.deleted_at is null and u.state in ('active', 'invited')
        and not exists (select 1 from totp_factors t where t.user_id = u.id)
        and not exists (select 1 from passkeys k where k.user_id = u.id)`,
  )
  return counted ?? { admins: 0, everyone: 0 }
}

export function securityRoutes(mount: Mount): void {
  mount(readSecurity, ({ tx }) => settings(tx))

  mount(updateSecurity, async ({ tx, body, caller, request }) => {
    // Two at once: the second one waits, and then sees what the first one wrote.
    await tx.execute(sql`lock table system_settings in share row exclusive mode`)
    const { updatedAt } = await settings(tx)
    const before = await systemSecurity(tx)
    requireUnchanged(request, new Date(updatedAt))
    await tx.execute(
      sql`insert into system_settings (security) values (${JSON.stringify(body)}::jsonb)
        on conflict (id) do update set security = excluded.security, updated_at = now()`,
    )
    const entry = { ...ofInstallation, action: 'security.changed' as const, before, after: body }
    await audit(tx, { caller, request }, entry)
    return settings(tx)
  })
}
