import type { Erase } from '../../platform/erasing.ts'
import { fromRows, type Ending } from '../../platform/endings.ts'
import { plural } from '#contract/platform/text/format.ts'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { AuditAction } from '#contract/platform/audit-actions.ts'
import { reportHeads } from '#contract/reports/report-heads.ts'
import { addressStates, mostAsked, ReportReader, reportNames } from '#contract/reports/report-schedules.ts'
import { arrayOf, row, rows, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { queueMail } from '../../platform/jobs/mail.ts'
import { reportAskLimits, takeTry } from '../../identity/limit.ts'
import { takeNamed } from '../../identity/mail-limits.ts'
import { senderOfMails } from '../../identity/mail-brand.ts'
import { askMail, type Ask } from './mail.ts'

const Address = z.object({ id: z.string(), address: z.string() })
export type Address = z.infer<typeof Address>

/** By which a reader shows that the mail came to them. */
const tokenOf = ({ keys }: Pick<Services, 'keys'>, id: string) => keys.sign('report-address', id)

/** Behind the hash, which no server and no log gets to see. */
export const readerUrl = (services: Pick<Services, 'keys' | 'publicUrl'>, id: string) =>
  `${services.publicUrl()}/auth-1/report-mails#${id}.${tokenOf(services, id)}`

export function readerHeaders(services: Services, id: string): Record<string, string> {
  const origin = services.publicUrl()
  if (!origin.startsWith('https:')) return {}
  return {
    'List-Unsubscribe': `<${origin}/api/report-addresses/${id}/end?token=${tokenOf(services, id)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

type ScheduleAddresses = { schedule: Ask['schedule'] & { id: string }; addresses: readonly string[] }

/** Those that are new are asked by a mail. Who has refused stays refused, however often the address is written again. */
export async function saveAddresses(
  services: Services,
  { tx, caller }: { tx: Tx; caller: Caller },
  { schedule, addresses }: ScheduleAddresses,
): Promise<void> {
  const wanted = arrayOf(
    [...new Set(addresses)].filter((one) => one !== caller.email.toLowerCase()),
    'text',
  )
  await tx.execute(
    sql`delete from report_addresses a where a.schedule_id = ${schedule.id} and a.state <> 'ended' and a.address <> all(${wanted})`,
  )
  const added = await rows(
    tx,
    Address,
    sql`insert into report_addresses (schedule_id, organization_id, owner_id, address)
      select s.id, s.organization_id, s.owner_id, w.address from report_schedules s, unnest(${wanted}) as w(address)
      where s.id = ${schedule.id} and s.owner_id = ${caller.userId}
      on conflict (schedule_id, address) do nothing returning id, address`,
  )
  if (added.length === 0) return
  const { brand, senderName } = await senderOfMails(tx, services, caller.organizationId)
  const limits = reportAskLimits(services.keys, { userId: caller.userId, most: mostAsked })
  for (const _one of added) await takeTry(tx, limits)
  await takeNamed(tx, { keys: services.keys, emails: added.map(({ address }) => address) })
  for (const { id, address } of added) {
    const mail = askMail(services.env, { by: caller, schedule, url: readerUrl(services, id) }, brand)
    await queueMail(services, tx, { organizationId: caller.organizationId, address, senderName, ...mail })
  }
}

/** To whom one that is due goes, beside its owner. */
export function readersOf(tx: Tx, scheduleId: string): Promise<Address[]> {
  return rows(
    tx,
    Address,
    sql`select a.id, a.address from report_addresses a where a.schedule_id = ${scheduleId} and a.state = 'confirmed' order by a.id`,
  )
}

const Found = z.object({
  state: z.enum(addressStates),
  report: z.enum(reportNames),
  organizationName: z.nullable(z.string()),
  ownerName: z.string(),
  ownerEmail: z.string(),
  address: z.string(),
})

/** What its reader is asked; refuses where the schedule is gone, or the address was taken out of it. */
export async function readReader(tx: Tx, id: string): Promise<z.infer<typeof ReportReader>> {
  const found = await row(
    tx,
    Found,
    sql`select a.state, s.report, o.name as "organizationName", u.name as "ownerName", u.email as "ownerEmail", a.address
      from report_addresses a join report_schedules s on s.id = a.schedule_id join users u on u.id = a.owner_id and u.deleted_at is null
        left join organizations o on o.id = s.organization_id where a.id = ${id}`,
  )
  if (!found) throw refuse('link_expired')
  const { report, ...rest } = found
  return { title: reportHeads[report].title, ...rest }
}

type Decision = { id: string; state: 'confirmed' | 'ended'; request: FastifyRequest }
const actions: Record<Decision['state'], AuditAction> = {
  confirmed: 'report_schedule.address_confirmed',
  ended: 'report_schedule.address_ended',
}
const Decided = z.object({
  scheduleId: z.string(),
  organizationId: z.nullable(z.string()),
  report: z.enum(reportNames),
  ownerId: z.string(),
})

/** By whoever holds the link of the mail. The log says which row of the schedule it was, and not the address. */
export async function decideAddress(tx: Tx, { id, state, request }: Decision): Promise<void> {
  const found = await row(
    tx,
    Decided,
    sql`update report_addresses a set state = ${state}, decided_at = now() from report_schedules s
      where a.id = ${id} and s.id = a.schedule_id and a.state <> ${state}
      returning s.id as "scheduleId", s.organization_id as "organizationId", s.report, s.owner_id as "ownerId"`,
  )
  if (!found) return
  const { scheduleId, organizationId, report, ownerId } = found
  const about = { organizationId, entity: 'report_schedule', entityId: scheduleId }
  const after = { name: reportHeads[report].title, ownerId, addressId: id }
  await audit(tx, { caller: undefined, request }, { ...about, action: actions[state], after })
}

/** As lists show them. */
export const addressesOf = (scheduleId: SQL): SQL =>
  sql`coalesce((select jsonb_agg(jsonb_build_object('address', a.address, 'state', a.state) order by a.id)
    from report_addresses a where a.schedule_id = ${scheduleId}), '[]')`

/** Addresses are confirmed, and reports stopped, by links that follow from the secret. */
export const endingsOfSchedules: readonly Ending[] = [
  {
    name: 'reportAddresses',
    count: fromRows(sql`report_addresses where state = 'waiting'`),
    says: (n) =>
      `${plural(n, 'address', 'addresses')} of scheduled reports that nobody has confirmed yet: enter them again.`,
    ends: [sql`delete from report_addresses where state = 'waiting'`],
  },
  {
    name: 'reportLinks',
    count: fromRows(sql`report_schedules`),
    says: (n) =>
      `Links for stopping report mails of ${plural(n, 'schedule', 'schedules')}, in mails that were sent before; the next mail has a new one.`,
  },
]

export const eraseReportAddresses: Erase = ({ known }) => [
  sql`delete from report_addresses a using ${known} where a.address = k.email and a.created_at <= k.until
    and (a.organization_id is null or a.organization_id is not distinct from k."organizationId")`,
]
