import { togetherApart } from '../../platform/aside.ts'
import { rows, type Tx } from '../../platform/db/client.ts'
import { Id, idsOf } from '../../platform/db/rows.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { toTheEnd } from '../../platform/failures.ts'
import type { Services } from '../../platform/http/services.ts'
import { expireOverdue, isOverdue, isReminderDue, remindDue } from '../../identity/invitations.ts'

const atOnce = 100

/** Writes down what has expired and reminds of what soon will, once each, however many servers do it at the same time. */
export async function cleanUpInvitations(services: Services): Promise<void> {
  const expire = (tx: Tx, which: SQL) => expireOverdue(tx, which)
  const remind = (tx: Tx, which: SQL) => remindDue({ services, tx }, which)
  await toTheEnd([
    () => toEach(services, { what: 'expired', isDue: isOverdue }, expire),
    () => toEach(services, { what: 'reminder', isDue: isReminderDue }, remind),
  ])
}

/** Works on invitations in chunks. One that fails by itself holds up no other. */
async function toEach(
  { db }: Services,
  { what, isDue }: { what: string; isDue: SQL },
  work: (tx: Tx, which: SQL) => Promise<unknown>,
): Promise<void> {
  const due = await rows(db.single, Id, sql`select id from invitations where ${isDue} order by id`)
  const chunks = Array.from({ length: Math.ceil(due.length / atOnce) }, (_, at) =>
    due.slice(at * atOnce, (at + 1) * atOnce),
  )
  const nameOf = ({ id }: { id: string }) => ({ item: `invitation ${id} ${what}` })
  const workOn = (some: readonly { id: string }[]) =>
    db.as('system', (tx) => work(tx, sql`id = any(${idsOf(some)})`))
  await toTheEnd(
    chunks.map((chunk) => () => togetherApart({ db, loop: 'housekeeping', nameOf }, chunk, workOn)),
  )
}
