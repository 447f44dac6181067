import type { Audience } from '#contract/transmissions/transmissions.ts'
import type { Days } from '../../directory/organizations/days.ts'
import { arrayOf, type Tx } from '../../platform/db/client.ts'
import { insertedId } from '../../platform/db/rows.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'

type Message = {
  organizationId: string
  assignmentId: string
  subject: string
  body: string
  videoId: string
  versionId: string
  author: { id: string; name: string }
  userIds: readonly string[]
  channel?: Audience['channel'] | null
  days: Days
  /** Other assignments that it names, each with its day. */
  also?: readonly { assignmentId: string; dueAt: string | null }[]
  by: Actor
  /** What the audit calls it. */
  kind: string
}

/** Columns with their values that say at which stage of its way a message begins. */
type Stage = { columns: SQL; values: SQL }

/** A message of an assignment to these people; it leaves as soon as the transaction has committed. Answers its id. */
export const sendOfAssignment = (tx: Tx, message: Message): Promise<string> =>
  insert(tx, message, { columns: sql`state`, values: sql`'scheduled'` })

async function insert(tx: Tx, message: Message, { columns, values }: Stage): Promise<string> {
  const { organizationId, assignmentId, subject, body, videoId, versionId, author, days, by, kind } = message
  const audience = {
    userIds: message.userIds,
    groupIds: [],
    everyone: false,
    exceptGroupIds: [],
    exceptUserIds: [],
    ...(message.channel && { channel: message.channel }),
  }
  const id = await insertedId(
    tx,
    sql`insert into transmissions (organization_id, subject, body, video_id, version_id, sender_id, sender_name, audience,
        assignment_id, also, scheduled_at, released_at, due_at, links_end_at, ${columns})
      values (${organizationId}, ${subject}, ${body}, ${videoId}, ${versionId}, ${author.id}, ${author.name},
        ${JSON.stringify(audience)}::jsonb, ${assignmentId}, ${JSON.stringify(message.also ?? [])}::jsonb, now(), now(),
        ${days.dueAt}::timestamptz, ${days.linksEndAt}::timestamptz, ${values}) returning id`,
  )
  await audit(tx, by, {
    organizationId,
    action: 'transmission.create',
    entity: 'transmission',
    entityId: id,
    after: { subject, videoId, assignmentId, kind, dueAt: days.dueAt },
  })
  return id
}

/** `linkHash`: as hexadecimal digits. */
type Card = { id: string; userId: string; address: string; linkHash: string }

/**
 * A message that is printed and handed over, so that each of its deliveries has arrived. The links of cards that these people had of the
 * assignment before end. Answers its id.
 */
export async function handOver(
  tx: Tx,
  message: Omit<Message, 'userIds' | 'kind'>,
  cards: readonly Card[],
): Promise<string> {
  const { organizationId, assignmentId } = message
  const userIds = cards.map(({ userId }) => userId)
  const id = await insert(
    tx,
    { ...message, userIds, kind: 'card' },
    {
      columns: sql`state, audience_total, prepared_at, completed_at`,
      values: sql`'completed', ${cards.length}, now(), now()`,
    },
  )
  await tx.execute(
    sql`update deliveries d set link_revoked_at = now(), link_revoked_reason = 'Another card was printed.', updated_at = now()
      from transmissions t where t.id = d.transmission_id and t.organization_id = ${organizationId} and t.assignment_id = ${assignmentId}
        and d.organization_id = ${organizationId} and d.channel = 'card' and d.link_revoked_at is null
        and d.user_id = any(${arrayOf(userIds, 'uuid')})`,
  )
  await tx.execute(
    sql`insert into deliveries (id, transmission_id, organization_id, user_id, channel, address, state, link_hash, accepted_at)
      select g.id, ${id}, ${organizationId}, g."userId", 'card', g.address, 'delivered', decode(g."linkHash", 'hex'), now()
      from jsonb_to_recordset(${JSON.stringify(cards)}::jsonb) as g(id uuid, "userId" uuid, address text, "linkHash" text)`,
  )
  return id
}
