import { createHash } from 'node:crypto'
import { type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { listed } from './lists.ts'
import type { PlayClaims } from './ingest/token.ts'

export function consentHashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

type Played = { claims: PlayClaims; receivedAt: number; spans: readonly unknown[] }

/**
 * Writes down which text people known by name had in front of them when they pressed play, and on which day (UTC) first. The same consent
 * may come twice and in any order.
 */
export async function noteConsents(tx: Tx, log: readonly Played[]): Promise<void> {
  const noted = new Map<
    string,
    { organizationId: string; viewerKey: string; hash: string; firstAt: number }
  >()
  for (const { claims, receivedAt, spans } of log) {
    const { consent: hash, kind, viewerKey, org: organizationId } = claims
    if (hash === undefined || kind === 'visitor' || spans.length === 0) continue
    const key = `${viewerKey} ${hash}`
    const firstAt = Math.min(receivedAt, noted.get(key)?.firstAt ?? Infinity)
    noted.set(key, { organizationId, viewerKey, hash, firstAt })
  }
  if (noted.size === 0) return
  const types = { organizationId: 'uuid', viewerKey: 'text', hash: 'text', firstAt: 'ms' } as const
  await tx.execute(sql`insert into consents as c (organization_id, viewer_key, hash, first_at)
      select organization_id, viewer_key, hash, date_trunc('day', first_at, 'UTC') from ${listed([...noted.values()], types)} g
      on conflict (organization_id, viewer_key, hash) do update set first_at = excluded.first_at where excluded.first_at < c.first_at`)
}
