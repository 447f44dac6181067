import * as z from 'zod/mini'
import type { ParsedBody } from '#contract/endpoint.ts'
import type { When } from '#contract/transmissions/leaving.ts'
import {
  Audience,
  type AudienceCount,
  type createTransmission,
} from '#contract/transmissions/transmissions.ts'
import { withoutVariables } from '#contract/transmissions/variables.ts'
import { worthWaves } from '#contract/transmissions/waves.ts'
import { requireVariables } from '../../directory/people/variables.ts'
import { ownSender } from '../../identity/mail/senders.ts'
import { requireRow, row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { webhookSettings } from '../../webhooks/settings.ts'
import { askForApproval, thresholdOf } from './approval.ts'
import { countAudience, requireKnown } from './audience.ts'
import { requireCaptions } from '../../directory/organizations/captions.ts'
import { daysOf, type Days } from '../../directory/organizations/days.ts'
import { beginsAt, datedAt, leavingOf, requireDay, whenColumns, whenIn, whenNote } from './leaving.ts'
import { wakeSender } from '../ledger/states.ts'
import { beginWithFirstZone } from './zones.ts'
import { languages } from '#contract/platform/text/languages.ts'
import { sayIn } from '#server/platform/messages.ts'
import { insertedId } from '../../platform/db/rows.ts'

const SenderRow = z.object({
  state: z.string(),
  senderName: z.nullable(z.string()),
  timeZone: z.string(),
  language: z.enum(languages),
})

/**
 * Refuses whoever is no superadmin and sends for another organization than their own, as if that did not exist. Returns the name and
 * settings with which it writes.
 */
export async function requireAccount(
  tx: Tx,
  caller: Caller,
  organizationId: string,
): Promise<z.infer<typeof SenderRow>> {
  if (caller.role !== 'superadmin' && caller.organizationId !== organizationId) throw refuse('not_found')
  const found = await requireRow(
    tx,
    SenderRow,
    sql`select state, policies->>'senderName' as "senderName", time_zone as "timeZone", language from organizations
      where id = ${organizationId} and deleted_at is null`,
  )
  if (found.state !== 'active') throw refuse('conflict', { reason: { code: 'organization_sends_nothing' } })
  return found
}

type Subject = { organizationId: string; given: string | undefined; author: string; video: { title: string } }

/** Returns the subject as it was given, or the usual one in the language of the organization. */
export async function subjectOf(tx: Tx, { organizationId, given, author, video }: Subject): Promise<string> {
  if (given) return given
  const { language } = await requireRow(
    tx,
    Spoken,
    sql`select language from organizations where id = ${organizationId}`,
  )
  return withoutVariables(sayIn(language, 'mail')('subject', { sender: author, title: video.title }))
}
const Spoken = z.pick(SenderRow, { language: true })

const SendableVideo = z.object({
  id: z.string(),
  title: z.string(),
  state: z.string(),
  versionId: z.nullable(z.string()),
  durationMs: z.nullable(z.number()),
  poster: z.nullable(z.string()),
  isReady: z.boolean(),
})
type SendableVideo = z.infer<typeof SendableVideo>

/** Finds a video with the version that plays. Before there is one, it takes the version that is being prepared. */
export async function findVideo(tx: Tx, organizationId: string, id: string | null): Promise<SendableVideo> {
  const video = await row(
    tx,
    SendableVideo,
    sql`select v.id, v.title, v.state, vv.id as "versionId", vv.duration_ms as "durationMs",
        vv.poster, vv.ready_at is not null as "isReady" from videos v
      left join lateral (select x.* from video_versions x where x.video_id = v.id and x.organization_id = v.organization_id
        and (x.id = v.current_version_id or v.current_version_id is null) order by x.number desc limit 1) vv on true
      where v.id = ${id} and v.organization_id = ${organizationId} and v.deleted_at is null`,
  )
  if (!video) throw refuse('validation_failed', { fields: { videoId: ['not_found'] } })
  return video
}

type Request = { organizationId: string; audience: Audience; videoId: string | null } & Pick<When, 'waves'> &
  Days
/** This can be sent as it is, or as soon as its video is ready. */
type Sendable = WaitedFor & { count: AudienceCount }
type WaitedFor = { video: SendableVideo; versionId: string; reason?: 'video_not_ready' }

/** Returns the video of a transmission, and the reason for which the transmission waits. Refuses when there will be nothing to watch. */
export async function requireVideo(
  tx: Tx,
  { organizationId, videoId }: { organizationId: string; videoId: string | null },
): Promise<WaitedFor> {
  if (videoId === null) throw refuse('validation_failed', { fields: { videoId: ['required'] } })
  const video = await findVideo(tx, organizationId, videoId)
  const { state, versionId, isReady } = video
  if (versionId === null || (state !== 'ready' && state !== 'processing')) throw refuse('not_ready')
  return { video, versionId, ...(isReady ? {} : { reason: 'video_not_ready' }) }
}

export function requireAhead(days: Partial<Days>): void {
  const passed = Object.entries(days).filter(([, at]) => at !== null && Date.parse(at) <= Date.now())
  if (passed.length === 0) return
  throw refuse('validation_failed', {
    fields: Object.fromEntries(passed.map(([field]) => [field, ['not_ahead']])),
  })
}

/** Refuses to write in the name of an address at which nobody has agreed to that, and to post to an address that is not named any more. */
async function requireSender(
  tx: Tx,
  { organizationId, audience }: Pick<Request, 'organizationId' | 'audience'>,
): Promise<void> {
  if (audience.channel === 'webhook') {
    if ((await webhookSettings(tx, organizationId)).webhook) return
    throw refuse('conflict', { reason: { code: 'webhook_missing' } })
  }
  const own = await ownSender(tx, organizationId)
  if (own && !own.isVerified) throw refuse('conflict', { reason: { code: 'sender_unverified' } })
}

/** Refuses what could not be sent. */
export async function requireSendable(tx: Tx, content: Request): Promise<Sendable> {
  const { dueAt, linksEndAt, waves } = content
  requireAhead({ dueAt, linksEndAt })
  await requireSender(tx, content)
  await requireKnown(tx, content)
  const found = await requireVideo(tx, content)
  const count = await countAudience(tx, { ...content, isDuty: dueAt !== null })
  if (count.recipients === 0) throw refuse('no_recipients')
  if (waves && count.recipients < worthWaves)
    throw refuse('too_few_for_waves', { fields: { waves: ['too_few_for_waves'] } })
  return { ...found, count }
}

/** Returns whether somebody else has to approve what would reach this number of people. */
export async function needsApproval(tx: Tx, organizationId: string, recipients: number): Promise<boolean> {
  const above = await thresholdOf(tx, organizationId)
  return above !== null && recipients > above
}

type Creation = {
  services: Services
  caller: Caller
  by: Actor
  body: ParsedBody<typeof createTransmission>
  /** This is the transmission that it goes on from, where its audience does not say that. */
  followsId?: string
}

/**
 * Takes a transmission in, and returns its id. It is sent as soon as this transaction has committed, or as soon as somebody else has
 * approved it.
 */
export async function create(tx: Tx, { services, caller, by, body, followsId }: Creation): Promise<string> {
  const organizationId = body.accountId
  const { timeZone } = await requireAccount(tx, caller, organizationId)
  await requireVariables(tx, organizationId, { subject: body.subject, body: body.body })
  const days = await daysOf(tx, organizationId, body)
  const { dueAt, linksEndAt } = days
  requireDay(body, dueAt)
  const leavesAt = leavingOf(body, timeZone)
  const hour = sql`${leavesAt}::timestamptz`
  const audience = audienceOf(body)
  const { video, versionId, reason, count } = await requireSendable(tx, {
    organizationId,
    audience,
    videoId: body.videoId,
    waves: body.waves,
    ...days,
  })
  // What failed and is sent anew was let go before.
  const urgent =
    followsId === undefined
      ? await requireCaptions(tx, { organizationId, videoId: video.id, urgentReason: body.urgentReason })
      : {}
  const waits = await needsApproval(tx, organizationId, count.recipients)
  const subject = await subjectOf(tx, { organizationId, given: body.subject, author: caller.name, video })
  const id = await insertedId(
    tx,
    sql`insert into transmissions (organization_id, state, state_reason, subject, body, video_id, version_id, sender_id, sender_name, audience, follows_id, scheduled_at, released_at, due_at, links_end_at, leaves_at, ${whenColumns})
      values (${organizationId}, ${waits ? 'pending_approval' : 'scheduled'}, ${waits || leavesAt !== null ? null : (reason ?? null)}, ${subject}, ${body.body}, ${video.id}, ${versionId},
        ${caller.userId}, ${caller.name}, ${JSON.stringify(audience)}::jsonb, ${followsId ?? audience.of?.transmissionId ?? null},
        ${waits ? sql`null` : beginsAt(hour, services.env.undoSeconds)}, ${waits ? sql`null` : datedAt(hour)}, ${dueAt}::timestamptz, ${linksEndAt}::timestamptz, ${hour}, ${whenIn(body)}) returning id`,
  )
  await audit(tx, by, {
    organizationId,
    action: 'transmission.create',
    entity: 'transmission',
    entityId: id,
    after: {
      subject,
      videoId: video.id,
      versionId,
      audience,
      dueAt,
      linksEndAt,
      leavesAt,
      ...whenNote(body),
      ...urgent,
    },
  })
  if (waits) {
    await audit(tx, by, {
      organizationId,
      action: 'transmission.submitted',
      entity: 'transmission',
      entityId: id,
      after: { state: 'pending_approval', recipients: count.recipients },
    })
    await askForApproval(tx, { id, organizationId }, count)
    return id
  }
  await beginWithFirstZone(tx, { id, organizationId })
  await wakeSender(services, tx, { id, organizationId })
  return id
}

function audienceOf(body: ParsedBody<typeof createTransmission>): Audience {
  const given = body.audience ?? Audience.parse({})
  if (body.userId && given.of) throw refuse('validation_failed', { fields: { 'audience.of': ['invalid'] } })
  return body.userId ? { ...given, userIds: [...new Set([...given.userIds, body.userId])] } : given
}
