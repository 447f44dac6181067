import * as z from 'zod/mini'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Services } from '../../platform/http/services.ts'
import type { MailOutcome } from '../../platform/jobs/failures.ts'
import { bodyOf } from '../../webhooks/body.ts'
import { post, type Answer } from '../../webhooks/post.ts'
import { restWebhook, resumeWebhook, type WebhookRest } from '../../webhooks/rests.ts'
import { targetOf } from '../../webhooks/settings.ts'
import type { Carrier, Write } from './carrier.ts'
import type { Claimed } from '../ledger/claim.ts'
import type { Key } from '../ledger/states.ts'

const connections = 8

const Contact = z.object({
  deliveryId: z.string(),
  id: z.string(),
  email: z.string(),
  phone: z.nullable(z.string()),
  organization: z.string(),
})

const contactsOf = (tx: Tx, { id, organizationId }: Key, batch: Claimed[]) =>
  rows(
    tx,
    Contact,
    sql`select d.id as "deliveryId", u.id, u.email, u.phone, o.name as organization
      from deliveries d join users u on u.id = d.user_id join organizations o on o.id = d.organization_id
      where d.transmission_id = ${id} and d.organization_id = ${organizationId}
        and d.id = any(${arrayOf(
          batch.map((one) => one.id),
          'uuid',
        )})`,
  )

/**
 * Translates an answer. A message that did not leave is tried again, and that counts as no try; one that may have left is never sent a
 * second time by itself.
 */
function outcomeOf({ result, status, text, isHanded }: Answer): MailOutcome {
  const reply = status === null ? result : `HTTP ${status} ${text}`.trim()
  if (result === 'accepted') return { kind: 'accepted', reply }
  if (result === 'refused') return { kind: 'rejected', code: status, reply, address: false }
  if (status !== null) return { kind: 'deferred', code: status, reply, isLost: false }
  return isHanded ? { kind: 'unknown', reply: 'no_answer' } : { kind: 'unreachable', code: null, reply }
}

const answers = (outcome: MailOutcome) => outcome.kind === 'accepted' || outcome.kind === 'rejected'

/** Returns the carrier for the address that an organization has named for SMS and chat; undefined when it names none any more. */
export async function byWebhook(
  { db, keys, env }: Services,
  key: Key,
  { batch, write }: { batch: Claimed[]; write: Write },
): Promise<Carrier | undefined> {
  const { organizationId } = key
  const { target, contacts } = await db.as({ organizationId }, async (tx) => ({
    target: await targetOf(tx, keys, organizationId),
    contacts: await contactsOf(tx, key, batch),
  }))
  if (!target) return undefined
  const byDelivery = new Map(contacts.map((one) => [one.deliveryId, one]))
  let webhookPause: WebhookRest = { fault: 'broken_off', seconds: 0 }
  let answered = false

  function webhookBody(delivery: Claimed): string {
    const { id = '', email = '', phone = null, organization = '' } = byDelivery.get(delivery.id) ?? {}
    const { subject, text } = write.letter({ ...delivery, address: email })
    return bodyOf({
      type: 'message.send',
      deliveryId: delivery.id,
      organization: { id: organizationId, name: organization },
      person: { id, name: delivery.name, email, phone },
      subject,
      text,
      link: write.link(delivery),
      signIn: write.signIn(delivery),
    })
  }

  return {
    connections,
    async send(delivery, mayLeave) {
      const message = { ...target, id: delivery.id, body: webhookBody(delivery) }
      const answer = await post(env, message, mayLeave)
      if (!answer) return { kind: 'withheld' }
      const { result, restSeconds: seconds = 0 } = answer
      if (result !== 'accepted' && result !== 'refused') webhookPause = { fault: result, seconds }
      return outcomeOf(answer)
    },
    isBarred: (outcome) => !answers(outcome),
    async note(outcome) {
      if (!answers(outcome)) return restWebhook(db, organizationId, webhookPause)
      if (answered) return
      answered = true
      await resumeWebhook(db, organizationId)
    },
  }
}
