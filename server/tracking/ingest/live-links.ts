import { hasRow } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { holdWhileUnchanged } from '../../platform/http/held.ts'
import type { Services } from '../../platform/http/services.ts'
import { isOut } from '../../people.ts'

/** The signed tokens of a page say this of the organization, the message and the person. */
type LinkOwner = { org: string; delivery?: string | undefined; viewerKey: string }

/**
 * Refuses whoever came by a personal link that was taken back meanwhile, or whose person was disabled or removed, and everybody whose
 * organization was switched off.
 */
export type LiveLinks = { require(whose: LinkOwner): Promise<void> }

/** An answer is kept for this long, because each batch and each segment asks, and must not cost a look-up. */
const bounds = { heldMs: 20_000, most: 50_000 }

export function liveLinks({ db }: Pick<Services, 'db'>): LiveLinks {
  const hold = holdWhileUnchanged<boolean>(db.callerChanges, bounds)

  /** A link whose last day has passed is not looked for, because whoever opened it in time may watch to the end. */
  const hasEnded = ({ org, delivery, viewerKey }: LinkOwner): Promise<boolean> =>
    hasRow(
      db.single,
      delivery === undefined
        ? closed(org)
        : sql`${closed(org)} union all
            select 1 from users u left join deliveries d on d.user_id = u.id and d.id = ${delivery}
            where u.id = ${viewerKey.replace(/^\w+:/, '')}
              and (${isOut('u')} or d.link_revoked_at is not null)`,
    )

  return {
    async require(whose) {
      const { org, delivery = org } = whose
      const ended = await hold(delivery, async () => ({ value: await hasEnded(whose), trueForMs: Infinity }))
      if (ended) throw refuse('link_ended')
    },
  }
}

const closed = (org: string) =>
  sql`select 1 from organizations o where o.id = ${org} and (o.deleted_at is not null or o.state <> 'active')`
