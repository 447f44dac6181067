import * as z from 'zod/mini'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import { MissedMessage, mostMissed, type listMissed, type sendMissed } from '#contract/person/missed.ts'
import { lastReturned, presentAddress } from '../directory/people/mail-trouble.ts'
import { arrayOf, requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { Id, readCount } from '../platform/db/rows.ts'
import { isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import { audit } from '../platform/http/audit.ts'
import type { CallContext } from '../platform/http/bearer.ts'
import type { Services } from '../platform/http/services.ts'
import { hasDone } from '../duty/completions.ts'
import { isExcused, stands } from '../duty/obligations.ts'
import { note } from '../assignments/decide.ts'
import { sendByHand } from '../assignments/messages.ts'
import { bars, isDuty } from '../transmissions/barred/barred.ts'
import { create, requireAccount } from '../transmissions/compose/create.ts'
import { today } from '../directory/organizations/days.ts'
import { isWatchable } from '../transmissions/sender/start.ts'
import {
  hasFailed,
  isNotCancelled,
  isOutOfReach,
  isToRecipient,
  reasonOf,
  stateOf,
  wasSent,
} from '../deliveries.ts'
import { isSwitchedOff } from '../people.ts'

type Whose = { orgId: string; userId: string }

/** What is sent anew; null where somebody owes it: then their duty is reminded of. */
const Letter = z.object({
  subject: z.string(),
  body: z.string(),
  videoId: z.string(),
  dueAt: z.nullable(z.string()),
  linksEndAt: z.nullable(z.string()),
})
const Missed = z.extend(MissedMessage, {
  letter: z.nullable(Letter),
  /** What a message said whose day they owe; null: its assignment has words of its own. */
  words: z.nullable(z.string()),
})
type Missed = z.infer<typeof Missed>

/** The person as `users u`, where they get messages at all. */
const reader = ({ orgId, userId }: Whose) =>
  sql`u.id = ${userId} and u.organization_id = ${orgId} and u.deleted_at is null and not ${isSwitchedOff('u')}
    and ${presentAddress} ~ '^[^@[:space:]]+@[^@[:space:]]+$'`

/** Condition on `deliveries d`: its mail reached nobody, for what may lie in an address that `users u` has no more. */
const failedElsewhere = sql`d.channel = 'email' and d.organization_id = u.organization_id and d.address <> ${presentAddress}
  and (${hasFailed('d')} or ${isOutOfReach('d')})`

/**
 * Condition on `transmissions t` and `users u`: it was sent to them anew, or is about to be, by whichever way and with whatever success.
 * What failed again is missed itself, so that nothing is sent twice for the same.
 */
const isSentAnew = sql`exists (select from transmissions f where f.follows_id = t.id and f.organization_id = t.organization_id
  and (f.audience->'userIds' ? u.id::text
    or f.audience->'of'->>'part' = 'failed' and ${isToRecipient('d')} and f.state in ('pending_approval', 'scheduled', 'held', 'preparing')
    or exists (select from deliveries n where n.transmission_id = f.id and n.user_id = u.id and ${isNotCancelled('n')})))`

/** Condition on `transmissions t` and `users u`: a later message says the same of the same video, so that this one would say it twice. */
const isSaidLater = sql`exists (select from deliveries n join transmissions y on y.id = n.transmission_id
    and y.video_id = t.video_id and y.subject = t.subject
  where n.user_id = u.id and n.organization_id = u.organization_id and n.transmission_id > t.id and ${isNotCancelled('n')}
    and (${isToRecipient('n')} or ${isOutOfReach('n')}))`

const message = sql`d.id, json_build_object('id', t.id, 'subject', message_name(t)) as transmission, ${isoText(sql`d.created_at`)} as at,
  d.address, ${stateOf('d')}, ${reasonOf('d')}`

const barsNow = (isOwed: typeof isDuty) =>
  bars({
    organizationId: sql`u.organization_id`,
    userId: sql`u.id`,
    address: presentAddress,
    isDuty: isOwed,
  })

/** What people sent. Whose day or whose links have ended is needless, and so is whatever the person has done, or need not do. */
const fromPeople = (whose: Whose) =>
  sql`select ${message}, null::json as assignment, json_build_object('subject', t.subject, 'body', t.body, 'videoId', t.video_id,
      'dueAt', ${isoText(sql`t.due_at`)}, 'linksEndAt', ${isoText(sql`t.links_end_at`)}) as letter, null as words
    from users u join deliveries d on d.user_id = u.id and ${failedElsewhere}
      join transmissions t on t.id = d.transmission_id and t.assignment_id is null and t.state <> 'cancelled' and ${wasSent('t')}
        and coalesce(t.due_at, 'infinity') > now() and coalesce(t.links_end_at, 'infinity') > now()
      join videos v on v.id = t.video_id and ${isWatchable}
    where ${reader(whose)} and not exists (select from assignments a join obligations o on o.assignment_id = a.id and o.user_id = u.id
        where a.message_id = t.id)
      and not ${isSentAnew} and not ${isSaidLater} and not ${barsNow(isDuty)}
      and not ${hasDone({ organizationId: sql`u.organization_id`, userId: sql`u.id`, videoId: sql`v.id` })}
      and not exists (select from training_waivers x where x.organization_id = u.organization_id and x.user_id = u.id
        and x.video_id = v.id and ${stands})`

/**
 * What assignments sent, as long as the duty is open: of each duty the newest message alone. One that was reminded of by hand today has had
 * its message by hand of this day.
 */
const fromAssignments = (whose: Whose) =>
  sql`select distinct on (d.id) ${message}, json_build_object('id', a.id, 'name', a.name) as assignment, null::json as letter, case when t.id = a.message_id then t.body end as words
    from users u join organizations z on z.id = u.organization_id
      join obligations o on o.user_id = u.id and o.organization_id = u.organization_id and o.state = 'open' and o.counted
      join assignments a on a.id = o.assignment_id and a.state = 'active'
      join videos v on v.id = a.video_id and ${isWatchable}
      cross join lateral (select m.transmission_id from (select g.transmission_id from obligation_messages g where g.obligation_id = o.id
        union all select a.message_id where a.message_id is not null) m order by m.transmission_id desc limit 1) newest
      join transmissions t on t.id = newest.transmission_id and t.state <> 'cancelled'
      join deliveries d on d.transmission_id = t.id and d.user_id = u.id and ${failedElsewhere}
    where ${reader(whose)} and not ${isExcused} and not ${barsNow(sql`true`)}
      and not exists (select from obligation_messages m where m.obligation_id = o.id and m.kind = 'manual' and m.slot = ${today})
    order by d.id, a.id = t.assignment_id desc, a.id`

function findMissed(tx: Tx, whose: Whose): Promise<Missed[]> {
  return rows(
    tx,
    Missed,
    sql`select * from ((${fromPeople(whose)}) union all (${fromAssignments(whose)})) m order by at desc, id desc limit ${mostMissed}`,
  )
}

const Returned = z.object({
  state: z.enum(['bounced', 'rejected']),
  reason: z.nullable(z.string()),
  at: z.string(),
})

export async function missedBy(tx: Tx, whose: Whose): Promise<Reply<typeof listMissed>> {
  const found = await findMissed(tx, whose)
  const returned = await row(
    tx,
    Returned,
    sql`select l.state, l.reason, ${isoText(sql`l.at`)} as at from users u cross join lateral ${lastReturned} l
      where u.id = ${whose.userId} and u.organization_id = ${whose.orgId}`,
  )
  return { items: found.map(({ letter: _own, words: _theirs, ...one }) => one), returned: returned ?? null }
}

type Order = Whose & { services: Services; ids: ParsedBody<typeof sendMissed>['ids'] }

/**
 * Whoever sends holds the person, so that of two at once the second finds nothing that is missed; so does whoever changes their address. A
 * message of a person follows the one that failed, which stays as it is; an assignment reminds of its duty.
 */
export async function sendAnew(
  { tx, caller, request }: CallContext,
  { services, ids, ...whose }: Order,
): Promise<Reply<typeof sendMissed>> {
  const { orgId, userId } = whose
  const by = { caller, request }
  await requireAccount(tx, caller, orgId)
  await requireRow(
    tx,
    Id,
    sql`select id from users where id = ${userId} and organization_id = ${orgId} and deleted_at is null for no key update`,
  )
  const wanted = (await findMissed(tx, whose)).filter(({ id }) => ids.includes(id))
  const made: string[] = []
  const anew: string[] = []
  for (const one of wanted) {
    if (one.assignment) {
      const assignmentId = one.assignment.id
      const key = { id: assignmentId, organizationId: orgId }
      const sent = await sendByHand(tx, key, { userIds: [userId], instead: { words: one.words } })
      // Somebody else is just sending for this assignment: it stays missed if that does not reach the person.
      if (sent.length === 0) continue
      await note(tx, by, { orgId, assignmentId, userId, as: 'obligation.reminded' })
    } else if (one.letter) {
      const audience = {
        userIds: [userId],
        groupIds: [],
        everyone: false,
        exceptGroupIds: [],
        exceptUserIds: [],
      }
      const body = { accountId: orgId, ...one.letter, audience }
      made.push(await create(tx, { services, caller, by, body, followsId: one.transmission.id }))
    }
    anew.push(one.transmission.id)
  }
  if (anew.length > 0) {
    const entry = { organizationId: orgId, entity: 'user', entityId: userId }
    await audit(tx, by, { ...entry, action: 'user.missed_sent', after: { transmissionIds: anew } })
  }
  const toApprove = await readCount(
    tx,
    sql`select count(*)::int as n from transmissions where organization_id = ${orgId} and id = any(${arrayOf(made, 'uuid')})
      and state = 'pending_approval'`,
  )
  return { sent: anew.length, toApprove }
}
