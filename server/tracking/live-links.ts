import { hasRow } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import type { Services } from '../platform/http/services.ts'
import { forgetOldest } from './pace.ts'

/** Whose page it is: what the signed tokens of a page say of the message and the person. */
type LinkOwner = { delivery?: string | undefined; viewerKey: string }

/** Refuses whoever came by a personal link that was taken back meanwhile, or whose person was disabled or removed. */
export type LiveLinks = { require(whose: LinkOwner): Promise<void> }

/** How long a page goes on whose link has just ended: each batch and each segment asks, and must not cost a look-up. */
const rememberMs = 20_000

export function liveLinks({ db }: Pick<Services, 'db'>): LiveLinks {
  const kept = new Map<string, { until: number; hasEnded: Promise<boolean> }>()

  /** A link whose last day has passed is not looked for: whoever opened it in time may watch to the end. */
  function ask(delivery: string, viewerKey: string): Promise<boolean> {
    return hasRow(
      db.single,
      sql`select 1 from users u left join deliveries d on d.user_id = u.id and d.id = ${delivery}
        where u.id = ${viewerKey.replace('recipient:', '')}
          and (u.deleted_at is not null or u.state in ('disabled', 'deleted') or d.link_revoked_at is not null)`,
    )
  }

  function hasEnded(delivery: string, viewerKey: string): Promise<boolean> {
    const known = kept.get(delivery)
    // A clock that nobody sets back.
    const now = performance.now()
    if (known && known.until > now) return known.hasEnded
    const asked = ask(delivery, viewerKey)
    kept.delete(delivery)
    kept.set(delivery, { until: now + rememberMs, hasEnded: asked })
    asked.catch(() => kept.delete(delivery))
    forgetOldest(kept)
    return asked
  }

  return {
    async require({ delivery, viewerKey }) {
      if (delivery !== undefined && (await hasEnded(delivery, viewerKey))) throw refuse('link_ended')
    },
  }
}
