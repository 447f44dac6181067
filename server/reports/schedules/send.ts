import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { reportHeads } from '#contract/reports/report-heads.ts'
import { fileFormats } from '#contract/platform/file-formats.ts'
import {
  type PauseReason,
  reportNames,
  ScheduledView,
  schedulePeriods,
} from '#contract/reports/report-schedules.ts'
import { eachApart, isFree } from '../../platform/aside.ts'
import { failuresIn } from '../../platform/failures.ts'
import { hasRow, row, rows, type Database, type Tx } from '../../platform/db/client.ts'
import { outageOf } from '../../platform/db/outage.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Services } from '../../platform/http/services.ts'
import { queueMail } from '../../platform/jobs/mail.ts'
import { senderOfMails } from '../../identity/mail-brand.ts'
import { readerHeaders, readersOf, readerUrl } from './addresses.ts'
import { contentOf, type Content } from './content.ts'
import { reportMail } from './mail.ts'
import { ownerNow, type ScheduleOwner } from './owner.ts'
import { pauseSchedule, rememberSent } from './queries.ts'
import { lastDue, nextAfter, rangeOf, Timing } from './rhythm.ts'

export const DueSchedule = z.extend(Timing, {
  id: z.string(),
  organizationId: z.nullable(z.string()),
  ownerId: z.string(),
  report: z.enum(reportNames),
  view: ScheduledView,
  period: z.enum(schedulePeriods),
  formats: z.array(z.enum(fileFormats)),
  /** ISO, as is `updatedAt`. */
  nextAt: z.string(),
  updatedAt: z.string(),
  tries: z.number(),
  /** Of the organization now, by which the next one is reckoned. */
  zoneNow: z.string(),
})
export type DueSchedule = z.infer<typeof DueSchedule>

const zoneNow = sql`coalesce((select o.time_zone from organizations o where o.id = s.organization_id), 'UTC')`
const columns = sql`s.id, s.organization_id as "organizationId", s.owner_id as "ownerId", s.report, s.view, s.period, s.formats,
  s.rhythm, s.weekday, s.month_day as "monthDay", s.hour, s.time_zone as "timeZone", ${isoText(sql`s.next_at`)} as "nextAt",
  ${isoText(sql`s.updated_at`)} as "updatedAt", s.tries, ${zoneNow} as "zoneNow"`

/** `case` and not `coalesce`, as the index has it. */
const dueAt = sql`(case when s.retry_at is null then s.next_at else s.retry_at end)`

/** Whoever dies while working out a report leaves it to be tried again after that. */
const leaseMinutes = 10
/** Minutes until another try after one that failed; then the slot is given up. */
const waitMinutes = [1, 5, 15, 60] as const

/**
 * Marks the schedule that is due longest as being worked on, committed before the work begins: others leave it alone, and a report
 * that brings the server down is not tried for ever.
 */
function claim(tx: Tx): Promise<DueSchedule | undefined> {
  return row(
    tx,
    DueSchedule,
    sql`update report_schedules s set tries = tries + 1, retry_at = now() + make_interval(mins => ${leaseMinutes})
      where s.id = (select s.id from report_schedules s where s.state = 'active' and ${dueAt} <= now()
          and ${isFree('report_schedules', sql`s.id::text`)} order by ${dueAt} limit 1 for update skip locked) returning ${columns}`,
  )
}

/** Its slot and its settings are still those that were read. */
function unchanged({ id, nextAt, updatedAt }: DueSchedule): SQL {
  return sql`id = ${id} and state = 'active' and next_at = ${nextAt} and updated_at = ${updatedAt}`
}

const nextOf = (due: DueSchedule) => nextAfter({ ...due, timeZone: due.zoneNow }, new Date())

/** The slot is used up, or given up. */
const movedOn = (due: DueSchedule) =>
  sql`next_at = ${nextOf(due)}, time_zone = ${due.zoneNow}, retry_at = null, tries = 0`

type Made = { due: DueSchedule; owner: ScheduleOwner; content: Content; missed: number }

/** The mail and the step to the next slot, in one transaction: both or nothing. */
async function deliver(services: Services, { due, owner, content, missed }: Made): Promise<void> {
  const unsubscribe = unsubscribeHeaders(services, due.id)
  const { brand, senderName } = await services.db.as('system', (tx) =>
    senderOfMails(tx, services, owner.organizationId),
  )
  const about = {
    name: owner.name,
    publicUrl: services.publicUrl(),
    schedule: due,
    content,
    missed,
    isExtra: false,
  }
  const mail = reportMail(services.env, about, brand)
  const { organizationId } = owner
  const { attachments } = content
  await services.db.as('system', async (tx) => {
    const taken = await hasRow(
      tx,
      sql`update report_schedules set ${movedOn(due)} where ${unchanged(due)} returning id`,
    )
    if (!taken) return
    // What was worked out with rights that have changed meanwhile is worked out anew.
    if (!isDeepStrictEqual(await ownerNow(tx, owner.userId), owner)) return giveBack(tx, due)
    const mailId = await queueMail(services, tx, {
      organizationId,
      address: owner.email,
      senderName,
      ...mail,
      headers: unsubscribe,
      attachments,
    })
    for (const { id, address } of await readersOf(tx, due.id)) {
      const reader = { ownerEmail: owner.email, url: readerUrl(services, id) }
      const mail = reportMail(services.env, { ...about, reader }, brand)
      const headers = readerHeaders(services, id)
      await queueMail(services, tx, { organizationId, address, senderName, ...mail, headers, attachments })
    }
    await rememberSent(tx, due.id, mailId)
    await noteSent(tx, due, content)
  })
}

async function giveBack(tx: Tx, { id, nextAt, tries }: DueSchedule): Promise<void> {
  await tx.execute(
    sql`update report_schedules set next_at = ${nextAt}, retry_at = now(), tries = ${tries - 1} where id = ${id}`,
  )
}

export function noteSent(
  tx: Tx,
  due: Pick<DueSchedule, 'id' | 'organizationId' | 'report' | 'ownerId'>,
  content: Content,
) {
  const { span } = content.scope.spans
  const files = content.attachments.map(({ name }) => name)
  return audit(tx, 'system', {
    organizationId: due.organizationId,
    action: 'report_schedule.sent',
    entity: 'report_schedule',
    entityId: due.id,
    after: { name: reportHeads[due.report].title, ownerId: due.ownerId, ...span, files },
  })
}

/** Where mail programs stop these mails in one click (RFC 8058), which has to be encrypted on its way. */
export function unsubscribeHeaders(services: Services, id: string): Record<string, string> {
  const origin = services.publicUrl()
  if (!origin.startsWith('https:')) return {}
  const token = services.keys.sign('report-schedule', id)
  return {
    'List-Unsubscribe': `<${origin}/api/report-schedules/${id}/unsubscribe?token=${token}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

/** Nothing may be sent: its owner sees why in their list. */
async function stop({ db }: Services, due: DueSchedule, reason: PauseReason): Promise<void> {
  await db.as('system', async (tx) => {
    const found = await hasRow(tx, sql`select 1 from report_schedules where ${unchanged(due)} for update`)
    if (!found) return
    await pauseSchedule(tx, due.id, reason)
    const { organizationId, ownerId } = due
    const after = { name: reportHeads[due.report].title, ownerId, pauseReason: reason }
    const about = { organizationId, entity: 'report_schedule', entityId: due.id }
    await audit(tx, 'system', { ...about, action: 'report_schedule.paused', after })
  })
}

async function fail({ db, log }: Services, due: DueSchedule, error: unknown): Promise<void> {
  log.error(
    { err: error, schedule: due.id, tries: due.tries },
    'a report to be mailed could not be worked out',
  )
  const wait = waitMinutes[due.tries - 1]
  const later = wait === undefined ? movedOn(due) : sql`retry_at = now() + make_interval(mins => ${wait})`
  await db.as('system', (tx) =>
    tx.execute(sql`update report_schedules set fault_at = now(), ${later} where ${unchanged(due)}`),
  )
}

/** Sends what is due longest. False: nothing is. */
async function sendNext(services: Services): Promise<boolean> {
  const { db } = services
  const due = await db.as('system', claim)
  if (!due) return false
  await eachApart(listIn(db), [due], () => sendOne(services, due))
  return true
}

/** What cannot be worked out is noted at its schedule; where that cannot be, for its rhythm is odd, it is set aside. */
async function sendOne(services: Services, due: DueSchedule): Promise<void> {
  const { db, log } = services
  try {
    if (due.tries > waitMinutes.length + 1)
      throw new Error('the server ended while working it out, again and again')
    const { slot, missed } = lastDue(due, new Date(due.nextAt), new Date())
    const owner = await db.as('system', (tx) => ownerNow(tx, due.ownerId))
    const content = await contentOf({ db, log, owner }, due, rangeOf(due.period, slot, due.timeZone))
    if (typeof content === 'string') await stop(services, due, content)
    else if (owner) await deliver(services, { due, owner, content, missed })
  } catch (error) {
    await fail(services, due, error)
  }
}

/** Where an organization has moved to another time zone, the same hour is another moment. What is overdue is sent first. */
async function followZones({ db }: Services): Promise<void> {
  const moved = await rows(
    db.single,
    DueSchedule,
    sql`select ${columns} from report_schedules s where s.state = 'active' and s.next_at > now() and s.time_zone <> ${zoneNow}
      and ${isFree('report_schedules', sql`s.id::text`)} limit 500`,
  )
  await eachApart(listIn(db), moved, (due) =>
    db.single.execute(sql`update report_schedules set ${movedOn(due)} where ${unchanged(due)}`),
  )
}

const listIn = (db: Database) =>
  ({
    db,
    loop: 'report_schedules',
    nameOf: ({ id, organizationId }: DueSchedule) => ({ item: id, organizationId }),
  }) as const

/** Below the time after which the queue thinks that the handler is dead. */
const runMs = 480_000

/** Sends the reports that are due, once a minute; one after the other, so that they are in nobody's way. */
export async function startReportMails(services: Services): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()
  await services.jobs.work('reports.send', async (_data, signal) => {
    const until = AbortSignal.any([signal, stopping.signal, AbortSignal.timeout(runMs)])
    running = sendDueReports(services, until)
    await running
  })
  await services.jobs.schedule('reports.send', '* * * * *', {})
  return {
    async stop() {
      stopping.abort()
      await Promise.allSettled([running])
    },
  }
}

export async function sendDueReports(services: Services, until: AbortSignal): Promise<void> {
  const log = (error: unknown) => {
    if (outageOf(error)) throw error
    for (const one of failuresIn(error))
      services.log.error({ err: one }, 'a report to be mailed could not be planned; it is tried again')
    return true
  }
  await followZones(services).catch(log)
  while (!until.aborted && (await sendNext(services).catch(log)));
}
