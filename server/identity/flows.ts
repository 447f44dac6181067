import type { FastifyRequest } from 'fastify'
import { row, type Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import { flows } from '../db/schema/identity.ts'
import { refuse } from '../errors.ts'
import { iso } from '../http/paging.ts'
import { randomToken, sha256 } from '../keys.ts'
import { codeMinutes, type Purpose } from './mails.ts'

/** What a flow is for; a token of one purpose is worth nothing for another. */
export type FlowPurpose =
  | Purpose
  /** The password was right, the second factor is still to come. */
  | 'second_step'
  /** The policy asks for a second factor, and the sign-in waits for one to be set up. */
  | 'enroll'
  /** A passkey was asked for without anybody having said who they are. */
  | 'passkey'

export type Flow = {
  id: string
  purpose: FlowPurpose
  identifier: string
  userId: string
  data: Record<string, unknown> | null
}

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

/** A token for the next step, told to the client once and kept as a hash. */
export async function startFlow(tx: Tx, start: Start): Promise<{ flowToken: string; expiresAt: string }> {
  const flowToken = randomToken()
  const [started] = await tx
    .insert(flows)
    .values({ ...start, tokenHash: sha256(flowToken), expiresAt: flowEnd })
    .returning({ expiresAt: flows.expiresAt })
  if (!started) throw new Error('The flow was not stored.')
  return { flowToken, expiresAt: iso(started.expiresAt) }
}

/** Only the newest code of an address counts, and none is left when its work is done. */
export async function endFlows(
  tx: Tx,
  which: { identifier: string; purpose: Purpose; alsoVerified: boolean },
): Promise<void> {
  await tx.execute(
    sql`update flows set used_at = now() where identifier = ${which.identifier} and purpose = ${which.purpose}
      and used_at is null and (not verified or ${which.alsoVerified})`,
  )
}

/** The token of the flow from the request's header; without one there is nothing to continue. */
export function flowTokenOf(request: FastifyRequest): string {
  const header = request.headers['x-auth-flow']
  if (typeof header !== 'string' || header.length < 20 || header.length > 200) throw refuse('flow_expired')
  return header
}

/** Of two that use a flow at once, one does. */
export async function consume(tx: Tx, flow: Flow): Promise<void> {
  const mine = await row(
    tx,
    sql`update flows set used_at = now() where id = ${flow.id} and used_at is null returning 1`,
  )
  if (!mine) throw refuse('flow_expired')
}

/** A flow whose code has been verified before. */
export async function verifiedFlow(tx: Tx, flowToken: string): Promise<Flow> {
  const found = await row<Flow>(
    tx,
    sql`select ${flowColumns} from flows
      where token_hash = ${sha256(flowToken)} and verified and used_at is null and expires_at > now()`,
  )
  if (!found) throw refuse('flow_expired')
  return found
}
