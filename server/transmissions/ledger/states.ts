import * as z from 'zod/mini'
import type { TransmissionReason } from '#contract/transmissions/transmission-reasons.ts'
import {
  transmissionActions,
  type TransmissionAction,
  type TransmissionState,
  transmissionStates,
} from '#contract/transmissions/transmissions.ts'
import type { AuditAction } from '#contract/platform/audit-actions.ts'
import { arrayOf, hasRow, requireRow, row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { closeApproval } from '../compose/approval.ts'
import { adminsOf, notify } from '../../notifications/notify.ts'
import { hasArrived, isResting, isTroubled } from '../../deliveries.ts'

export const Key = z.object({ id: z.string(), organizationId: z.string() })
export type Key = z.infer<typeof Key>
/** Returns the key of a transmission that the caller may see. Refuses any other as not found. */
export function keyOf(tx: Tx, caller: Caller, id: string): Promise<Key> {
  return requireRow(
    tx,
    Key,
    sql`select id, organization_id as "organizationId" from transmissions where id = ${id}
      ${caller.organizationId === null ? sql`` : sql`and organization_id = ${caller.organizationId}`}`,
  )
}

type Move = {
  from: readonly TransmissionState[]
  to: TransmissionState
  /** The audit calls the move by this name, where that is not the state that it leads to. */
  as?: Extract<AuditAction, `transmission.${string}`>
  /** These columns change in the same statement. */
  set?: SQL
  /** The audit keeps this beside the states. */
  note?: Record<string, unknown>
  /** The caller has seen this version; without it, any version will do. */
  version?: number | undefined
  reason?: TransmissionReason
  by: Actor
}

const MovedRow = z.object({ from: z.enum(transmissionStates), version: z.number() })

type Step = {
  to: TransmissionState
  version: number
  reason?: TransmissionReason
  by: Actor
}

const notifiedStates = ['held', 'paused', 'cancelled', 'completed', 'failed'] as const
const isTold = (state: TransmissionState): state is (typeof notifiedStates)[number] =>
  notifiedStates.some((one) => one === state)

const EndedTransmission = z.object({
  senderId: z.string(),
  done: z.number(),
  failed: z.number(),
  resting: z.number(),
})

/**
 * Tells the sender how it ended, and that somebody else has stopped it. The administrators of the organization hear of it as well where the
 * product itself stopped it or where it did not reach everybody. Nobody hears of what they did themselves.
 */
async function tellOf(
  tx: Tx,
  { id, organizationId }: { id: string; organizationId: string },
  { to, version, reason, by }: Step,
): Promise<void> {
  if (!isTold(to)) return
  const ended = await row(
    tx,
    EndedTransmission,
    sql`select t.sender_id as "senderId", coalesce(sum(c.n) filter (where ${hasArrived('c')}), 0)::int as done,
        coalesce(sum(c.n) filter (where ${isTroubled('c')}), 0)::int as failed,
        (select count(*) from deliveries d where d.transmission_id = t.id and ${isResting})::int as resting
      from transmissions t left join transmission_counts c on c.transmission_id = t.id
      where t.id = ${id} and t.organization_id = ${organizationId} group by t.id`,
  )
  if (!ended) return
  const { senderId, done, failed, resting } = ended
  const doer = by === 'system' ? null : (by.caller?.userId ?? null)
  // Whoever has to decide about a held transmission is asked for that elsewhere.
  const isHarm = to !== 'held' && (reason !== undefined || (to === 'completed' && failed > 0))
  const admins = isHarm ? await adminsOf(tx, organizationId) : []
  const params = { done, failed, ...(resting > 0 ? { resting } : {}), ...(reason ? { reason } : {}) }
  const people = new Set([senderId, ...admins])
  await notify(
    tx,
    [...people]
      .filter((userId) => userId !== doer)
      .map((userId) => ({
        organizationId,
        userId,
        kind: `transmission.${to}` as const,
        entityId: id,
        cause: String(version),
        asAdmin: userId !== senderId,
        params,
      })),
  )
}

/**
 * Moves a transmission with one guarded statement. Returns false when it is not (or no longer) in one of the states. Its row is held in
 * either case until the transaction ends, so that whoever goes on in the state that it has can rely on that.
 */
export async function move(tx: Tx, { id, organizationId }: Key, step: Move): Promise<boolean> {
  const version = step.version === undefined ? sql`` : sql`and was.version = ${step.version}`
  const moved = await row(
    tx,
    MovedRow,
    // The row is read by itself, because a condition on the state would be looked at before the row is held, and would leave it free where
    // it fails.
    sql`with was as materialized (select id, state, version from transmissions
        where id = ${id} and organization_id = ${organizationId} for update)
      update transmissions t set state = ${step.to}, version = t.version + 1, state_reason = ${step.reason ?? null},
        completed_at = case when ${step.to} = 'completed' then now() end, updated_at = now() ${step.set ?? sql``}
      from was where t.id = was.id and t.organization_id = ${organizationId}
        and was.state = any(${arrayOf(step.from, 'text')}) ${version}
      returning was.state as "from", t.version`,
  )
  if (!moved) return false
  await audit(tx, step.by, {
    organizationId,
    action: step.as ?? actionOf(step.to),
    entity: 'transmission',
    entityId: id,
    before: { state: moved.from },
    after: {
      state: step.to,
      version: moved.version,
      ...(step.reason ? { reason: step.reason } : {}),
      ...step.note,
    },
  })
  await tellOf(tx, { id, organizationId }, { ...step, version: moved.version })
  return true
}

/** Names a move that has no name of its own. */
function actionOf(to: TransmissionState): AuditAction {
  if (to === 'draft') return 'transmission.changed'
  return to === 'pending_approval' ? 'transmission.submitted' : `transmission.${to}`
}

export type Halt = Extract<TransmissionAction, 'pause' | 'resume' | 'cancel'>
type HaltRequest = { action: Halt; version: number; by: Actor }

const PreparedState = z.object({ state: z.enum(transmissionStates), prepared: z.boolean() })

/** Pauses, resumes or cancels, as the table of the contract allows. Refuses with the present state when the transmission has moved on. */
export async function act(tx: Tx, key: Key, { action, version, by }: HaltRequest): Promise<void> {
  const present = await row(
    tx,
    PreparedState,
    sql`select state, prepared_at is not null as prepared from transmissions
      where id = ${key.id} and organization_id = ${key.organizationId}`,
  )
  if (action === 'resume') await requireOpen(tx, key)
  const target = {
    pause: 'paused',
    resume: present?.prepared ? 'sending' : 'preparing',
    cancel: 'cancelled',
  } as const
  const moved = await move(tx, key, {
    from: transmissionActions[action],
    to: target[action],
    version,
    by,
  })
  if (!moved) throw await tooLate(tx, key, action)
  if (action !== 'cancel') return
  await closeApproval(tx, key, { state: 'withdrawn' })
  await cancelSome(tx, key)
}

export async function requireOpen(tx: Tx, { organizationId }: Key): Promise<void> {
  const open = await hasRow(
    tx,
    sql`select 1 from organizations where id = ${organizationId} and state = 'active' and deleted_at is null`,
  )
  if (!open) throw refuse('conflict', { reason: { code: 'organization_sends_nothing' } })
}

const PresentState = z.object({ state: z.enum(transmissionStates) })

export async function stateOf(tx: Tx, { id, organizationId }: Key): Promise<TransmissionState> {
  const { state } = await requireRow(
    tx,
    PresentState,
    sql`select state from transmissions where id = ${id} and organization_id = ${organizationId}`,
  )
  return state
}

/** Makes the refusal for somebody who came too late, with the present state and the reason. */
export async function tooLate(tx: Tx, key: Key, action: TransmissionAction) {
  const state = await stateOf(tx, key)
  const isAllowed = transmissionActions[action].some((from) => from === state)
  return refuse('conflict', {
    reason: isAllowed
      ? { code: 'transmission_changed', params: { state } }
      : { code: 'transmission_moved_on', params: { state, action } },
  })
}

/** Cancels deliveries that have not left yet, at most 5,000 in one statement. Returns true when there may be more. */
export async function cancelSome(tx: Tx, { id }: Key): Promise<boolean> {
  const cancelled = await tx.execute(
    sql`update deliveries d set state = 'cancelled', updated_at = now() from (
        select id from deliveries where transmission_id = ${id} and state in ('queued', 'deferred')
        order by due_at, id limit 5000 for update skip locked) open
      where d.transmission_id = ${id} and d.id = open.id returning 1`,
  )
  return cancelled.rowCount === 5000
}

/** Has the sender look at it when this transaction commits. */
export async function wakeSender({ jobs }: Services, tx: Tx, { id, organizationId }: Key): Promise<void> {
  await jobs.send(tx, 'transmission.run', { organizationId, transmissionId: id })
}

/** Ends a transmission of which nothing is left to do, in the transaction of the last settlement. */
export async function completeIfDone(tx: Tx, key: Key): Promise<boolean> {
  if (await hasOpen(tx, key)) return false
  // Somebody who has something sent again at this moment holds the row, so this waits for it and then looks once more.
  await tx.execute(
    sql`select from transmissions where id = ${key.id} and organization_id = ${key.organizationId} for update`,
  )
  return (
    !(await hasOpen(tx, key)) && (await move(tx, key, { from: ['sending'], to: 'completed', by: 'system' }))
  )
}

const hasOpen = (tx: Tx, { id }: Key): Promise<boolean> =>
  hasRow(
    tx,
    sql`select 1 from transmission_counts where transmission_id = ${id} and n > 0
        and state in ('queued', 'sending', 'deferred')
      union all select 1 where ${isSomebodyLeftOut(sql`${id}`)} limit 1`,
  )

const isOfThis = (id: SQL): SQL =>
  sql`s.loop = 'sending' and s.input is not null and starts_with(s.item, ${id}::text || ' ')`

/** This condition on a transmission holds when somebody could not be put on its list of recipients, and is tried again. */
export const isSomebodyLeftOut = (id: SQL): SQL => sql`exists (select from set_aside s where ${isOfThis(id)})`

/** This expression lists these people, for `transmissions t`. */
export const unlisted = sql`coalesce((select jsonb_agg(jsonb_build_object('id', u.id, 'name', u.name) order by u.name, u.id)
  from set_aside s join users u on u.organization_id = t.organization_id
    and u.id = case when ${isOfThis(sql`t.id`)} then split_part(s.item, ' ', 2)::uuid end
  where ${isOfThis(sql`t.id`)}), '[]')`
