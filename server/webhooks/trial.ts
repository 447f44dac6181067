import type { Reply } from '#contract/endpoint.ts'
import type { testWebhook } from '#contract/transmissions/webhooks.ts'
import { takeTry, testWebhookLimits } from '../identity/limit.ts'
import type { Scope } from '../platform/db/client.ts'
import { refuse } from '../platform/errors.ts'
import { audit } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { bodyOf } from './body.ts'
import { post } from './post.ts'
import { targetOf, type WebhookChange } from './settings.ts'

/** A message of nobody's, past the queue: what comes back is told at once. */
export async function tryWebhook(
  { services, orgId, by }: WebhookChange & { by: { caller: Caller } },
  scope: Scope,
): Promise<Reply<typeof testWebhook>> {
  const { db, keys, env } = services
  const target = await db.as(scope, (tx) => targetOf(tx, keys, orgId))
  if (!target) throw refuse('not_found')
  // Nobody has other machines knocked at from here.
  await db.as('system', (tx) => takeTry(tx, testWebhookLimits(keys, orgId)))
  const id = `test_${crypto.randomUUID()}`
  const { name, email, userId } = by.caller
  const body = bodyOf({
    type: 'message.test',
    deliveryId: id,
    organization: { id: orgId, name: '' },
    person: { id: userId, name, email, phone: null },
    subject: 'This is a test',
    text: `This is a test. It goes to nobody.\n${services.publicUrl()}`,
    link: services.publicUrl(),
  })
  const found = await post(env, { ...target, id, body }, async () => true)
  const { result = 'broken_off' as const, status = null, text = '' } = found ?? {}
  await db.as(scope, (tx) =>
    audit(tx, by, {
      organizationId: orgId,
      entity: 'webhook',
      entityId: null,
      action: 'webhook.tested',
      after: { host: new URL(target.url).host, result },
    }),
  )
  return { result, status, answer: status === null ? null : text }
}
