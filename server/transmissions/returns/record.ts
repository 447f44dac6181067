import { fromRows, type Ending } from '../../platform/endings.ts'
import { plural } from '#contract/platform/text/format.ts'
import * as z from 'zod/mini'
import type { DeliveryEventSource } from '#contract/transmissions/mail-events.ts'
import { arrayOf, hasRow, requireRow, rows, type Database, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { noteFacts, nobodyFor } from '../barred/barred.ts'
import { move, Key } from '../ledger/states.ts'
import { noteWills } from '../barred/will.ts'
import type { MailEvent, Reported } from './providers.ts'
import { isErased } from '../../people.ts'

const asRows = (events: readonly MailEvent[]) =>
  JSON.stringify(
    events.map(({ id, deliveryId, kind, at, permanent, about, status, detail }) => ({
      id,
      delivery_id: deliveryId,
      kind,
      at,
      permanent,
      about,
      status,
      detail,
    })),
  )

/**
 * Writes down what was reported, and what follows from it for the ledger. A report is taken once, and late ones never lead back. Mails of
 * which nothing is known here are none of ours.
 */
export async function recordEvents(
  db: Database,
  source: DeliveryEventSource,
  { events, confirmUrl }: Reported,
): Promise<void> {
  await db.as('system', async (tx) => {
    await tx.execute(sql`update mail_event_sources set received_at = now(),
        confirm_url = case when ${confirmUrl ?? null}::text is not null then ${confirmUrl ?? null} when ${events.length} > 0 then null
          else confirm_url end
      where source = ${source}`)
    if (events.length === 0) return
    if (await hasRow(tx, isUnsettled(events))) throw refuse('unavailable')
    for (const key of await write(tx, source, events)) await breakIfUnwanted(tx, key)
  })
}

/** This query finds mails for which the word of the mail server may not be written down yet, so that whoever reports is to come again. */
const isUnsettled = (events: readonly MailEvent[]) =>
  sql`select from deliveries where state = 'sending' and id = any(${arrayOf(
    events.map(({ deliveryId }) => deliveryId),
    'uuid',
  )})`

/** Writes the reports, and returns the transmissions of which something came back. */
function write(tx: Tx, source: DeliveryEventSource, events: readonly MailEvent[]): Promise<Key[]> {
  return rows(
    tx,
    Key,
    sql`with given as (select distinct on (g.id) g.*, a.organization_id, a.transmission_id
        from jsonb_to_recordset(${asRows(events)}::jsonb) as g(id text, delivery_id uuid, kind text, at timestamptz, permanent boolean,
            about text, status text, detail text)
          join delivery_attempts a on a.delivery_id = g.delivery_id
        order by g.id, a.n desc),
      fresh as (insert into delivery_events (source, event_id, organization_id, transmission_id, delivery_id, kind, is_permanent, about, status, at)
        select ${source}, id, organization_id, transmission_id, delivery_id, kind, permanent, about, status, at from given
        on conflict do nothing returning event_id),
      told as (select given.* from given join fresh on fresh.event_id = given.id),
      -- Of several reports of one mail that arrive together, that it came back wins.
      worst as (select distinct on (delivery_id) * from told where kind = 'delivered' or (kind = 'returned' and permanent)
        order by delivery_id, kind = 'returned' desc),
      settled as (update deliveries d set state = case when w.kind = 'delivered' then 'delivered' else 'bounced' end,
            reason = case when w.kind = 'delivered' then null else coalesce(w.detail, w.status, 'returned') end, updated_at = now()
          from worst w where d.transmission_id = w.transmission_id and d.id = w.delivery_id
            and d.state = any(case when w.kind = 'delivered' then ${arrayOf(['accepted', 'unknown'], 'text')}
              else ${arrayOf(['accepted', 'unknown', 'delivered'], 'text')} end)
          returning d.id),
      -- Of several facts about one address what bars for longer.
      facts as (${noteFacts(sql`select distinct on (d.organization_id, d.address) d.organization_id, d.address,
            case t.kind when 'returned' then 'no_such_mailbox' else t.kind end as reason,
            case when t.kind = 'returned' then now() + ${nobodyFor} end as expires_at
          from told t join deliveries d on d.transmission_id = t.transmission_id and d.id = t.delivery_id
          where t.kind = 'complained' or t.kind = 'returned' and t.permanent and t.about = 'nobody'
          order by d.organization_id, d.address, t.kind`)}),
      wills as (${noteWills(sql`select distinct d.organization_id, d.user_id, u.email as address, null::uuid as created_by
          from told t join deliveries d on d.transmission_id = t.transmission_id and d.id = t.delivery_id
            join users u on u.id = d.user_id and not ${isErased('u')}
          where t.kind = 'unsubscribed'`)})
      select distinct transmission_id as id, organization_id as "organizationId" from told
        where (kind = 'returned' and permanent) or kind = 'complained'`,
  )
}

/**
 * Sending stops beyond these shares of the mails that were taken. For mails that came back and were not wanted it needs 500 of them at
 * least, as a provider would soon refuse all. For mails that came back because of our sender or our message any number is enough, as
 * whoever gets the next one would say the same. One reader of many who makes that up stops nothing.
 */
const tooMany = { returned: 0.05, complained: 0.003, refused: 0.01 }
/** A message that fewer people refuse may be theirs to refuse. */
const fewestRefused = { sender: 1, message: 3 }

const Harm = z.object({ isHarmful: z.boolean(), sender: z.number(), message: z.number(), taken: z.number() })

async function breakIfUnwanted(tx: Tx, key: Key): Promise<void> {
  const found = await requireRow(
    tx,
    Harm,
    sql`with sent as (select coalesce(sum(n), 0)::float8 as taken, greatest(500, coalesce(sum(n), 0)) as n from transmission_counts
        where transmission_id = ${key.id} and state in ('accepted', 'delivered', 'bounced')),
      ours as (select e.about = 'sender' as sender, e.delivery_id from delivery_events e join transmissions t on t.id = e.transmission_id
        where e.transmission_id = ${key.id} and e.kind = 'returned' and e.is_permanent and e.about in ('sender', 'content', 'policy', 'size')
          and (e.received_at > t.updated_at or t.updated_at > now()))
      select sent.taken, (select count(distinct delivery_id)::int from ours where sender) as sender,
        (select count(distinct delivery_id)::int from ours where not sender) as message,
        coalesce((select n from transmission_counts where transmission_id = ${key.id} and state = 'bounced'), 0) > sent.n * ${tooMany.returned}::float8
          or (select count(*) from delivery_events where transmission_id = ${key.id} and kind = 'complained') > sent.n * ${tooMany.complained}::float8
          as "isHarmful" from sent`,
  )
  const reason = reasonOf(found)
  if (reason) await move(tx, key, { from: ['sending'], to: 'paused', reason, by: 'system' })
}

function reasonOf({ isHarmful, sender, message, taken }: z.infer<typeof Harm>) {
  const isMuch = (n: number, fewest: number) => n >= fewest && n > taken * tooMany.refused
  if (isMuch(sender, fewestRefused.sender)) return 'sender_refused'
  return isHarmful || isMuch(message, fewestRefused.message) ? 'many_returned' : null
}

/**
 * These say what ends for reports when the secret of the installation is lost, because mail providers report to an address that follows
 * from it.
 */
export const endingsOfReturns: readonly Ending[] = [
  {
    name: 'mailEvents',
    count: fromRows(sql`mail_event_sources where received_at is not null`),
    says: (n) =>
      `${plural(n, 'mail provider reports', 'mail providers report')} to an address whose secret is another one now: enter it there (Settings, Mail).`,
    ends: [sql`update mail_event_sources set received_at = null, confirm_url = null`],
  },
]
