import * as z from 'zod/mini'
import type { ParsedBody } from '#contract/endpoint.ts'
import type { createDraft, saveDraft } from '#contract/transmissions/drafts.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { insertedId } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import { followedBy, requireKnown } from './audience.ts'
import { findVideo, requireAccount } from './create.ts'
import { daysOf } from '../../directory/organizations/days.ts'
import { hourOf, setWhen, whenColumns, whenIn } from './leaving.ts'
import { move, tooLate, type Key } from '../ledger/states.ts'

type DraftInput = ParsedBody<typeof createDraft> | ParsedBody<typeof saveDraft>
type Writing<Body> = { caller: Caller; by: Actor; body: Body }

/**
 * Returns what is kept of a draft. Nothing is refused for being incomplete or over by now, but whatever it names has to belong to the
 * organization.
 */
async function contentOf(tx: Tx, organizationId: string, { caller, body }: Writing<DraftInput>) {
  const { timeZone } = await requireAccount(tx, caller, organizationId)
  const { audience } = body
  await requireKnown(tx, { organizationId, audience })
  const days = await daysOf(tx, organizationId, body)
  const video = body.videoId === null ? null : await findVideo(tx, organizationId, body.videoId)
  return {
    subject: body.subject ?? '',
    body: body.body,
    videoId: video?.id ?? null,
    versionId: video?.versionId ?? null,
    audience: JSON.stringify(audience),
    follows: audience.of?.transmissionId ?? null,
    ...days,
    leavesAt: hourOf(body.leavesAt, timeZone),
  }
}

/** Takes in what has been written so far, and returns its id. */
export async function beginDraft(tx: Tx, writing: Writing<ParsedBody<typeof createDraft>>): Promise<string> {
  const { caller, by, body } = writing
  const organizationId = body.accountId
  const content = await contentOf(tx, organizationId, writing)
  const id = await insertedId(
    tx,
    sql`insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, follows_id, due_at, links_end_at, leaves_at, ${whenColumns})
      values (${organizationId}, 'draft', ${content.subject}, ${content.body}, ${content.videoId}, ${content.versionId}, ${caller.userId}, ${caller.name},
        ${content.audience}::jsonb, ${content.follows}, ${content.dueAt}::timestamptz, ${content.linksEndAt}::timestamptz, ${content.leavesAt}::timestamptz, ${whenIn(body)}) returning id`,
  )
  await audit(tx, by, {
    organizationId,
    action: 'transmission.create',
    entity: 'transmission',
    entityId: id,
    after: { state: 'draft', subject: content.subject },
  })
  return id
}

const Present = z.object({ senderId: z.string(), state: z.string() })

export async function keepDraft(
  tx: Tx,
  key: Key,
  writing: Writing<ParsedBody<typeof saveDraft>>,
): Promise<void> {
  const { caller, by, body } = writing
  const { senderId, state } = await requireRow(
    tx,
    Present,
    sql`select sender_id as "senderId", state from transmissions where id = ${key.id} and organization_id = ${key.organizationId}`,
  )
  if (state !== 'draft') throw await tooLate(tx, key, 'submit')
  if (senderId !== caller.userId) throw refuse('forbidden', { reason: { code: 'author_only' } })
  const content = await contentOf(tx, key.organizationId, writing)
  const moved = await move(tx, key, {
    from: ['draft'],
    to: 'draft',
    set: sql`, subject = ${content.subject}, body = ${content.body}, video_id = ${content.videoId}, version_id = ${content.versionId},
      audience = ${content.audience}::jsonb, follows_id = ${followedBy(content.follows)}, due_at = ${content.dueAt}::timestamptz, links_end_at = ${content.linksEndAt}::timestamptz,
      leaves_at = ${content.leavesAt}::timestamptz, ${setWhen(body)}, content_rev = t.content_rev + 1`,
    // A draft is saved again and again while somebody types. The audit says that it was saved, and not each time what has changed.
    note: { subject: content.subject },
    version: body.version,
    by,
  })
  if (!moved) throw await tooLate(tx, key, 'submit')
}
