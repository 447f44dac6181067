import * as z from 'zod/mini'
import type { AlertKind } from '#contract/platform/alerts.ts'
import { hasRow, row, type Tx, type Database } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'

type Matter = { ownerId: string; organizationId: string | null; kind: AlertKind }

const HiddenUntil = z.object({ until: z.string() })

/** From now on for so many days, as long as there is no more of it than `count`. Gives the instant of its end. */
export async function hide(tx: Tx, matter: Matter, { days, count }: { days: number; count: number }) {
  const { ownerId, organizationId, kind } = matter
  const hidden = await row(
    tx,
    HiddenUntil,
    sql`insert into hidden_attention as h (owner_id, organization_id, kind, count, until)
      values (${ownerId}, ${organizationId}, ${kind}, ${count}, now() + make_interval(days => ${days}))
      on conflict (owner_id, coalesce(organization_id, owner_id), kind)
      do update set count = excluded.count, until = excluded.until, created_at = now() returning ${isoText(sql`h.until`)} as until`,
  )
  return hidden?.until ?? null
}

/** False when it was not hidden. */
export async function show(tx: Tx, { ownerId, organizationId, kind }: Matter): Promise<boolean> {
  return hasRow(
    tx,
    sql`delete from hidden_attention where owner_id = ${ownerId} and kind = ${kind}
      and organization_id is not distinct from ${organizationId}::uuid returning 1`,
  )
}

export const forgetHidden = ({ single }: Pick<Database, 'single'>) =>
  single.execute(sql`delete from hidden_attention where until < now()`)
