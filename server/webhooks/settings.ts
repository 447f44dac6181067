import type { SealedColumn } from '../platform/sealed.ts'
import { fromRows, type Ending } from '../platform/endings.ts'
import { plural } from '#contract/platform/text/format.ts'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { webhookFaults, type WebhookOfOrganization } from '#contract/transmissions/webhooks.ts'
import { requireRow, row, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import { requireUnchanged } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import type { Keys } from '../platform/keys.ts'
import type { Target } from './post.ts'
import { isRefusedAtOnce, placeOf } from '../platform/reach.ts'
import { newSecret } from './signature.ts'

export const webhookPurpose = 'webhook'
/** Condition: what is posted is signed with the secret before as well. */
export const hasPrevious = sql`previous_until > now()`

const WebhookRow = z.object({
  url: z.string(),
  failingSince: z.nullable(z.string()),
  fault: z.nullable(z.enum(webhookFaults)),
  previousUntil: z.nullable(z.string()),
  updatedAt: z.string(),
})
type WebhookRow = z.infer<typeof WebhookRow>

const ofOrganization = (
  orgId: string,
) => sql`select url, ${isoText(sql`failing_since`)} as "failingSince", fault,
    ${isoText(sql`case when ${hasPrevious} then previous_until end`)} as "previousUntil", ${isoText(sql`updated_at`)} as "updatedAt"
  from webhooks where organization_id = ${orgId}`

export async function webhookSettings(tx: Tx, orgId: string): Promise<WebhookOfOrganization> {
  const found = await row(tx, WebhookRow, ofOrganization(orgId))
  if (!found) return { webhook: null, updatedAt: new Date(0).toISOString() }
  const { updatedAt, ...webhook } = found
  return { webhook, updatedAt }
}

type AuditedRequester = Exclude<Actor, 'system'> & { request: FastifyRequest }
export type WebhookChange = { services: Services; orgId: string; by: AuditedRequester }
type WebhookWithSecret = WebhookOfOrganization & { secret: string | null }

const entryOf = (orgId: string) => ({ organizationId: orgId, entity: 'webhook', entityId: null })
/** A path may hold a secret of whoever runs the address, and the audit is for ever. */
export const hostOf = (url: string) => new URL(url).host

/** Of two at once the second waits, and is then told what the first has changed. */
async function lockForChange(tx: Tx, { orgId, by }: WebhookChange): Promise<WebhookRow | undefined> {
  await tx.execute(sql`select from organizations where id = ${orgId} for no key update`)
  const before = await row(tx, WebhookRow, ofOrganization(orgId))
  requireUnchanged(by.request, new Date(before?.updatedAt ?? 0))
  return before
}

/** The address as it is kept. Refuses what is not https, and what can be seen at once to lead into a network of this house. */
export function addressIn({ env }: Pick<Services, 'env'>, url: string): URL {
  const to = URL.parse(url)
  if (to?.protocol !== 'https:') throw refuse('validation_failed', { fields: { url: ['invalid_https'] } })
  if (isRefusedAtOnce(placeOf(env, to)))
    throw refuse('validation_failed', { fields: { url: ['not_reachable'] } })
  return to
}

/** The secret stays with another address; the first one makes it. */
export async function setWebhook(
  tx: Tx,
  { url, ...change }: WebhookChange & { url: string },
): Promise<WebhookWithSecret> {
  const { services, orgId, by } = change
  const to = addressIn(services, url)
  const before = await lockForChange(tx, change)
  const secret = before ? null : newSecret()
  if (secret === null)
    await tx.execute(sql`update webhooks set url = ${to.href}, failures = 0, failing_since = null, fault = null, rests_until = null,
      updated_at = now() where organization_id = ${orgId}`)
  else
    await tx.execute(sql`insert into webhooks (organization_id, url, secret_sealed)
      values (${orgId}, ${to.href}, ${services.keys.seal(webhookPurpose, secret, orgId)})`)
  await audit(tx, by, {
    ...entryOf(orgId),
    action: 'webhook.set',
    ...(before ? { before: { host: hostOf(before.url) } } : {}),
    after: { host: to.host },
  })
  return { ...(await webhookSettings(tx, orgId)), secret }
}

export async function forgetWebhook(tx: Tx, change: WebhookChange): Promise<WebhookOfOrganization> {
  const { orgId, by } = change
  const before = await lockForChange(tx, change)
  if (before) {
    await tx.execute(sql`delete from webhooks where organization_id = ${orgId}`)
    await audit(tx, by, {
      ...entryOf(orgId),
      action: 'webhook.removed',
      before: { host: hostOf(before.url) },
    })
  }
  return webhookSettings(tx, orgId)
}

export async function replaceSecret(
  tx: Tx,
  { services, orgId, by }: WebhookChange,
): Promise<WebhookWithSecret> {
  const secret = newSecret()
  const { url } = await requireRow(
    tx,
    z.object({ url: z.string() }),
    sql`update webhooks set previous_sealed = secret_sealed, previous_until = now() + interval '1 day',
        secret_sealed = ${services.keys.seal(webhookPurpose, secret, orgId)}, updated_at = now()
      where organization_id = ${orgId} returning url`,
  )
  await audit(tx, by, {
    ...entryOf(orgId),
    action: 'webhook.secret_replaced',
    after: { host: hostOf(url) },
  })
  return { ...(await webhookSettings(tx, orgId)), secret }
}

/** An address with its secrets as they lie in the database; `owner`: as whose they were sealed. */
export const SealedTarget = z.object({
  url: z.string(),
  owner: z.string(),
  present: z.instanceof(Buffer),
  previous: z.nullable(z.instanceof(Buffer)),
})
type SealedTarget = z.infer<typeof SealedTarget>
/** What a table of addresses has of it. */
export const sealedTarget = sql`url, secret_sealed as present, case when ${hasPrevious} then previous_sealed end as previous`

/** Null where another secret of the installation has sealed it, which is gone. */
function opened(keys: Keys, sealed: Buffer, owner: string): string | null {
  try {
    return keys.open(webhookPurpose, sealed, owner)
  } catch {
    return null
  }
}

/** Without a secret where all of them were sealed by a secret of the installation that is gone. */
export function openTarget(keys: Keys, { url, owner, present, previous }: SealedTarget): Target {
  const secrets = [present, ...(previous ? [previous] : [])].map((one) => opened(keys, one, owner))
  return { url, secrets: secrets.filter((one) => one !== null) }
}

/** Where the messages of an organization go, and with what they are signed; undefined: nowhere. */
export async function targetOf(tx: Tx, keys: Keys, orgId: string): Promise<Target | undefined> {
  const found = await row(
    tx,
    SealedTarget,
    sql`select ${sealedTarget}, organization_id as owner from webhooks where organization_id = ${orgId}`,
  )
  return found && openTarget(keys, found)
}

/** Messages for SMS and chat are signed with a secret that is sealed. */
export const endingsOfWebhooks: readonly Ending[] = [
  {
    name: 'webhooks',
    count: fromRows(sql`webhooks`),
    says: (n) =>
      `${plural(n, 'organization cannot', 'organizations cannot')} have messages posted for SMS and chat until another secret is made in their settings.`,
    ends: [
      sql`update webhooks set previous_until = null, previous_sealed = null, fault = 'secret_lost', failing_since = now(), updated_at = now()`,
    ],
  },
]

/** The sealed columns of a table of addresses. */
export const sealedSecretsOf = (table: string, owner: SQL): SealedColumn[] =>
  ['secret_sealed', 'previous_sealed'].map((column) => ({ table, column, purpose: webhookPurpose, owner }))

export const sealedWebhooks = sealedSecretsOf('webhooks', sql`organization_id::text`)
