import { sql } from '../../platform/db/sql.ts'
import type { Services } from '../../platform/http/services.ts'
import { expireOverdue, remindDue } from '../../identity/invitations.ts'

/** Writes down what has expired and reminds of what soon will; once each, however many servers do it at the same time. */
export async function cleanUpInvitations(services: Services): Promise<void> {
  const { db } = services
  while ((await db.as('system', (tx) => expireOverdue(tx, sql`true`))) > 0);
  while ((await db.as('system', (tx) => remindDue(services, tx))) > 0);
}
