import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { requestHeaders } from '#contract/platform/headers.ts'
import { arrayOf, hasRow, row, type Tx, type Database } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { headerOf } from '../platform/http/declared.ts'
import { isoText } from '../platform/db/search.ts'
import { randomToken, sha256 } from '../platform/keys.ts'
import { codeMinutes, type Purpose } from './mails.ts'

/** What a flow is for; a token of one purpose is worth nothing for another. */
export const flowPurposes = [
  'reset_password',
  'confirm_email',
  'login',
  'step_up',
  'delete_account',
  /** The password was right, the second factor is still to come. */
  'second_step',
  /** The policy asks for a second factor, and the sign-in waits for one to be set up. */
  'enroll',
  /** A passkey was asked for without anybody having said who they are. */
  'passkey',
  /** Somebody signed in proves with a passkey that they are still the one who asks. */
  'reauthenticate',
  'own_data',
  'own_training',
  /** A connection was asked who somebody is (`server/identity/sso`). */
  'connection',
] as const
export type FlowPurpose = (typeof flowPurposes)[number]

export const Flow = z.object({
  id: z.string(),
  purpose: z.enum(flowPurposes),
  identifier: z.string(),
  /** Null: of nobody (yet); it is answered as if there were somebody. */
  userId: z.nullable(z.string()),
  data: z.nullable(z.record(z.string(), z.unknown())),
})
export type Flow = z.infer<typeof Flow>

/** Every flow lives as long as a mailed code does. */
export const flowEnd = sql`now() + make_interval(mins => ${codeMinutes})`

export const flowColumns = sql`id, purpose, identifier, user_id as "userId", data`

type Start = {
  purpose: FlowPurpose
  identifier: string
  userId: string | null
  data?: Record<string, unknown>
  /** The holder has proved what the purpose asks for: the token is the right to the next step. */
  verified?: boolean
}

const Started = z.object({ expiresAt: z.string() })

/** A token for the next step, told to the client once and kept as a hash. */
export async function startFlow(tx: Tx, start: Start): Promise<{ flowToken: string; expiresAt: string }> {
  const { purpose, identifier, userId, data, verified = false } = start
  const flowToken = randomToken()
  const started = await row(
    tx,
    Started,
    sql`insert into flows (token_hash, purpose, identifier, user_id, data, verified, expires_at)
      values (${sha256(flowToken)}, ${purpose}, ${identifier}, ${userId}, ${data ? JSON.stringify(data) : null}::jsonb, ${verified}, ${flowEnd})
      returning ${isoText(sql`expires_at`)} as "expiresAt"`,
  )
  if (!started) throw new Error('The flow was not stored.')
  return { flowToken, expiresAt: started.expiresAt }
}

type Ending = {
  identifier: string
  purpose: Purpose
  alsoVerified: boolean
  /** Only those that were asked for in this browser, or (null) in unknown ones. */
  askedBy?: string | null
}

/** Only the newest code of an address counts, and none is left when its work is done. */
export async function endFlows(tx: Tx, ending: Ending): Promise<void> {
  const { identifier, purpose, alsoVerified, askedBy } = ending
  const asked =
    askedBy === undefined ? sql`` : sql`and data->>'askedBy' is not distinct from ${askedBy}::text`
  await tx.execute(
    sql`update flows set used_at = now() where identifier = ${identifier} and purpose = ${purpose}
      and used_at is null and (not verified or ${alsoVerified}) ${asked}`,
  )
}

/** Every half-finished step of a person, whatever it is for. */
export async function endFlowsOf(tx: Tx, userId: string): Promise<void> {
  await tx.execute(sql`update flows set used_at = now() where user_id = ${userId} and used_at is null`)
}

/** The token of the flow from the request's header; without one there is nothing to continue. */
export function flowTokenOf(request: FastifyRequest): string {
  const token = requestHeaders.flow.schema.safeParse(headerOf(request, 'flow'))
  if (!token.success) throw refuse('flow_expired')
  return token.data
}

/** Of two that use a flow at once, one does. */
export async function consume(tx: Tx, flow: Flow): Promise<void> {
  const mine = await hasRow(
    tx,
    sql`update flows set used_at = now() where id = ${flow.id} and used_at is null returning 1`,
  )
  if (!mine) throw refuse('flow_expired')
}

/** A flow whose code has been verified before. */
export async function verifiedFlow(tx: Tx, flowToken: string): Promise<Flow> {
  const found = await row(
    tx,
    Flow,
    sql`select ${flowColumns} from flows
      where token_hash = ${sha256(flowToken)} and verified and used_at is null and expires_at > now()`,
  )
  if (!found) throw refuse('flow_expired')
  return found
}

/** A flow of one of these purposes that goes on; undefined when it has ended, or is for something else. */
export function openFlow(
  tx: Tx,
  flowToken: string,
  purposes: readonly FlowPurpose[],
): Promise<Flow | undefined> {
  return row(
    tx,
    Flow,
    sql`select ${flowColumns} from flows where token_hash = ${sha256(flowToken)}
      and purpose = any(${arrayOf(purposes, 'text')}) and used_at is null and expires_at > now() and tries_left > 0`,
  )
}

const TriesLeft = z.object({ left: z.number() })

/** Costs one of the flow's tries before anything is compared; returns how many are left. */
export async function takeFlowTry(tx: Tx, flow: Flow): Promise<number> {
  const taken = await row(
    tx,
    TriesLeft,
    sql`update flows set tries_left = tries_left - 1
      where id = ${flow.id} and used_at is null and expires_at > now() and tries_left > 0 returning tries_left as left`,
  )
  if (!taken) throw refuse('flow_expired')
  return taken.left
}

/** Adds to what the flow remembers. What is there already stays: of two that add at once, both get the same. */
export function keepInFlow<T extends object>(tx: Tx, flow: Flow, data: T): Promise<T> {
  return remember<T>(tx, flow, sql`${JSON.stringify(data)}::jsonb || coalesce(data, '{}')`)
}

/** The question that a passkey has to answer, in place of a former one. */
export const Challenge = z.object({ challenge: z.string(), origin: z.string() })
export type Challenge = z.infer<typeof Challenge>

export async function putChallenge(tx: Tx, flow: Flow, data: Challenge): Promise<void> {
  await remember(tx, flow, sql`coalesce(data, '{}') || ${JSON.stringify(data)}::jsonb`)
}

/** Whoever puts something into a flow knows what it is. */
const FlowData = z.object({ data: z.unknown() })

async function remember<T>(tx: Tx, flow: Flow, data: SQL): Promise<T> {
  const stored = await row(
    tx,
    FlowData,
    sql`update flows set data = ${data} where id = ${flow.id} and used_at is null returning data`,
  )
  if (!stored) throw refuse('flow_expired')
  return stored.data as T
}

export const FlowChallenge = z.extend(Flow, Challenge.shape)
export type FlowChallenge = z.infer<typeof FlowChallenge>

/** The question of an open flow, which is not asked twice: it is taken out, whatever the answer will be. */
export async function takeChallenge(tx: Tx, flowToken: string): Promise<FlowChallenge> {
  const taken = await row(
    tx,
    FlowChallenge,
    sql`with asked as (select * from flows where token_hash = ${sha256(flowToken)} and used_at is null
        and expires_at > now() and data ? 'challenge' for update)
      update flows set data = flows.data - 'challenge' from asked where flows.id = asked.id
      returning asked.id, asked.purpose, asked.identifier, asked.user_id as "userId", asked.data,
        asked.data->>'challenge' as challenge, asked.data->>'origin' as origin`,
  )
  if (!taken) throw refuse('flow_expired')
  return taken
}

export const forgetFlows = ({ single }: Pick<Database, 'single'>) =>
  single.execute(sql`delete from flows where expires_at < now() - interval '7 days'`)
