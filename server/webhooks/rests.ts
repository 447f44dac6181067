import type { WebhookFault } from '#contract/transmissions/webhooks.ts'
import type { Database } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'

/** What was wrong, and for how many seconds the address has asked to be left alone. */
export type WebhookRest = { fault: WebhookFault; seconds: number }

/**
 * The address takes nothing: it is left alone, as long as it asks for and longer each time, up to five minutes, and is then tried with
 * one message. Once per wave, as whatever is under way fails together.
 */
export async function restWebhook(
  db: Database,
  organizationId: string,
  { fault, seconds }: WebhookRest,
): Promise<void> {
  await db.as({ organizationId }, (tx) =>
    tx.execute(
      sql`update webhooks set failures = failures + 1, failing_since = coalesce(failing_since, now()), fault = ${fault},
          rests_until = now() + least(300, greatest(${seconds}::float8, power(2, least(failures, 10)))) * interval '1 second'
        where organization_id = ${organizationId} and coalesce(rests_until, '-infinity') < now()`,
    ),
  )
}

/** It answers again. */
export async function resumeWebhook(db: Database, organizationId: string): Promise<void> {
  await db.as({ organizationId }, (tx) =>
    tx.execute(
      sql`update webhooks set failures = 0, failing_since = null, fault = null, rests_until = null
        where organization_id = ${organizationId} and failures > 0`,
    ),
  )
}
