import type { Answered } from '#contract/transmissions/webhooks.ts'
import { takeTry, testWebhookLimits } from '../identity/limit.ts'
import type { Scope } from '../platform/db/client.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type Actor, type AuditEntry } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { bodyOf } from './body.ts'
import { post, type Target } from './post.ts'
import { hostOf, targetOf, type WebhookChange } from './settings.ts'

/** A message of nobody's, past the queue: what comes back is told at once. */
export async function tryWebhook(
  { services, orgId, by }: WebhookChange & { by: { caller: Caller } },
  scope: Scope,
): Promise<Answered> {
  const target = await services.db.as(scope, (tx) => targetOf(tx, services.keys, orgId))
  const id = newTestId()
  const { name, email, userId } = by.caller
  const body = bodyOf({
    type: 'message.test',
    deliveryId: id,
    organization: { id: orgId, name: '' },
    person: { id: userId, name, email, phone: null },
    subject: 'This is a test',
    text: `This is a test. It goes to nobody.\n${services.publicUrl()}`,
    link: services.publicUrl(),
    signIn: null,
  })
  const entry = { entity: 'webhook', entityId: null, action: 'webhook.tested' } as const
  return tryTarget({ services, orgId, by, scope }, { target, id, body, entry })
}

export const newTestId = () => `test_${crypto.randomUUID()}`

type Trying = Omit<WebhookChange, 'by'> & { by: Actor; scope: Scope }
type Trial = {
  /** Undefined: there is none. */
  target: Target | undefined
  id: string
  body: string
  entry: Pick<AuditEntry, 'entity' | 'entityId' | 'action'>
}

/** Posts a test once, writes down that it was, and tells what came back. An organization may have so many an hour. */
export async function tryTarget(
  { services: { db, keys, env }, orgId, by, scope }: Trying,
  { target, id, body, entry }: Trial,
): Promise<Answered> {
  if (!target) throw refuse('not_found')
  // Nobody has other machines knocked at from here.
  await db.as('system', (tx) => takeTry(tx, testWebhookLimits(keys, orgId)))
  const found = await post(env, { ...target, id, body }, async () => true)
  const { result = 'broken_off' as const, status = null, text = '' } = found ?? {}
  await db.as(scope, (tx) =>
    audit(tx, by, { organizationId: orgId, ...entry, after: { host: hostOf(target.url), result } }),
  )
  return { result, status, answer: status === null ? null : text }
}
