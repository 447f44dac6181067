import type { FastifyInstance } from 'fastify'
import type { AuditAction } from '#contract/platform/audit-actions.ts'
import { reportHeads } from '#contract/reports/report-heads.ts'
import * as schedules from '#contract/reports/report-schedules.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { CallContext, Caller } from '../../platform/http/bearer.ts'
import { mountOn, requireUnchanged, type Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { takeTry, reportMailLimits } from '../../identity/limit.ts'
import { queueMail } from '../../platform/jobs/mail.ts'
import { scopeOf } from '../scope.ts'
import { senderOfMails } from '../../identity/mail-brand.ts'
import * as readers from './addresses.ts'
import { contentOf, queryOf } from './content.ts'
import { reportMail } from './mail.ts'
import { ownerNow } from './owner.ts'
import * as queries from './queries.ts'
import { nextAfter, rangeOf } from './rhythm.ts'
import { noteSent, unsubscribeHeaders } from './send.ts'

const settings = ['period', 'rhythm', 'weekday', 'monthDay', 'hour', 'formats', 'pauseReason'] as const

/** The settings of a schedule, as the log keeps them. */
function noted({ report, ownerId, addresses, ...schedule }: queries.StoredSchedule) {
  return {
    name: reportHeads[report].title,
    ownerId,
    // How many: what somebody's address is stands in no log.
    addresses: addresses.length,
    ...Object.fromEntries(settings.map((name) => [name, schedule[name]])),
  }
}

type ScheduleChange = { before?: queries.StoredSchedule; after?: queries.StoredSchedule }

function note(
  { tx, caller, request }: CallContext,
  action: AuditAction,
  { before, after }: ScheduleChange,
): Promise<void> {
  const { id: entityId = null, organizationId = null } = after ?? before ?? {}
  const sides = { ...(before ? { before: noted(before) } : {}), ...(after ? { after: noted(after) } : {}) }
  return audit(
    tx,
    { caller, request },
    { organizationId, action, entity: 'report_schedule', entityId, ...sides },
  )
}

export function reportSchedulesRoutes(app: FastifyInstance, mount: Mount, services: Services): void {
  const addressed = async (by: CallContext, id: string, addresses: readonly string[] | undefined) => {
    const schedule = await queries.findSchedule(by.tx, by.caller, { id })
    if (!addresses) return schedule
    await readers.saveAddresses(services, by, { schedule, addresses })
    return queries.findSchedule(by.tx, by.caller, { id })
  }

  mount(schedules.listReportSchedules, ({ tx, caller, query, request }) =>
    queries.schedulesPage(tx, caller, { query, request }),
  )

  mount(schedules.planReportSchedule, async ({ tx, caller, query }) => {
    const organizationId = caller.organizationId ?? query.organizationId ?? null
    if (query.organizationId !== undefined && query.organizationId !== organizationId)
      throw refuse('not_found')
    const { timeZone, organizationName } = await queries.zoneOf(tx, organizationId)
    const at = nextAfter({ ...query, timeZone }, new Date())
    return { organizationName, timeZone, at: at.toISOString(), range: rangeOf(query.period, at, timeZone) }
  })

  mount(schedules.readReportSchedule, async ({ tx, caller, params }) =>
    queries.toSchedule(await queries.findSchedule(tx, caller, { id: params.scheduleId })),
  )

  mount(schedules.createReportSchedule, async ({ body, ...by }) => {
    const { tx, caller } = by
    if (!schedules.mayRead(body.report, caller.role)) throw refuse('forbidden')
    const query = queryOf(body.report, body.view, rangeOf(body.period, new Date(), 'UTC'))
    const { organization } = await scopeOf(tx, caller, query)
    const input = { ...body, organizationId: organization?.id ?? null }
    const { id } = await queries.insertSchedule(tx, caller, input)
    const after = await addressed(by, id, body.addresses)
    await note(by, 'report_schedule.created', { after })
    return queries.toSchedule(after)
  })

  mount(schedules.updateReportSchedule, async ({ params, body, ...by }) => {
    const { tx, caller, request } = by
    const before = await queries.findSchedule(tx, caller, { id: params.scheduleId, own: true, lock: true })
    requireUnchanged(request, new Date(before.updatedAt))
    await queries.changeSchedule(tx, caller, { before, input: body })
    const after = await addressed(by, before.id, body.addresses)
    await note(by, 'report_schedule.changed', { before, after })
    return queries.toSchedule(after)
  })

  mount(schedules.deleteReportSchedule, async ({ params, ...by }) => {
    const before = await queries.findSchedule(by.tx, by.caller, {
      id: params.scheduleId,
      own: true,
      lock: true,
    })
    await queries.removeSchedule(by.tx, before.id)
    await note(by, 'report_schedule.removed', { before })
    return {}
  })

  mount(schedules.pauseReportSchedule, async ({ params, ...by }) => {
    const { tx, caller } = by
    const before = await queries.findSchedule(tx, caller, { id: params.scheduleId, lock: true })
    if (before.pauseReason !== null) return queries.toSchedule(before)
    await queries.pauseSchedule(tx, before.id, before.own ? 'by_owner' : 'by_admin')
    const after = await queries.findSchedule(tx, caller, { id: before.id })
    await note(by, 'report_schedule.paused', { before, after })
    return queries.toSchedule(after)
  })

  mount(schedules.resumeReportSchedule, async ({ params, ...by }) => {
    const { tx, caller } = by
    const before = await queries.findSchedule(tx, caller, { id: params.scheduleId, lock: true })
    if (before.pauseReason === null) return queries.toSchedule(before)
    // What an administrator has stopped is theirs to let go on, and nothing else of other people.
    const isAdmins = before.pauseReason === 'by_admin'
    if (before.own ? isAdmins && caller.role === 'groupadmin' : !isAdmins) throw refuse('forbidden')
    await queries.resumeSchedule(tx, before)
    const after = await queries.findSchedule(tx, caller, { id: before.id })
    await note(by, 'report_schedule.resumed', { before, after })
    return queries.toSchedule(after)
  })

  mount(schedules.sendReportSchedule, ({ params, caller, scope }) =>
    sendNow(services, { id: params.scheduleId, caller, scope }),
  )

  const check = (id: string, token: string) => {
    if (!services.keys.verify('report-address', id, token)) throw refuse('link_expired')
  }

  mount(schedules.readReportReader, ({ params, query }) => {
    check(params.addressId, query.token)
    return services.db.as('system', (tx) => readers.readReader(tx, params.addressId))
  })

  mount(schedules.confirmReportAddress, ({ params, body, request }) => {
    const id = params.addressId
    check(id, body.token)
    return services.db.as('system', async (tx) => {
      await readers.decideAddress(tx, { id, state: 'confirmed', request })
      return readers.readReader(tx, id)
    })
  })

  stopByMail(app, services)
}

type Now = { id: string; caller: Caller; scope: Parameters<Services['db']['as']>[0] }

/** To its owner alone, over the days that are over now; what comes by itself comes nevertheless. */
async function sendNow(services: Services, { id, caller, scope }: Now) {
  const { db, env, keys, log } = services
  const schedule = await db.as(scope, async (tx) => {
    const found = await queries.findSchedule(tx, caller, { id, own: true })
    await takeTry(tx, reportMailLimits(keys, { userId: caller.userId, most: schedules.mostSentNow }))
    return found
  })
  const range = rangeOf(schedule.period, new Date(), schedule.timeZone)
  const owner = await db.as('system', (tx) => ownerNow(tx, caller.userId))
  const { brand, senderName } = await db.as('system', (tx) =>
    senderOfMails(tx, services, owner?.organizationId ?? null),
  )
  const content = await contentOf({ db, log, owner }, schedule, range)
  if (typeof content === 'string' || !owner) throw refuse('not_found')
  const publicUrl = services.publicUrl()
  const about = { name: owner.name, publicUrl, schedule, content, missed: 0, isExtra: true }
  const mail = reportMail(env, about, brand)
  await db.as(scope, async (tx) => {
    const { attachments } = content
    const headers = unsubscribeHeaders(services, id)
    const to = { organizationId: owner.organizationId, address: owner.email, senderName }
    const mailId = await queueMail(services, tx, { ...to, ...mail, headers, attachments })
    await queries.rememberSent(tx, id, mailId)
    await noteSent(tx, { ...schedule, ownerId: caller.userId }, content)
  })
  return { range }
}

/** Mail programs send a form, which nothing else here takes. */
function stopByMail(app: FastifyInstance, services: Services): void {
  void app.register(async (scoped) => {
    const form = { parseAs: 'string' as const }
    scoped.addContentTypeParser('application/x-www-form-urlencoded', form, (_request, _body, done) =>
      done(null, {}),
    )
    scoped.addContentTypeParser('multipart/form-data', form, (_request, _body, done) => done(null, {}))
    mountOn(scoped, services)(schedules.unsubscribeReport, async ({ params, query, request }) => {
      const id = params.scheduleId
      if (!services.keys.verify('report-schedule', id, query.token)) throw refuse('link_expired')
      await services.db.as('system', (tx) => queries.unsubscribe(tx, id, request))
      return {}
    })
    mountOn(scoped, services)(schedules.endReportAddress, async ({ params, query, request }) => {
      const id = params.addressId
      if (!services.keys.verify('report-address', id, query.token)) throw refuse('link_expired')
      await services.db.as('system', (tx) => readers.decideAddress(tx, { id, state: 'ended', request }))
      return {}
    })
  })
}
