import * as z from 'zod/mini'
import {
  asideLoops,
  asideNames,
  SetAside,
  type AsideLoop,
  type readSetAside,
} from '#contract/platform/aside.ts'
import type { Reply } from '#contract/endpoint.ts'
import { isTold, discard, tryNext } from '../platform/aside.ts'
import { row, rows, type Tx } from '../platform/db/client.ts'
import { readCount } from '../platform/db/rows.ts'
import { isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { audit, ofInstallation, type Actor } from '../platform/http/audit.ts'
import type { Services } from '../platform/http/services.ts'

type Listed = Reply<typeof readSetAside>

/** An item begins with the id of what it is about, where that has a page, and goes on with whom of it. */
const about = sql`split_part(s.item, ' ', 1)`
const whom = sql`substring(s.item from ' ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})')::uuid`

export async function listSetAside(tx: Tx): Promise<Listed> {
  const count = await readCount(tx, sql`select count(*)::int as n from set_aside s where ${isTold}`)
  const items = await rows(
    tx,
    SetAside,
    sql`select s.id, s.loop, s.item, s.reason, o.name as "organizationName", ${isoText(sql`s.first_at`)} as since, s.tries,
        ${isoText(sql`s.last_at`)} as "lastTryAt",
        case when v.id is not null then json_build_object('id', v.id, 'title', v.title) end as video,
        case when t.id is not null then json_build_object('id', t.id, 'subject', message_name(t)) end as transmission,
        case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as person
      from set_aside s
        left join videos v on v.id::text = ${about} and v.deleted_at is null
        left join transmissions t on t.id::text = ${about}
        left join users u on u.id = ${whom} and u.organization_id = s.organization_id and u.deleted_at is null
        left join organizations o on o.id = coalesce(s.organization_id, v.organization_id)
      where ${isTold} order by s.first_at desc, s.id limit 100`,
  )
  return { count, items }
}

/** What looks at the items of a loop, where that is not done all the time. */
const wokenBy: Partial<Record<AsideLoop, 'housekeeping' | 'mail.send' | 'mail.returns' | 'reports.send'>> = {
  sending: 'mail.send',
  returns: 'mail.returns',
  mail_events: 'mail.returns',
  report_schedules: 'reports.send',
  senders: 'housekeeping',
  uploads: 'housekeeping',
  housekeeping: 'housekeeping',
}

const HeldItem = z.object({ loop: z.enum(asideNames), item: z.string() })
type AsideRequest = { asideId: string; by: Actor }

/** Refuses with `conflict` what has gone since: it may have been worked on meanwhile. */
async function hold(tx: Tx, id: string): Promise<z.infer<typeof HeldItem>> {
  const held = await row(tx, HeldItem, sql`select loop, item from set_aside where id = ${id} for update`)
  if (!held) throw refuse('conflict', { reason: { code: 'no_longer_aside' } })
  return held
}

export async function tryItemAgain(
  tx: Tx,
  { jobs }: Services,
  { asideId, by }: AsideRequest,
): Promise<Listed> {
  const { loop } = await hold(tx, asideId)
  await tryNext(tx, asideId)
  const queue = wokenBy[loop]
  if (queue) await jobs.send(tx, queue, {})
  await audit(tx, by, { ...ofInstallation, action: 'set_aside.retried', after: { loop } })
  return listSetAside(tx)
}

/** Refuses what would come back by itself: it stands in its list as before. */
export async function discardItem(tx: Tx, { asideId, by }: AsideRequest): Promise<Listed> {
  const { loop, item } = await hold(tx, asideId)
  if (asideLoops[loop] !== 'kept') throw refuse('conflict', { reason: { code: 'comes_back' } })
  await discard(tx, asideId)
  await audit(tx, by, { ...ofInstallation, action: 'set_aside.discarded', after: { loop, item } })
  return listSetAside(tx)
}
