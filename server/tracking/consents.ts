import { createHash } from 'node:crypto'
import { type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { PlayClaims } from './token.ts'

export function consentHashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

type Played = { claims: PlayClaims; receivedAt: number; spans: readonly unknown[] }

/**
 * Writes down which text people known by name had in front of them when they pressed play, and on which day (UTC) first. May come
 * twice and in any order.
 */
export async function noteConsents(tx: Tx, log: readonly Played[]): Promise<void> {
  const noted = new Map<
    string,
    { organization_id: string; viewer_key: string; hash: string; first_at: number }
  >()
  for (const { claims, receivedAt, spans } of log) {
    const { consent: hash, kind, viewerKey, org } = claims
    if (hash === undefined || kind === 'visitor' || spans.length === 0) continue
    const key = `${viewerKey} ${hash}`
    const first = Math.min(receivedAt, noted.get(key)?.first_at ?? Infinity)
    noted.set(key, { organization_id: org, viewer_key: viewerKey, hash, first_at: first })
  }
  if (noted.size === 0) return
  await tx.execute(sql`insert into consents as c (organization_id, viewer_key, hash, first_at)
      select organization_id, viewer_key, hash, date_trunc('day', to_timestamp(first_at / 1000), 'UTC')
      from json_to_recordset(${JSON.stringify([...noted.values()])}::json)
        as g(organization_id uuid, viewer_key text, hash text, first_at float8)
      on conflict (organization_id, viewer_key, hash) do update set first_at = excluded.first_at where excluded.first_at < c.first_at`)
}
