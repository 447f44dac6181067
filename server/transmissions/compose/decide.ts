import * as z from 'zod/mini'
import type { ParsedBody } from '#contract/endpoint.ts'
import { releasableReasons, transmissionReasons } from '#contract/transmissions/transmission-reasons.ts'
import {
  transmissionActions,
  type changeTransmission,
  type editTransmission,
  type TransmissionAction,
  transmissionStates,
} from '#contract/transmissions/transmissions.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import { refuse } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { requireVariables } from '../../directory/people/variables.ts'
import { askForApproval, closeApproval } from './approval.ts'
import { countAudience, followedBy } from './audience.ts'
import { requireCaptions } from '../../directory/organizations/captions.ts'
import { daysOf } from '../../directory/organizations/days.ts'
import { needsApproval, requireAccount, requireSendable, requireVideo, subjectOf } from './create.ts'
import {
  isLate,
  leaveNow,
  leavingOf,
  requireDay,
  scheduleRelease,
  cancelRelease,
  setWhen,
  whenNote,
} from './leaving.ts'
import { move, requireOpen, tooLate, wakeSender, type Halt, type Key } from '../ledger/states.ts'
import { readChosen } from './plan.ts'
import { WavePlan } from '#contract/transmissions/waves.ts'
import { hasten } from '../ledger/waves.ts'
import { beginWithFirstZone } from './zones.ts'
import { readCount } from '../../platform/db/rows.ts'

type DecisionBody = ParsedBody<typeof changeTransmission>
export type Decision = Exclude<DecisionBody['action'], Halt>
type DecisionRequest = Omit<DecisionBody, 'action'> & {
  services: Services
  caller: Caller
  by: Actor
  present: PresentTransmission
}
const PresentTransmission = z.object({
  state: z.enum(transmissionStates),
  senderId: z.string(),
  reason: z.nullable(z.enum(transmissionReasons)),
  videoId: z.nullable(z.string()),
  subject: z.string(),
  body: z.string(),
  dueAt: z.nullable(z.string()),
  linksEndAt: z.nullable(z.string()),
  waves: z.nullable(WavePlan),
  isPrepared: z.boolean(),
  isLate: z.boolean(),
  /** `isPlanned` is true when it has an hour of its own, and `isOver` when that hour has passed. */
  isPlanned: z.boolean(),
  isOver: z.boolean(),
})
type PresentTransmission = z.infer<typeof PresentTransmission>

/** Reads the transmission as it is now. Refuses when its state does not allow the action, whoever asks. */
async function readPresent(tx: Tx, key: Key, action: TransmissionAction): Promise<PresentTransmission> {
  const present = await row(
    tx,
    PresentTransmission,
    sql`select state, sender_id as "senderId", state_reason as reason, video_id as "videoId", subject, body, ${isoText(sql`due_at`)} as "dueAt", ${isoText(sql`links_end_at`)} as "linksEndAt",
        waves, prepared_at is not null as "isPrepared", ${isLate} as "isLate", t.leaves_at is not null as "isPlanned", coalesce(t.leaves_at <= now(), false) as "isOver"
      from transmissions t where id = ${key.id} and organization_id = ${key.organizationId}`,
  )
  if (!present || !transmissionActions[action].some((state) => state === present.state))
    throw await tooLate(tx, key, action)
  return present
}

function requireAuthor({ senderId }: PresentTransmission, { userId }: Caller): void {
  if (senderId !== userId) throw refuse('forbidden', { reason: { code: 'author_only' } })
}

function requireAnother({ senderId }: PresentTransmission, { userId }: Caller): void {
  if (senderId === userId) throw refuse('forbidden', { reason: { code: 'not_the_author' } })
}

/**
 * These are the steps of an approval. Each is one guarded statement, which is refused with the present state when the transmission has
 * moved on.
 */
const steps: Record<Decision, (tx: Tx, key: Key, wish: DecisionRequest) => Promise<boolean>> = {
  submit,
  withdraw,
  approve,
  reject,
  release,
  undo,
  send_now: sendNow,
  send_outside: sendOutside,
  next_wave: nextWave,
}

type NewDecision = Omit<DecisionRequest, 'present'> & { action: Decision }

export async function decideTransmission(tx: Tx, key: Key, { action, ...asked }: NewDecision): Promise<void> {
  const present = await readPresent(tx, key, action)
  if (!(await steps[action](tx, key, { ...asked, present }))) throw await tooLate(tx, key, action)
  await beginWithFirstZone(tx, key)
}

/** Sends a draft, or asks for approval where that is needed. */
async function submit(
  tx: Tx,
  key: Key,
  { services, caller, version, by, present, urgentReason }: DecisionRequest,
): Promise<boolean> {
  requireAuthor(present, caller)
  await requireOpen(tx, key)
  if (present.isOver) throw refuse('validation_failed', { fields: { leavesAt: ['not_ahead'] } })
  if (present.body.trim() === '') throw refuse('validation_failed', { fields: { body: ['required'] } })
  await requireVariables(tx, key.organizationId, { subject: present.subject, body: present.body })
  const { audience } = await readChosen(tx, key)
  const { count, reason, video, versionId } = await requireSendable(tx, { ...key, ...present, audience })
  const { organizationId } = key
  const urgent = await requireCaptions(tx, { organizationId, videoId: video.id, urgentReason })
  const about = { organizationId, author: caller.name, video }
  const subject = await subjectOf(tx, { ...about, given: present.subject })
  // A draft may have been kept before its video had a version, and without a subject.
  const whole = sql`, subject = ${subject}, version_id = coalesce(t.version_id, ${versionId})`
  const waits = await needsApproval(tx, key.organizationId, count.recipients)
  const moved = await move(tx, key, {
    from: transmissionActions.submit,
    to: waits ? 'pending_approval' : 'scheduled',
    set: waits ? whole : sql`${whole}${scheduleRelease(services.env.undoSeconds)}`,
    ...(waits ? {} : waitingFor(present, reason)),
    note: { recipients: count.recipients, ...urgent },
    version,
    by,
  })
  if (moved && waits) await askForApproval(tx, key, count)
  return moved
}

async function withdraw(
  tx: Tx,
  key: Key,
  { caller, version, by, present }: DecisionRequest,
): Promise<boolean> {
  requireAuthor(present, caller)
  const from = transmissionActions.withdraw
  const moved = await move(tx, key, { from, to: 'draft', as: 'transmission.withdrawn', version, by })
  return moved && closeApproval(tx, key, { state: 'withdrawn' })
}

async function reject(
  tx: Tx,
  key: Key,
  { caller, version, by, reason, present }: DecisionRequest,
): Promise<boolean> {
  requireAnother(present, caller)
  if (reason === undefined) throw refuse('validation_failed', { fields: { reason: ['required'] } })
  const from = transmissionActions.reject
  const note = { why: reason }
  const moved = await move(tx, key, { from, to: 'draft', as: 'transmission.rejected', note, version, by })
  return moved && closeApproval(tx, key, { state: 'rejected', by: caller, reason })
}

/** Approves the number of recipients that the approver was shown, and no more. */
async function approve(tx: Tx, key: Key, wish: DecisionRequest): Promise<boolean> {
  const { caller, version, by, recipients: shown, present } = wish
  requireAnother(present, caller)
  if (shown === undefined) throw refuse('validation_failed', { fields: { recipients: ['required'] } })
  await requireOpen(tx, key)
  // A transmission that only has to be released has been approved already.
  if (isReleasable(present)) return false
  const recipients = present.isPrepared ? await queued(tx, key) : await reachedNow(tx, key, present)
  if (recipients > shown)
    throw refuse('conflict', { reason: { code: 'reaches_more', params: { recipients, shown } } })
  const approved = { as: 'transmission.approved', note: { recipients }, version, by } as const
  const { reason } = present.isPrepared ? {} : await requireVideo(tx, { ...key, ...present })
  const moved = await move(tx, key, {
    ...approved,
    ...waitingFor(present, reason),
    ...afterApproval(present),
  })
  return moved && closeApproval(tx, key, { state: 'approved', by: caller, recipients })
}

/** A transmission that waits for its hour is not said to wait for its video. */
const waitingFor = ({ isPlanned }: PresentTransmission, reason: 'video_not_ready' | undefined) =>
  reason && !isPlanned ? { reason } : {}

/**
 * Says how it goes on after an approval. With a list of recipients it is sent on; everything else is due now, unless its own time is over.
 */
function afterApproval({ isPrepared, isLate: late }: PresentTransmission) {
  if (isPrepared) return { from: ['held'], to: 'sending' } as const
  const from = ['pending_approval'] as const
  if (late) return { from, to: 'held', reason: 'time_passed' } as const
  return { from, to: 'scheduled', set: scheduleRelease(0) } as const
}

const isReleasable = ({ reason }: PresentTransmission) =>
  reason !== null && releasableReasons.includes(reason)

async function reachedNow(tx: Tx, key: Key, { dueAt }: PresentTransmission): Promise<number> {
  if (dueAt !== null && Date.parse(dueAt) <= Date.now())
    throw refuse('conflict', { reason: { code: 'due_day_over' } })
  const { recipients } = await countAudience(tx, await readChosen(tx, key))
  if (recipients === 0) throw refuse('no_recipients')
  return recipients
}

async function queued(tx: Tx, key: Key): Promise<number> {
  return readCount(
    tx,
    sql`select n::int as n from transmission_counts where transmission_id = ${key.id}
      and organization_id = ${key.organizationId} and state = 'queued'`,
  )
}

/** Sends what was held for its time or its video. Its approval stands, and somebody has looked at it. */
async function release(tx: Tx, key: Key, { version, by, present }: DecisionRequest): Promise<boolean> {
  await requireOpen(tx, key)
  if (!isReleasable(present)) return false
  const { reason } = await requireVideo(tx, { ...key, ...present })
  const from = transmissionActions.release
  const released = { from, to: 'scheduled', as: 'transmission.released', set: leaveNow, version, by } as const
  return move(tx, key, { ...released, ...(reason ? { reason } : {}) })
}

/** Makes what has not begun to leave a draft again, which has to be let go, and approved, anew. */
async function undo(tx: Tx, key: Key, { caller, version, by, present }: DecisionRequest): Promise<boolean> {
  requireAuthor(present, caller)
  const from = transmissionActions.undo
  return move(tx, key, { from, to: 'draft', as: 'transmission.undone', set: cancelRelease, version, by })
}

async function sendNow(
  tx: Tx,
  key: Key,
  { services, version, by, present }: DecisionRequest,
): Promise<boolean> {
  await requireOpen(tx, key)
  const { reason } = await requireVideo(tx, { ...key, ...present })
  const moved = await move(tx, key, {
    from: transmissionActions.send_now,
    to: 'scheduled',
    as: 'transmission.sent_now',
    set: leaveNow,
    version,
    by,
    ...(reason ? { reason } : {}),
  })
  if (moved) await wakeSender(services, tx, key)
  return moved
}

/** Lets it leave although it is outside the hours of the organization. */
async function sendOutside(tx: Tx, key: Key, { version, by }: DecisionRequest): Promise<boolean> {
  await requireOpen(tx, key)
  return move(tx, key, {
    from: transmissionActions.send_outside,
    to: 'sending',
    as: 'transmission.sent_outside',
    set: sql`, outside_window = true`,
    version,
    by,
  })
}

/** Begins the next wave without the pause after the one before. */
async function nextWave(tx: Tx, key: Key, { version, by }: DecisionRequest): Promise<boolean> {
  await requireOpen(tx, key)
  const step = { from: transmissionActions.next_wave, to: 'sending', as: 'transmission.next_wave' } as const
  return (await move(tx, key, { ...step, version, by })) && hasten(tx, key)
}

type Edit = { caller: Caller; by: Actor; body: ParsedBody<typeof editTransmission> }

/** Makes it a draft whatever is changed, because an approval holds for what the approver has seen. */
export async function edit(tx: Tx, key: Key, { caller, by, body }: Edit): Promise<void> {
  requireAuthor(await readPresent(tx, key, 'edit'), caller)
  const { audience, videoId, version } = body
  const { timeZone } = await requireAccount(tx, caller, key.organizationId)
  await requireVariables(tx, key.organizationId, { subject: body.subject, body: body.body })
  const leavesAt = leavingOf(body, timeZone)
  const days = await daysOf(tx, key.organizationId, body)
  requireDay(body, days.dueAt)
  const { video, versionId } = await requireSendable(tx, {
    ...key,
    audience,
    videoId,
    waves: body.waves,
    ...days,
  })
  const about = { organizationId: key.organizationId, author: caller.name, video }
  const subject = await subjectOf(tx, { ...about, given: body.subject })
  const moved = await move(tx, key, {
    from: transmissionActions.edit,
    to: 'draft',
    set: sql`, subject = ${subject}, body = ${body.body}, video_id = ${video.id}, version_id = ${versionId},
      audience = ${JSON.stringify(audience)}::jsonb, follows_id = ${followedBy(audience.of?.transmissionId)}, due_at = ${days.dueAt}::timestamptz, links_end_at = ${days.linksEndAt}::timestamptz,
      leaves_at = ${leavesAt}::timestamptz, ${setWhen(body)}, content_rev = t.content_rev + 1`,
    note: { subject, videoId: video.id, versionId, audience, ...days, leavesAt, ...whenNote(body) },
    version,
    by,
  })
  if (!moved) throw await tooLate(tx, key, 'edit')
  await closeApproval(tx, key, { state: 'withdrawn' })
}
