import * as z from 'zod/mini'
import { Duty } from '#contract/assignments.ts'
import { dayOnly, showsPersons } from '../../directory/organizations/privacy.ts'
import { rows, together, type Tx } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { isExcused } from '../../tracking/obligations.ts'
import { obligationsOf } from './queries.ts'

type Person = { orgId: string; userId: string }

/** Rows of each kind: nobody owes as many. */
const most = 500

/** All that a person owes and has owed, whoever asked for it. */
export async function owedBy(tx: Tx, person: Person): Promise<Duty[]> {
  const [assigned, asked] = await together(obligationsOf(tx, person), askedOf(tx, person))
  return [...assigned.map((one) => Object.assign(one, { transmission: null })), ...asked].toSorted(
    (a, b) => b.since.localeCompare(a.since) || b.id.localeCompare(a.id),
  )
}

/** What a transmission with a day has of what an assignment has: it neither reminds nor runs out, and nothing is decided about it. */
const without = {
  assignment: null,
  cycle: 1,
  reason: null,
  ending: null,
  validUntil: null,
  waivedUntil: null,
  missingMs: null,
  lastMessageAt: null,
  unsent: null,
  lacks: null,
  confirmedAt: null,
  nextMessageOn: null,
}

const Asked = z.pick(Duty, {
  id: true,
  transmission: true,
  video: true,
  user: true,
  state: true,
  since: true,
  dueAt: true,
  doneAt: true,
})

async function askedOf(tx: Tx, { orgId, userId }: Person): Promise<Duty[]> {
  const shows = showsPersons(sql`o.organization_id`)
  const viewed = (what: SQL) =>
    sql`(select ${what} from viewer_videos w where w.organization_id = o.organization_id and w.user_id = o.user_id and w.video_id = o.video_id)`
  const found = await rows(
    tx,
    Asked,
    sql`select o.id, jsonb_build_object('id', t.id, 'subject', t.subject) as transmission,
        jsonb_build_object('id', v.id, 'title', v.title) as video,
        jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email) as "user",
        case when o.state = 'ended' then 'ended' when o.state = 'done' then 'done' when ${isExcused} then 'waived'
          when o.due_at < now() then 'overdue'
          when ${shows} and coalesce(${viewed(sql`max(w.covered_ms)`)}, 0) > 0 then 'started' else 'assigned' end as state,
        ${isoText(sql`o.since`)} as since, ${isoText(sql`o.due_at`)} as "dueAt",
        case when o.state = 'done' then ${isoText(sql`case when ${shows} then d.at else ${dayOnly(sql`d.at`)} end`)} end as "doneAt"
      from obligations o join transmissions t on t.id = o.transmission_id and t.organization_id = o.organization_id
        join videos v on v.id = o.video_id join users u on u.id = o.user_id
        cross join lateral (select ${viewed(sql`min(w.completed_at)`)} as at) d
      where o.organization_id = ${orgId} and o.user_id = ${userId} and o.transmission_id is not null
      order by o.since desc, o.id desc limit ${most}`,
  )
  return found.map((one) => Object.assign(one, without))
}
