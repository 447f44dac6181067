import { readRetention } from '#contract/privacy.ts'
import { row } from '#server/db/client.ts'
import type { Mount } from '#server/http/mount.ts'
import { refuse } from '#server/errors.ts'
import { sql } from '../../db/drizzle.ts'
import { comingDeletion } from './retain.ts'

/** What is deleted by itself, what is erased because somebody asked for it, and what is handed over to a person. */
export function privacyRoutes(mount: Mount): void {
  mount(readRetention, async ({ tx, params: { orgId } }) => {
    const found = await row<{ months: number }>(
      tx,
      sql`select coalesce((policies->>'retentionMonths')::int, 25) as months from organizations
        where id = ${orgId} and deleted_at is null`,
    )
    if (!found) throw refuse('not_found')
    return { ...found, ...(await comingDeletion(tx, orgId)) }
  })
}
