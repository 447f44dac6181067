import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedBody, ParsedQuery } from '#contract/endpoint.ts'
import { reportHeads } from '#contract/reports/report-heads.ts'
import {
  mostSchedules,
  reportNames,
  type createReportSchedule,
  type listReportSchedules,
  type PauseReason,
  ReportSchedule,
  type updateReportSchedule,
} from '#contract/reports/report-schedules.ts'
import { arrayOf, requireRow, row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Order } from '../../platform/http/lists/keyset.ts'
import { readList } from '../../platform/http/lists/list.ts'
import { addressesOf } from './addresses.ts'
import { subjectNames } from '../subjects.ts'
import { nextAfter, rangeOf, type Timing } from './rhythm.ts'
import { Count, Id } from '../../platform/db/rows.ts'

export const StoredSchedule = z.extend(z.omit(ReportSchedule, { next: true }), {
  nextAt: z.string(),
  ownerId: z.string(),
})
export type StoredSchedule = z.infer<typeof StoredSchedule>

const newest: Order = { by: sql`s.created_at`, id: sql`s.id`, type: 'timestamptz', descending: true }

function columns(caller: Caller): SQL {
  const groupIds = caller.role === 'groupadmin' ? caller.groupIds : undefined
  const { organizationId: home, organizationName } = caller
  const organization = home === null ? null : { id: home, name: organizationName ?? '' }
  return sql`s.id, s.report, s.view, s.organization_id as "organizationId", o.name as "organizationName",
    ${subjectNames({ organization, groupIds }, sql`s.view`)} as subjects,
    s.rhythm, s.weekday, s.month_day as "monthDay", s.hour, s.period, s.formats, ${addressesOf(sql`s.id`)} as addresses,
    s.time_zone as "timeZone",
    ${isoText(sql`s.next_at`)} as "nextAt", s.pause_reason as "pauseReason", ${isoText(sql`s.last_sent_at`)} as "lastSentAt",
    case when s.fault_at is not null then jsonb_build_object('kind', 'not_made', 'at', ${isoText(sql`s.fault_at`)})
      when m.state = 'failed' then jsonb_build_object('kind', 'not_delivered', 'at', ${isoText(sql`m.created_at`)}) end as fault,
    s.owner_id as "ownerId", s.owner_id = ${caller.userId} as own, u.name as "ownerName",
    ${isoText(sql`s.created_at`)} as "createdAt", ${isoText(sql`s.updated_at`)} as "updatedAt"`
}

const joined = sql`report_schedules s join users u on u.id = s.owner_id
  left join organizations o on o.id = s.organization_id left join mails m on m.id = s.last_mail_id`

/** Those that an administrator may stop: of people of their own organization; a superadmin those of everybody. */
function manages(caller: Caller): SQL {
  if (caller.role === 'superadmin') return sql`true`
  if (caller.role === 'groupadmin') return sql`false`
  return sql`u.organization_id = ${caller.organizationId}`
}

const isOwn = (caller: Caller) => sql`s.owner_id = ${caller.userId}`

export function toSchedule({ nextAt, ownerId: _id, ...schedule }: StoredSchedule): ReportSchedule {
  const at = new Date(nextAt)
  const next =
    schedule.pauseReason === null
      ? { at: nextAt, range: rangeOf(schedule.period, at, schedule.timeZone) }
      : null
  return { ...schedule, next }
}

type ListRequest = { query: ParsedQuery<typeof listReportSchedules>; request: FastifyRequest }

export async function schedulesPage(tx: Tx, caller: Caller, { query, request }: ListRequest) {
  if (query.of === 'others' && caller.role === 'groupadmin') throw refuse('forbidden')
  const where = query.of === 'me' ? isOwn(caller) : sql`not ${isOwn(caller)} and ${manages(caller)}`
  const list = { Row: StoredSchedule, columns: columns(caller), from: joined, where, order: newest }
  const page = await readList(tx, { ...list, query, request })
  return { ...page, items: page.items.map(toSchedule) }
}

type Wish = { id: string; own?: true; lock?: true }

/** One's own, or one that the caller may stop. Locked until the transaction ends, where that is wanted. */
export async function findSchedule(tx: Tx, caller: Caller, { id, own, lock }: Wish): Promise<StoredSchedule> {
  const whose = own ? isOwn(caller) : sql`(${isOwn(caller)} or ${manages(caller)})`
  return requireRow(
    tx,
    StoredSchedule,
    sql`select ${columns(caller)} from ${joined} where s.id = ${id} and ${whose} ${lock ? sql`for update of s` : sql``}`,
  )
}

const ZoneRow = z.object({ zone: z.string(), name: z.string() })
type Zone = { timeZone: string; organizationName: string | null }

/** That of the organization; UTC for all organizations together. */
export async function zoneOf(tx: Tx, organizationId: string | null): Promise<Zone> {
  if (organizationId === null) return { timeZone: 'UTC', organizationName: null }
  const found = await row(
    tx,
    ZoneRow,
    sql`select time_zone as zone, name from organizations where id = ${organizationId} and deleted_at is null`,
  )
  if (!found) throw refuse('not_found')
  return { timeZone: found.zone, organizationName: found.name }
}

type New = ParsedBody<typeof createReportSchedule> & { organizationId: string | null }

export async function insertSchedule(tx: Tx, caller: Caller, input: New): Promise<StoredSchedule> {
  // One after the other, so that many at once are not more than there may be.
  await tx.execute(sql`select 1 from users where id = ${caller.userId} for no key update`)
  const saved = await row(
    tx,
    Count,
    sql`select count(*)::int as n from report_schedules s where ${isOwn(caller)}`,
  )
  if ((saved?.n ?? 0) >= mostSchedules)
    throw refuse('conflict', { reason: { code: 'too_many_schedules', params: { most: mostSchedules } } })
  const { timeZone } = await zoneOf(tx, input.organizationId)
  const inserted = await row(
    tx,
    Id,
    sql`insert into report_schedules
        (organization_id, owner_id, report, view, period, rhythm, weekday, month_day, hour, time_zone, formats, next_at)
      values (${input.organizationId}, ${caller.userId}, ${input.report}, ${JSON.stringify(input.view)}::jsonb, ${input.period},
        ${input.rhythm}, ${input.weekday}, ${input.monthDay}, ${input.hour}, ${timeZone}, ${arrayOf(input.formats, 'text')},
        ${nextAfter({ ...input, timeZone }, new Date())}) returning id`,
  )
  if (!inserted) throw refuse('internal')
  return findSchedule(tx, caller, { id: inserted.id })
}

type ScheduleEdit = { before: StoredSchedule; input: ParsedBody<typeof updateReportSchedule> }

/** What was being tried is forgotten with the slot that it was tried for. */
const fromNow = (
  timing: Timing,
) => sql`next_at = ${nextAfter(timing, new Date())}, retry_at = null, tries = 0,
  time_zone = ${timing.timeZone}, updated_at = now()`

export async function changeSchedule(
  tx: Tx,
  caller: Caller,
  { before, input }: ScheduleEdit,
): Promise<StoredSchedule> {
  const { timeZone } = await zoneOf(tx, before.organizationId)
  await tx.execute(
    sql`update report_schedules set period = ${input.period}, rhythm = ${input.rhythm}, weekday = ${input.weekday},
        month_day = ${input.monthDay}, hour = ${input.hour}, formats = ${arrayOf(input.formats, 'text')},
        ${fromNow({ ...input, timeZone })} where id = ${before.id}`,
  )
  return findSchedule(tx, caller, { id: before.id })
}

export async function pauseSchedule(tx: Tx, id: string, reason: PauseReason): Promise<void> {
  await tx.execute(
    sql`update report_schedules set state = 'paused', pause_reason = ${reason}, retry_at = null, tries = 0, updated_at = now()
      where id = ${id}`,
  )
}

export async function resumeSchedule(
  tx: Tx,
  { id, organizationId, ...timing }: StoredSchedule,
): Promise<void> {
  const { timeZone } = await zoneOf(tx, organizationId)
  await tx.execute(
    sql`update report_schedules set state = 'active', pause_reason = null, fault_at = null, ${fromNow({ ...timing, timeZone })}
      where id = ${id}`,
  )
}

export async function rememberSent(tx: Tx, id: string, mailId: string): Promise<void> {
  await tx.execute(
    sql`update report_schedules set last_sent_at = now(), last_mail_id = ${mailId}, fault_at = null where id = ${id}`,
  )
}

export async function removeSchedule(tx: Tx, id: string): Promise<void> {
  await tx.execute(sql`delete from report_schedules where id = ${id}`)
}

const UnsubscribeRow = z.object({
  organizationId: z.nullable(z.string()),
  report: z.enum(reportNames),
  userId: z.string(),
})

/** By the link in a mail, which tells no more than whose mails it stops. What is paused or gone stays so. */
export async function unsubscribe(tx: Tx, id: string, request: FastifyRequest): Promise<void> {
  const found = await row(
    tx,
    UnsubscribeRow,
    sql`select s.organization_id as "organizationId", s.report, s.owner_id as "userId" from report_schedules s
      where s.id = ${id} and s.state = 'active' for update`,
  )
  if (!found) return
  await pauseSchedule(tx, id, 'unsubscribed')
  const { organizationId, report, userId } = found
  const about = { organizationId, entity: 'report_schedule', entityId: id }
  const after = { name: reportHeads[report].title, ownerId: userId, pauseReason: 'unsubscribed' }
  await audit(tx, { caller: { userId }, request }, { ...about, action: 'report_schedule.paused', after })
}
