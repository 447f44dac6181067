import * as z from 'zod/mini'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { inGroups } from '../../platform/groups.ts'
import { holdWhileUnchanged } from '../../platform/http/held.ts'
import type { Services } from '../../platform/http/services.ts'
import { isOut } from '../../people.ts'
import { watchesSignedIn } from '../../people.ts'

/** The signed tokens of a page say this of the organization, the message and the person. */
type LinkOwner = {
  org: string
  delivery?: string | undefined
  viewerKey: string
  signedIn?: string | undefined
}

/**
 * Refuses whoever came by a personal link that was taken back meanwhile, or whose person was disabled or removed, and everybody whose
 * organization was switched off. Where the organization lets only signed-in people watch, it refuses whoever came by the link alone, and
 * whose session was ended or locked since.
 */
export type LiveLinks = { require(whose: LinkOwner): Promise<void> }

/** An answer is kept for this long, because each batch and each segment asks, and must not cost a look-up. */
const bounds = { heldMs: 20_000, most: 50_000 }
const groupSize = 1_000

export function liveLinks({ db }: Pick<Services, 'db'>): LiveLinks {
  const hold = holdWhileUnchanged<boolean>(db.callerChanges, bounds)
  const asking = inGroups<LinkOwner, boolean>(groupSize, async (group) => {
    const ended = await endedOf(
      db.single,
      group.map(({ item }) => item),
    )
    for (const [n, { resolve }] of group.entries()) resolve(ended.has(n))
  })
  return {
    async require(whose) {
      const { org, delivery = org, signedIn } = whose
      const ended = await hold(signedIn === undefined ? delivery : `${delivery} ${signedIn}`, async () => ({
        value: await asking.ask(whose),
        trueForMs: Infinity,
      }))
      if (ended) throw refuse('link_ended')
    },
  }
}

const Place = z.object({ place: z.number() })

/**
 * Returns the places of those that have ended. A link whose last day has passed is not looked for, because whoever opened it in time may
 * watch to the end; nor is a session that nobody was at the keyboard of, or that has come to its last hour.
 */
async function endedOf(tx: Tx, owners: readonly LinkOwner[]): Promise<Set<number>> {
  const ids = (of: (owner: LinkOwner) => string | null) => arrayOf(owners.map(of), 'uuid')
  const person = ({ delivery, viewerKey }: LinkOwner) =>
    delivery === undefined ? null : viewerKey.replace(/^\w+:/, '')
  const found = await rows(
    tx,
    Place,
    sql`select (g.n - 1)::int as place
      from unnest(${ids(({ org }) => org)}, ${ids(({ delivery }) => delivery ?? null)}, ${ids(person)}, ${ids(({ signedIn }) => signedIn ?? null)})
        with ordinality as g(org, delivery, person, "signedIn", n)
      where exists (select from organizations o where o.id = g.org and (o.deleted_at is not null or o.state <> 'active'))
        or exists (select from users u left join deliveries d on d.user_id = u.id and d.id = g.delivery
          where u.id = g.person and (${isOut('u')} or d.link_revoked_at is not null))
        or (g.delivery is not null and exists (select from organizations o where o.id = g.org and ${watchesSignedIn('o')})
          and not exists (select from sessions s where s.id = g."signedIn" and s.user_id = g.person
            and s.revoked_at is null and s.locked_at is null))`,
  )
  return new Set(found.map(({ place }) => place))
}
