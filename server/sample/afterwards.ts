import * as z from 'zod/mini'
import { createAssignment, type ObligationChange } from '#contract/assignments/assignments.ts'
import { issue } from '../evidence/certificates/issue.ts'
import { removePeople } from '../directory/users/remove.ts'
import { removeMember } from '../directory/groups/queries.ts'
import { recordOperation } from '../operations/begin.ts'
import { hasRow, requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { Id } from '../platform/db/rows.ts'
import { isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import { audit } from '../platform/http/audit.ts'
import type { Services } from '../platform/http/services.ts'
import { create } from '../assignments/save.ts'
import { decideObligation } from '../assignments/decide.ts'
import { sendDue } from '../assignments/messages.ts'
import { countNewcomers, planOne } from '../assignments/plan.ts'
import { cardsFor } from '../cards/make.ts'
import { recordEvents } from '../transmissions/returns/record.ts'
import { prepareChunk } from '../transmissions/recipients/prepare.ts'
import { start } from '../transmissions/sender/start.ts'
import { calendarOf, dayOf } from './calendar.ts'
import { actor, caller } from './decisions.ts'
import type { Author } from './diary.ts'

type Place = { services: Services; organizationId: string; by: Author }

type Decision = {
  assignment: string
  nth: number
  change: (day: (ahead: number) => string) => ObligationChange
}

const decisions: Decision[] = [
  {
    assignment: 'Evacuation of hall 4',
    nth: 3,
    change: (day) => ({ action: 'waive', reason: 'On parental leave until spring', until: day(150) }),
  },
  {
    assignment: 'Evacuation of hall 4',
    nth: 7,
    change: (day) => ({ action: 'extend', reason: 'Was on tour abroad', day: day(12) }),
  },
  {
    assignment: 'Forklift licence, every year',
    nth: 2,
    change: () => ({ action: 'exempt', reason: 'Does not drive a truck any more' }),
  },
]

/** What administrators did by hand today: decisions about single people, cards for whom no mail reaches, and what can be brought back. */
export async function actToday(place: Place, groupadmin: Author): Promise<void> {
  const { services, organizationId, by } = place
  const isDone = sql`select 1 from obligation_changes where organization_id = ${organizationId} limit 1`
  if (await services.db.as({ organizationId }, (tx) => hasRow(tx, isDone))) return
  await returnMails(place)
  await services.db.as({ organizationId }, async (tx) => {
    const calendar = await calendarOf(tx, organizationId)
    for (const { assignment, nth, change } of decisions) {
      const whose = await owing(tx, { organizationId, assignment, nth })
      const given = change((ahead) => dayOf(calendar, -ahead).toString())
      await decideObligation(
        tx,
        { caller: caller(by, organizationId), by: actor(by) },
        { ...whose, change: given },
      )
    }
    await handCards(tx, place)
    await certifyLate(tx, place)
    await remove(tx, place, groupadmin)
  })
}

const Owing = z.object({ orgId: z.string(), assignmentId: z.string(), userId: z.string() })

function owing(
  tx: Tx,
  { organizationId, assignment, nth }: Pick<Decision, 'assignment' | 'nth'> & { organizationId: string },
) {
  return requireRow(
    tx,
    Owing,
    sql`select o.organization_id as "orgId", o.assignment_id as "assignmentId", o.user_id as "userId" from obligations o
      join assignments a on a.id = o.assignment_id join users u on u.id = o.user_id
      where a.organization_id = ${organizationId} and a.name = ${assignment} and o.state = 'open' and u.role is null
      order by u.external_id offset ${nth} limit 1`,
  )
}

const Unreached = z.object({ assignmentId: z.string(), userIds: z.array(z.string()) })

/** To whoever owes it at an address that does not exist. */
async function handCards(tx: Tx, { services, organizationId, by }: Place): Promise<void> {
  const found = await row(
    tx,
    Unreached,
    sql`select o.assignment_id as "assignmentId", array_agg(distinct o.user_id) as "userIds" from obligations o
        join users u on u.id = o.user_id join suppressions s on s.organization_id = u.organization_id and s.address = u.email
      where o.organization_id = ${organizationId} and o.state = 'open'
        and o.assignment_id in (select id from assignments where message_id is null and state = 'active')
      group by 1 order by count(*) desc, 1 limit 1`,
  )
  if (!found) return
  const { assignmentId, userIds } = found
  const acting = { caller: caller(by, organizationId), by: actor(by), services }
  await cardsFor(tx, acting, { orgId: organizationId, assignmentId, body: { userIds, format: 'card' } })
}

const Certified = z.object({ userId: z.string(), videoId: z.string() })

/** Of whoever is late with one video, for another that they have completed. */
async function certifyLate(tx: Tx, { services, organizationId, by }: Place): Promise<void> {
  const found = await rows(
    tx,
    Certified,
    sql`select distinct on (u.called, u.id) u.id as "userId", w.video_id as "videoId" from obligations o
        join assignments a on a.id = o.assignment_id and a.name = 'Evacuation of hall 4' join users u on u.id = o.user_id
        join viewer_videos w on w.user_id = u.id and w.completed_at is not null and w.evidence = 'proven' and w.video_id <> o.video_id
      where o.organization_id = ${organizationId} and o.state = 'open' and o.due_at < now()
      order by u.called, u.id, w.completed_at desc limit 4`,
  )
  for (const { userId, videoId } of found) {
    const about = { visibility: { organizationId, groupIds: undefined }, userId, videoId }
    await issue(tx, { keys: services.keys, by: actor(by), about, isOwn: false })
  }
}

const Delivered = z.object({ deliveryId: z.string(), at: z.string() })

/** Of the newest message to everybody two came back from addresses that nobody reads, and one from a full mailbox. */
async function returnMails({ services, organizationId }: Place): Promise<void> {
  const sent = await services.db.as({ organizationId }, (tx) =>
    rows(
      tx,
      Delivered,
      sql`select d.id as "deliveryId", ${isoText(sql`(d.accepted_at + interval '4 minutes')`)} as at from deliveries d
          join transmissions t on t.id = d.transmission_id join users u on u.id = d.user_id
        where t.organization_id = ${organizationId} and d.state = 'accepted' and d.transmission_id = (select id from transmissions
          where organization_id = ${organizationId} and state = 'completed' and assignment_id is null order by created_at desc limit 1)
        order by u.external_id offset 30 limit 3`,
    ),
  )
  const returns = [
    { about: 'nobody', status: '5.1.1', detail: '550 5.1.1 No such user here' },
    { about: 'nobody', status: '5.1.10', detail: '550 5.1.10 Recipient not found' },
    { about: 'mailbox', status: '5.2.2', detail: '552 5.2.2 The mailbox is full' },
  ] as const
  const events = sent.flatMap(({ deliveryId, at }, n) => {
    const returned = returns[n]
    return returned
      ? [
          {
            id: `sample ${deliveryId}`,
            deliveryId,
            kind: 'returned' as const,
            at,
            permanent: true,
            ...returned,
          },
        ]
      : []
  })
  await recordEvents(services.db, 'generic', { events })
}

const Membership = z.object({ groupId: z.string(), group: z.string(), userId: z.string() })

/** Somebody has left the organization, and somebody a group of the groupadmin. */
async function remove(tx: Tx, { services, organizationId, by }: Place, groupadmin: Author): Promise<void> {
  const { id } = await requireRow(
    tx,
    Id,
    sql`insert into users (organization_id, name, email, created_at) values (${organizationId}, 'Kai Winter', 'kai.winter@northwind.demo.test',
      now() - interval '300 days') returning id`,
  )
  const removed = await removePeople(
    { services, tx, caller: caller(by, organizationId), request: undefined },
    organizationId,
    [id],
  )
  await audit(tx, actor(by), {
    organizationId,
    action: 'user.removed',
    entity: 'user',
    entityId: id,
    before: { name: 'Kai Winter' },
  })
  const gone = removed.get(id)
  const whole = { organizationId, outcome: 'removed' as const }
  await recordOperation(
    { tx, caller: caller(by, organizationId) },
    {
      ...whole,
      kind: 'users.remove',
      entity: 'user',
      entityId: id,
      label: 'Kai Winter',
      before: gone?.before,
      after: gone?.after,
    },
  )
  const { groupId, group, userId } = await requireRow(
    tx,
    Membership,
    sql`select m.group_id as "groupId", g.name as "group", m.user_id as "userId" from group_members m join groups g on g.id = m.group_id
        join users u on u.id = m.user_id
      where m.organization_id = ${organizationId} and u.role is null and exists (select from group_members x where x.group_id = m.group_id
          and x.user_id = ${groupadmin.id} and x.groupadmin)
        and exists (select from group_members o where o.user_id = m.user_id and o.group_id < m.group_id)
      order by u.external_id limit 1`,
  )
  const visibility = { organizationId, groupIds: [groupId] }
  const { name, ...before } = await removeMember(tx, { visibility, groupId, userId })
  const entry = { organizationId, entity: 'group', entityId: groupId, before: { userIds: [userId] } }
  await audit(tx, actor(groupadmin), { ...entry, action: 'group.members_removed' })
  await recordOperation(
    { tx, caller: caller(groupadmin, organizationId) },
    {
      ...whole,
      kind: 'users.remove_from_group',
      entity: 'member',
      entityId: userId,
      groupId,
      label: name,
      subject: group,
      before,
    },
  )
}

const nextSummer = {
  name: 'Working in the heat, next summer',
  requirement: 'watched',
  due: { kind: 'after', days: 42, working: false },
  validity: { months: 12, renewDays: 30 },
  countsSince: null,
  reminders: { daysBefore: [7, 1], onTheDay: false, daysAfter: [3], weekly: true, most: 4 },
  escalation: { afterDays: 7, to: 'manager' },
  subject: 'For everybody this time: {{video}}',
  message:
    'Hello {{firstName|colleague}},\n\nlast summer only the drivers saw it. Please watch **{{video}}** by {{due|the end of the month}}.',
  start: true,
} as const

/** An assignment of today for everybody, whose first message goes to more people than somebody may write to without an approval. */
export async function assignToAll({ services, organizationId, by }: Place): Promise<void> {
  const { db } = services
  const id = await db.as({ organizationId }, async (tx) => {
    const isThere = sql`select 1 from assignments where organization_id = ${organizationId} and name = ${nextSummer.name}`
    if (await hasRow(tx, isThere)) return undefined
    const video = await requireRow(
      tx,
      Id,
      sql`select id from videos where organization_id = ${organizationId} and title = 'Working in the heat' and deleted_at is null`,
    )
    const body = createAssignment.body.parse({
      ...nextSummer,
      videoId: video.id,
      audience: { everyone: true },
    })
    const acting = { caller: caller(by, organizationId), by: actor(by) }
    const made = await create(tx, acting, { orgId: organizationId, body })
    await planOne(tx, { id: made, organizationId })
    return made
  })
  if (id === undefined) return
  await countNewcomers(db)
  await sendDue(db)
  const { id: transmissionId } = await db.as({ organizationId }, (tx) =>
    requireRow(
      tx,
      Id,
      sql`select id from transmissions where assignment_id = ${id} and organization_id = ${organizationId}`,
    ),
  )
  const key = { id: transmissionId, organizationId }
  await db.as({ organizationId }, (tx) => start(tx, key))
  await prepareChunk(services, key)
}
