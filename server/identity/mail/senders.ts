import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { dkimStates, dmarcStates, spfStates } from '#contract/identity/mail-signing.ts'
import type { SenderOfOrganization } from '#contract/identity/senders.ts'
import { eachApart, isFree } from '../../platform/aside.ts'
import { asSystem, requireRow, row, rows, type Scope, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import { requireUnchanged } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { currentMailServer, senderOf } from '../../platform/jobs/mail-server.ts'
import { dkimOf, dkimRecord, dmarcOf, dmarcRecord, dnsOf, domainOf, spfOf, spfRecord } from './dns.ts'
import { mailCode, tryCode } from './sender-code.ts'
import { signingKey } from './signing.ts'

const SenderRow = z.object({
  address: z.string(),
  isVerified: z.boolean(),
  codeUntil: z.nullable(z.string()),
  spf: z.nullable(z.enum(spfStates)),
  dkim: z.nullable(z.enum(dkimStates)),
  dmarc: z.nullable(z.enum(dmarcStates)),
  checkedAt: z.nullable(z.string()),
  updatedAt: z.string(),
})
type SenderRow = z.infer<typeof SenderRow>

const ofOrganization = (orgId: string) => sql`select address, verified_at is not null as "isVerified",
    case when code_until > now() and tries_left > 0 then ${isoText(sql`code_until`)} end as "codeUntil",
    spf, dkim, dmarc, ${isoText(sql`checked_at`)} as "checkedAt", ${isoText(sql`updated_at`)} as "updatedAt"
  from mail_senders where organization_id = ${orgId}`

/** What belongs into the DNS of the domain of an address: that of a signature is null while nothing is signed. */
async function recordsFor(tx: Tx, services: Services, address: string) {
  const domain = domainOf(address)
  const { host, key } = await asSystem(tx, async () => ({
    host: (await currentMailServer(tx, services))?.options.host ?? '',
    key: await signingKey(tx),
  }))
  return {
    domain,
    spf: spfRecord(domain, host),
    dkim: key?.isOn ? dkimRecord(domain, key) : null,
    dmarc: dmarcRecord(domain),
  }
}

export async function senderSettings(
  tx: Tx,
  services: Services,
  orgId: string,
): Promise<SenderOfOrganization> {
  const found = await row(tx, SenderRow, ofOrganization(orgId))
  const usual = await senderOf(tx, services)
  if (!found) return { sender: null, usual, updatedAt: new Date(0).toISOString() }
  const { updatedAt, spf, dkim, dmarc, ...sender } = found
  const records = await recordsFor(tx, services, sender.address)
  return {
    sender: {
      ...sender,
      spf: { state: spf, record: records.spf },
      dkim: { state: records.dkim && dkim, record: records.dkim },
      dmarc: { state: dmarc, record: records.dmarc },
    },
    usual,
    updatedAt,
  }
}

type AuditedRequester = Exclude<Actor, 'system'> & { request: FastifyRequest }
type SenderChange = { services: Services; orgId: string; by: AuditedRequester }

const entryOf = (orgId: string) => ({ organizationId: orgId, entity: 'sender', entityId: null })

/** Of two at once the second waits, and is then told what the first has changed. */
async function lockForChange(tx: Tx, { orgId, by }: SenderChange): Promise<SenderRow | undefined> {
  await tx.execute(sql`select from organizations where id = ${orgId} for no key update`)
  const before = await row(tx, SenderRow, ofOrganization(orgId))
  requireUnchanged(by.request, new Date(before?.updatedAt ?? 0))
  return before
}

/** An address that is known already stays as it is, with whatever was proved of it. */
export async function setSender(
  tx: Tx,
  { address, ...change }: SenderChange & { address: string },
): Promise<SenderOfOrganization> {
  const { services, orgId, by } = change
  const before = await lockForChange(tx, change)
  if (before?.address !== address) {
    await tx.execute(sql`insert into mail_senders (organization_id, address) values (${orgId}, ${address})
      on conflict (organization_id) do update set address = excluded.address, verified_at = null, code_hash = null, code_until = null,
        tries_left = 0, spf = null, dkim = null, dmarc = null, checked_at = null, updated_at = now()`)
    await audit(tx, by, {
      ...entryOf(orgId),
      action: 'sender.set',
      ...(before ? { before: { address: before.address } } : {}),
      after: { address },
    })
    await mailCode(tx, services, { orgId, address })
  }
  return senderSettings(tx, services, orgId)
}

export async function forgetSender(tx: Tx, change: SenderChange): Promise<SenderOfOrganization> {
  const { services, orgId, by } = change
  const before = await lockForChange(tx, change)
  if (before) {
    await tx.execute(sql`delete from mail_senders where organization_id = ${orgId}`)
    await audit(tx, by, {
      ...entryOf(orgId),
      action: 'sender.removed',
      before: { address: before.address },
    })
  }
  return senderSettings(tx, services, orgId)
}

export async function mailCodeAgain(
  tx: Tx,
  { services, orgId, by }: SenderChange,
): Promise<SenderOfOrganization> {
  const { address, isVerified } = await requireRow(tx, SenderRow, ofOrganization(orgId))
  if (!isVerified) {
    await mailCode(tx, services, { orgId, address })
    await audit(tx, by, { ...entryOf(orgId), action: 'sender.code_sent', after: { address } })
  }
  return senderSettings(tx, services, orgId)
}

/** A wrong code costs a try, which stays spent although the answer is a refusal. */
export async function verify(
  { services, orgId, by }: SenderChange,
  scope: Scope,
  code: string,
): Promise<SenderOfOrganization> {
  const { tried, settings } = await services.db.as(scope, async (tx) => {
    const found = await tryCode(tx, services, { orgId, code })
    if (found?.isRight)
      await audit(tx, by, {
        ...entryOf(orgId),
        action: 'sender.verified',
        after: { address: found.address },
      })
    return { tried: found, settings: await senderSettings(tx, services, orgId) }
  })
  if (!tried) throw refuse('flow_expired')
  if (!tried.isRight) throw refuse('invalid_code')
  return settings
}

/** What the DNS says now of the domain of an address; null: it does not answer, or there is nothing to ask for. */
async function askedOf(services: Services, scope: Scope, orgId: string) {
  const { address, domain, dkim } = await services.db.as(scope, async (tx) => {
    const found = await requireRow(tx, SenderRow, ofOrganization(orgId))
    return { address: found.address, ...(await recordsFor(tx, services, found.address)) }
  })
  const dns = dnsOf(services.env)
  const [spf, signature, dmarc] = await Promise.allSettled([
    spfOf(dns, domain),
    dkim && dkimOf(dns, dkim),
    dmarcOf(dns, domain),
  ])
  const states = {
    spf: spf.status === 'fulfilled' ? spf.value.state : null,
    dkim: signature.status === 'fulfilled' ? signature.value : null,
    dmarc: dmarc.status === 'fulfilled' ? dmarc.value : null,
  }
  return { address, states, isWhole: [spf, signature, dmarc].every(({ status }) => status === 'fulfilled') }
}

type SenderRecords = Awaited<ReturnType<typeof askedOf>>

/** Unless it is another address by now. */
const noteStates = (tx: Tx, orgId: string, { address, states: { spf, dkim, dmarc } }: SenderRecords) =>
  tx.execute(sql`update mail_senders set spf = ${spf}, dkim = ${dkim}, dmarc = ${dmarc}, checked_at = now()
    where organization_id = ${orgId} and address = ${address}`)

/** What the DNS does not answer is not known then, whatever it was before. */
export async function check(
  { services, orgId, by }: SenderChange,
  scope: Scope,
): Promise<SenderOfOrganization> {
  const asked = await askedOf(services, scope, orgId)
  return services.db.as(scope, async (tx) => {
    await noteStates(tx, orgId, asked)
    const { address, states } = asked
    await audit(tx, by, { ...entryOf(orgId), action: 'sender.checked', after: { address, ...states } })
    return senderSettings(tx, services, orgId)
  })
}

const DueSender = z.object({ orgId: z.string() })
const mostAtOnce = 20

/** Once a day: where a record was taken away since, mails are signed for the installation again, and receivers find them right. */
export async function checkSendersAnew(services: Services): Promise<void> {
  const due = await services.db.as('system', (tx) =>
    rows(
      tx,
      DueSender,
      sql`select organization_id as "orgId" from mail_senders where verified_at is not null and checked_at < now() - interval '1 day'
          and ${isFree('senders', sql`organization_id::text`)}
        order by checked_at limit ${mostAtOnce}`,
    ),
  )
  const nameOf = ({ orgId }: z.infer<typeof DueSender>) => ({ item: orgId, organizationId: orgId })
  await eachApart({ db: services.db, loop: 'senders', nameOf }, due, async ({ orgId }) => {
    const asked = await askedOf(services, 'system', orgId)
    // A DNS that does not answer takes nothing back; it is asked again in an hour.
    if (asked.isWhole) await services.db.as('system', (tx) => noteStates(tx, orgId, asked))
  })
}

const Writer = z.object({ address: z.string(), isVerified: z.boolean() })

/** The address of its own from which an organization writes; undefined: it writes from the installation's. */
export const ownSender = (tx: Tx, organizationId: string) =>
  row(
    tx,
    Writer,
    sql`select address, verified_at is not null as "isVerified" from mail_senders where organization_id = ${organizationId}`,
  )
