import * as z from 'zod/mini'
import { arrayOf, rows } from '../../../platform/db/client.ts'
import { idsOf } from '../../../platform/db/rows.ts'
import { sql } from '../../../platform/db/sql.ts'
import { isoText } from '../../../platform/db/search.ts'
import { renewMany, revoke } from '../../../identity/invitations.ts'
import type { KindOfOperation, Work } from '../../../operations/kinds.ts'
import { actingFor, applied, undone } from '../../../operations/rows.ts'
import { invitePeople } from '../invite.ts'
import { lockPeople, type JudgedPerson } from './judge.ts'

const SentInvitation = z.object({ invitationId: z.string(), sentAt: z.string() })
type SentInvitation = z.infer<typeof SentInvitation>
const WaitingInvitation = z.extend(SentInvitation, { userId: z.string() })
type WaitingInvitation = z.infer<typeof WaitingInvitation>

const OpenRow = z.object({ position: z.number() })

/** Sends the waiting invitation of each person under a new link, or a new one. Undo withdraws what was sent; a mail stays read. */
export const invitation: KindOfOperation = {
  kind: 'users.invite',
  /** The number is small because each of them composes a mail. */
  chunk: 100,

  async apply(work, pending) {
    const sorted = await lockPeople(work, { action: 'invite' }, pending)
    const ids = await send(work, sorted.things)
    const waiting = await waitingOf(work, sorted.things)
    const sent = new Map(
      waiting
        .filter(({ invitationId }) => ids.has(invitationId))
        .map(({ userId, ...after }) => [userId, after]),
    )
    return applied(sorted, 'changed', ({ id, name }) => {
      const after = sent.get(id)
      return after ? { label: name, after } : 'invited_too_often'
    })
  },

  async undo(work, done) {
    const asLeft = done.map(({ position, after }) => ({ position, ...(after as SentInvitation) }))
    const waiting = await rows(
      work.tx,
      OpenRow,
      sql`select r.position from jsonb_to_recordset(${JSON.stringify(asLeft)}::jsonb) as r(position int, "invitationId" uuid, "sentAt" timestamptz)
        join invitations i on i.id = r."invitationId" and i.organization_id = ${work.visibility.organizationId}
        where i.state = 'pending' and i.expires_at > now() and i.sent_at = r."sentAt" for update of i`,
    )
    const open = new Set(waiting.map(({ position }) => position))
    const ids = asLeft.filter(({ position }) => open.has(position)).map(({ invitationId }) => invitationId)
    if (ids.length > 0) await revoke(actingFor(work), sql`id = any(${arrayOf(ids, 'uuid')})`)
    return undone(
      done.filter(({ position }) => open.has(position)).map((row) => ({ row })),
      done.filter(({ position }) => !open.has(position)).map((row) => ({ row, reason: 'changed_since' })),
    )
  },
}

/** Sends invitations, and returns the ids of those that were sent. */
async function send(work: Work, people: readonly JudgedPerson[]): Promise<ReadonlySet<string>> {
  const acting = actingFor(work)
  const waiting = await waitingOf(work, people)
  const have = new Set(waiting.map(({ userId }) => userId))
  const renewed = await renewMany(
    acting,
    waiting.map(({ invitationId }) => invitationId),
  )
  const others = people.filter(({ id }) => !have.has(id))
  const issued = await invitePeople(acting, work.visibility.organizationId, others)
  return new Set([...renewed, ...issued.values()])
}

/** Finds the invitations of these people, and those that went to their addresses before there was anybody behind them. */
function waitingOf({ tx, visibility }: Work, people: readonly JudgedPerson[]): Promise<WaitingInvitation[]> {
  return rows(
    tx,
    WaitingInvitation,
    sql`select i.id as "invitationId", u.id as "userId", ${isoText(sql`i.sent_at`)} as "sentAt" from users u
      join invitations i on i.organization_id = u.organization_id and i.email = u.email
      where u.organization_id = ${visibility.organizationId} and u.id = any(${idsOf(people)}) and i.state = 'pending' and i.expires_at > now()`,
  )
}
