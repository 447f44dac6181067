import * as z from 'zod/mini'
import {
  assignmentActions,
  type AssignmentAction,
  type AssignmentState,
  type Due,
  type createAssignment,
  type editAssignment,
} from '#contract/assignments/assignments.ts'
import type { ParsedBody } from '#contract/endpoint.ts'
import type { FieldProblem } from '#contract/problems.ts'
import { requireVariables } from '../directory/people/variables.ts'
import { arrayOf, hasRow, requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { Id, insertedId } from '../platform/db/rows.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import { personBehind, type Caller } from '../platform/http/bearer.ts'
import { requireKnown } from '../transmissions/compose/audience.ts'
import { requireAccount, requireVideo } from '../transmissions/compose/create.ts'
import { writeDue } from '../transmissions/compose/due.ts'
import { requireCaptions } from '../directory/organizations/captions.ts'
import { planAnew, planWithMessage } from './anew.ts'
import { dueOf } from './days.ts'
import { draftsAfter, requireEarlier } from './path.ts'
import type { Place } from './queries.ts'

type Body = ParsedBody<typeof createAssignment>
type Content = Omit<Body, 'start' | 'further' | 'urgentReason'>
type ActingCaller = { caller: Caller; by: Actor }

/**
 * Refuses what could not be sent, or names what is not there. Who is obliged follows from groups and people alone, not from an earlier
 * transmission or from what was watched: that decides when they are done.
 */
async function requireContent(tx: Tx, orgId: string, content: Content): Promise<void> {
  const { audience, videoId, subject, message } = content
  await requireVariables(tx, orgId, { subject, message })
  for (const part of ['of', 'viewing'] as const)
    if (audience[part]) throw refuse('validation_failed', { fields: { [`audience.${part}`]: ['invalid'] } })
  if (!audience.everyone && audience.userIds.length + audience.groupIds.length === 0)
    throw refuse('validation_failed', { fields: { audience: ['required'] } })
  await requireKnown(tx, { organizationId: orgId, audience })
  await requireVideo(tx, { organizationId: orgId, videoId })
}

const FromMessage = z.object({ isFromOthers: z.boolean() })

/**
 * Refuses what cannot be changed where an assignment comes of a message. Only its day, its reminders and their words, who is told, and
 * whether it grows can be changed, and it ends when its day is taken away. People of an earlier transmission, or those who watched in a
 * certain way, are a list that nobody joins.
 */
async function requireOfMessage(
  tx: Tx,
  { orgId, messageId }: { orgId: string; messageId: string },
  { subject, message, due, validity, grows }: ParsedBody<typeof editAssignment>,
): Promise<void> {
  await requireVariables(tx, orgId, { subject, message })
  const { isFromOthers } = await requireRow(
    tx,
    FromMessage,
    sql`select audience ?| array['of', 'viewing'] as "isFromOthers" from transmissions where id = ${messageId} and organization_id = ${orgId}`,
  )
  const fields = {
    ...(due.kind !== 'day' && { due: ['invalid' as const] }),
    ...(validity !== null && { validity: ['invalid' as const] }),
    ...(grows && isFromOthers && { grows: ['invalid' as const] }),
  }
  if (Object.keys(fields).length > 0) throw refuse('validation_failed', { fields })
}

const json = (value: unknown): SQL => (value === null ? sql`null` : sql`${JSON.stringify(value)}::jsonb`)

/** Refuses further videos of a path that are not there, and names them by their place in the request. */
async function requireFurther(tx: Tx, organizationId: string, further: Body['further']): Promise<void> {
  const ids = further.map(({ videoId }) => videoId)
  const there = await rows(
    tx,
    Id,
    sql`select id from videos where organization_id = ${organizationId} and deleted_at is null and id = any(${arrayOf(ids, 'uuid')})`,
  )
  const known = new Set(there.map(({ id }) => id))
  const fields: Record<string, FieldProblem[]> = {}
  for (const [at, id] of ids.entries()) if (!known.has(id)) fields[`further.${at}.videoId`] = ['not_found']
  if (Object.keys(fields).length > 0) throw refuse('validation_failed', { fields })
  for (const videoId of ids) await requireVideo(tx, { organizationId, videoId })
}

/** Creates an assignment, or several on a path. Returns the id of the first one. */
export async function create(
  tx: Tx,
  { caller, by }: ActingCaller,
  { orgId, body }: { orgId: string; body: Body },
): Promise<string> {
  const { further, waitsForId: earlier } = body
  await requireAccount(tx, caller, orgId)
  await requireContent(tx, orgId, body)
  await requireFurther(tx, orgId, further)
  if (earlier !== null)
    await requireEarlier(tx, { id: null, organizationId: orgId, waitsForId: earlier }, further.length)
  const first = await createOne(tx, { caller, by }, { orgId, body })
  let waitsForId = first
  for (const step of further)
    waitsForId = await createOne(tx, { caller, by }, { orgId, body: { ...body, ...step, waitsForId } })
  return first
}

async function createOne(
  tx: Tx,
  { caller, by }: ActingCaller,
  { orgId, body }: { orgId: string; body: Body },
): Promise<string> {
  const { id: authorId, name: author } = personBehind(caller)
  const { start, name, videoId, waitsForId } = body
  const id = await insertedId(
    tx,
    sql`insert into assignments (organization_id, name, state, started_at, video_id, audience, requirement, statement, due, validity, counts_since,
        waits_for, reminders, escalation, subject, message, created_by, created_by_name)
      values (${orgId}, ${name}, ${start ? 'active' : 'draft'}, ${start ? sql`now()` : sql`null`}, ${videoId},
        ${json(body.audience)}, ${body.requirement}, ${body.statement}, ${json(body.due)}, ${json(body.validity)}, ${body.countsSince}::date,
        ${waitsForId}, ${json(body.reminders)}, ${json(body.escalation)}, ${body.subject}, ${body.message}, ${authorId}, ${author}) returning id`,
  )
  const entry = { organizationId: orgId, entity: 'assignment', entityId: id }
  await audit(tx, by, { ...entry, action: 'assignment.created', after: { name, videoId, waitsForId } })
  if (!start) return id
  await requirePassable(tx, { orgId, assignmentId: id })
  const { urgentReason } = body
  const urgent = await requireCaptions(tx, { organizationId: orgId, videoId, urgentReason })
  await audit(tx, by, { ...entry, action: 'assignment.started', after: { name, ...urgent } })
  return id
}

/** Changes an assignment. Whatever its obligations already stand for does not change under them. */
export async function edit(
  tx: Tx,
  by: Actor,
  { orgId, assignmentId, body }: Place & { body: ParsedBody<typeof editAssignment> },
): Promise<void> {
  const messageId = await holdMessage(tx, { orgId, assignmentId })
  await (messageId === null
    ? requireContent(tx, orgId, body)
    : requireOfMessage(tx, { orgId, messageId }, body))
  if (messageId === null && !body.grows) throw refuse('validation_failed', { fields: { grows: ['invalid'] } })
  await requireEarlierAnew(tx, { orgId, assignmentId }, body.waitsForId)
  const changed = await row(
    tx,
    Changed,
    sql`update assignments set name = ${body.name}, video_id = ${body.videoId}, audience = case when message_id is null then ${json(body.audience)} else audience end,
        requirement = ${body.requirement}, statement = ${body.statement}, due = ${json(body.due)}, validity = ${json(body.validity)},
        counts_since = ${body.countsSince}::date, waits_for = ${body.waitsForId}, reminders = ${json(body.reminders)}, escalation = ${json(body.escalation)}, subject = ${body.subject},
        message = ${body.message}, grows = ${body.grows}, version = version + 1, updated_at = now(), planned_at = null
      where id = ${assignmentId} and organization_id = ${orgId} and version = ${body.version}
        and state = any(${arrayOf(assignmentActions.edit, 'text')})
        and (state = 'draft' or (video_id = ${body.videoId} and requirement = ${body.requirement}
          and waits_for is not distinct from ${body.waitsForId}::uuid
          and statement is not distinct from ${body.statement} and counts_since is not distinct from ${body.countsSince}::date))
      returning old.due <> new.due or old.reminders <> new.reminders as "isMoved"`,
  )
  if (!changed) throw await tooLate(tx, { orgId, assignmentId })
  if (messageId !== null && changed.isMoved) await moveDay(tx, { orgId, messageId }, body.due)
  if (changed.isMoved)
    await (messageId === null
      ? planAnew(tx, { orgId, assignmentId }, { due: body.due })
      : planWithMessage(tx, { orgId, assignmentId }))
  await audit(tx, by, {
    organizationId: orgId,
    action: 'assignment.changed',
    entity: 'assignment',
    entityId: assignmentId,
    after: {
      name: body.name,
      waitsForId: body.waitsForId,
      audience: body.audience,
      due: body.due,
      validity: body.validity,
      reminders: body.reminders,
      escalation: body.escalation,
    },
  })
}

const OfMessage = z.object({ messageId: z.nullable(z.string()) })

/**
 * Returns the message whose day it is, or null where the assignment does not come of a message. The message is held before the assignment,
 * as whoever changes the message does, because the day is the same in both.
 */
async function holdMessage(tx: Tx, { orgId, assignmentId }: Place): Promise<string | null> {
  const { messageId } = await requireRow(
    tx,
    OfMessage,
    sql`select message_id as "messageId" from assignments where id = ${assignmentId} and organization_id = ${orgId}`,
  )
  if (messageId !== null)
    await tx.execute(
      sql`select from transmissions where id = ${messageId} and organization_id = ${orgId} for update`,
    )
  return messageId
}

/** Moves the day of a message. An instant that lies on the given day already stays as it is. */
async function moveDay(
  tx: Tx,
  { orgId, messageId }: { orgId: string; messageId: string },
  due: Due | null,
): Promise<void> {
  const sameDay =
    due?.kind === 'day' ? sql`(due_at at time zone z.time_zone)::date = ${due.day}::date` : sql`false`
  const moved =
    due === null
      ? sql`null`
      : sql`(select case when due_at is null or ${sameDay} then due_at else ${dueOf(due, sql`now()`)} end
          from organizations z where z.id = transmissions.organization_id)`
  await writeDue(tx, { id: messageId, organizationId: orgId }, moved)
}

/** `isMoved` is true when the days of its people are others now. */
const Changed = z.object({ isMoved: z.boolean() })

/**
 * Refuses an assignment to wait for that cannot be waited for. It looks only where another one was chosen, because the present one may have
 * ended since.
 */
async function requireEarlierAnew(
  tx: Tx,
  { orgId, assignmentId }: Place,
  waitsForId: string | null,
): Promise<void> {
  const isAnother = await hasRow(
    tx,
    sql`select 1 from assignments where id = ${assignmentId} and organization_id = ${orgId} and waits_for is distinct from ${waitsForId}::uuid`,
  )
  if (isAnother && waitsForId !== null)
    await requireEarlier(tx, { id: assignmentId, organizationId: orgId, waitsForId }, 0)
}

const steps = {
  start: ['active', 'assignment.started'],
  pause: ['paused', 'assignment.paused'],
  resume: ['active', 'assignment.resumed'],
  end: ['ended', 'assignment.ended'],
} as const satisfies Record<
  Exclude<AssignmentAction, 'edit' | 'start_path'>,
  readonly [AssignmentState, string]
>
type Step = { action: keyof typeof steps; version: number; urgentReason: string | undefined }

type Acting = Place & {
  action: Exclude<AssignmentAction, 'edit'>
  version: number
  urgentReason?: string | undefined
}

export async function act(tx: Tx, by: Actor, { action, ...one }: Acting): Promise<void> {
  const { urgentReason } = one
  if (action !== 'start_path') return take(tx, by, { ...one, action, urgentReason })
  await take(tx, by, { ...one, action: 'start', urgentReason })
  for (const { id, version } of await draftsAfter(tx, one))
    await take(tx, by, { orgId: one.orgId, assignmentId: id, action: 'start', version, urgentReason })
}

/** Takes one step with one guarded statement. Refuses when the assignment has moved on. */
async function take(
  tx: Tx,
  by: Actor,
  { orgId, assignmentId, action, version, urgentReason }: Place & Step,
): Promise<void> {
  const [to, as] = steps[action]
  const messageId = await holdMessage(tx, { orgId, assignmentId })
  const moved = await hasRow(
    tx,
    sql`update assignments set state = ${to}, version = version + 1, updated_at = now(), planned_at = null,
        started_at = case when ${to} = 'active' then coalesce(started_at, now()) else started_at end
      where id = ${assignmentId} and organization_id = ${orgId} and version = ${version}
        and state = any(${arrayOf(assignmentActions[action], 'text')}) returning id`,
  )
  if (!moved) throw await tooLate(tx, { orgId, assignmentId })
  if (action === 'start') await requirePassable(tx, { orgId, assignmentId })
  if (action === 'end' && messageId !== null) await moveDay(tx, { orgId, messageId }, null)
  if (action === 'end')
    await tx.execute(
      sql`update obligations set state = 'ended', ending = 'assignment_ended', waived_until = null, next_message_on = null, updated_at = now()
        where organization_id = ${orgId} and assignment_id = ${assignmentId} and state in ('open', 'waived')`,
    )
  const { name, videoId } = await requireRow(
    tx,
    Named,
    sql`select name, video_id as "videoId" from assignments where id = ${assignmentId}`,
  )
  const urgent =
    action === 'start' ? await requireCaptions(tx, { organizationId: orgId, videoId, urgentReason }) : {}
  await audit(tx, by, {
    organizationId: orgId,
    action: as,
    entity: 'assignment',
    entityId: assignmentId,
    after: { name, ...urgent },
  })
}
const Named = z.object({ name: z.string(), videoId: z.string() })

/** Refuses to oblige people to pass questions that the video does not ask. */
async function requirePassable(tx: Tx, { orgId, assignmentId }: Place): Promise<void> {
  const isPassable = await hasRow(
    tx,
    sql`select 1 from assignments a where a.id = ${assignmentId} and a.organization_id = ${orgId} and (a.requirement = 'watched'
      or exists (select from quizzes q where q.video_id = a.video_id and q.current_version_id is not null))`,
  )
  if (!isPassable) throw refuse('conflict', { reason: { code: 'no_questions_to_pass' } })
}

/** Makes the refusal for an assignment that is no longer as the caller has seen it. Refuses at once one that does not exist. */
async function tooLate(tx: Tx, { orgId, assignmentId }: Place) {
  await requireRow(
    tx,
    Id,
    sql`select id from assignments where id = ${assignmentId} and organization_id = ${orgId}`,
  )
  return refuse('conflict', { reason: { code: 'assignment_changed' } })
}
