import type { FastifyRequest } from 'fastify'
import { type Finding } from '#contract/identity/sso.ts'
import type { SignInFault } from '#contract/identity/sso-faults.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Services } from '../../platform/http/services.ts'
import * as z from 'zod/mini'
import { answerOf, type Answer } from './answer.ts'
import { providerFor } from './begin.ts'
import { addressIn, saysSecondStep, shownClaims } from './claims.ts'
import { callbackOf, knownConnection, type KnownConnection } from './connections.ts'
import {
  endFlow,
  flowById,
  isOfBrowser,
  takeStep,
  type ConnectionFlow,
  type FoundPerson,
  type Visit,
} from './flow.ts'
import { judge, type Judged } from './judge.ts'
import { noteRefused, pageOf } from './refused.ts'

const flowIdIn = (state: string | undefined): string | undefined =>
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{20,100}$/.exec(state ?? '')?.[1]

type Led = { connectionId: string; state: string | undefined }
type Outcome =
  | { flow: string }
  | { fault: SignInFault; connection: KnownConnection | undefined; userId?: string | undefined }

/** Where the browser goes on after the provider: to the page that exchanges the flow, or that says why not. */
export async function finishSignIn(visit: Visit, led: Led): Promise<string> {
  const { services, request } = visit
  const outcome = await finish(visit, led)
  if ('flow' in outcome) return pageOf(outcome)
  await services.db.as('system', (tx) => noteRefused(tx, { request, ...outcome }))
  return pageOf({ fault: outcome.fault })
}

async function finish(visit: Visit, { connectionId, state }: Led): Promise<Outcome> {
  const { services, request } = visit
  const { db, keys } = services
  const id = flowIdIn(state)
  const { connection, flow } = await db.as('system', async (tx) => ({
    connection: await knownConnection(tx, keys, connectionId),
    flow: id === undefined ? undefined : await flowById(tx, id),
  }))
  if (!connection) return { fault: 'connection_off', connection }
  if (!flow || flow.data.stage !== 'asked' || flow.data.question?.state !== state)
    return { fault: 'flow_unknown', connection }
  if (!isOfBrowser({ services, request }, flow)) return { fault: 'other_browser', connection }
  // Asked of one connection, answered at the address of another: neither is believed.
  if (flow.data.connectionId !== connectionId) return { fault: 'issuer_wrong', connection }
  const isFirst = await db.as('system', (tx) =>
    takeStep(tx, flow, { from: 'asked', to: { stage: 'answered' } }),
  )
  if (!isFirst) return { fault: 'flow_unknown', connection }
  const provider = providerFor(services, connection, flow.data.aim)
  if (!provider) return { fault: 'client_refused', connection }
  const callback = new URL(callbackOf(services, connectionId))
  callback.search = new URL(request.url, callback).search
  const wanted = connection.rules.map(({ claim }) => claim)
  const answer = await answerOf({ env: services.env, provider, callback, flow, wanted })
  return db.as('system', (tx) => conclude(tx, { services, request }, { connection, flow, answer }))
}

type Asking = { services: Services; request: FastifyRequest }
type Concluding = { connection: KnownConnection; flow: ConnectionFlow; answer: Answer }

async function conclude(tx: Tx, { services, request }: Asking, concluding: Concluding): Promise<Outcome> {
  const { flow, answer } = concluding
  if (flow.data.aim.kind === 'trial') return noteTrial(tx, concluding, flow.data.aim.by)
  // As it is now: somebody may have switched it off meanwhile.
  const connection = await knownConnection(tx, services.keys, concluding.connection.id)
  if (!connection) return { fault: 'connection_off', connection }
  const judged = await judgedOf(tx, { request, connection, concluding })
  if ('fault' in judged) {
    await endFlow(tx, flow)
    return { ...judged, connection }
  }
  if ('fault' in answer) return { fault: answer.fault, connection }
  const { claims, sid } = answer
  const { secondStep } = connection
  const isSecondStep = secondStep === 'theirs' || (secondStep === 'told' && saysSecondStep(claims))
  const found: FoundPerson = { ...judged, sid, isSecondStep }
  await takeStep(tx, flow, { from: 'answered', to: { stage: 'done', found } })
  return { flow: flow.id }
}

type JudgedBy = { request: FastifyRequest; connection: KnownConnection; concluding: Concluding }

function judgedOf(tx: Tx, { request, connection, concluding }: JudgedBy): Promise<Judged> {
  const { answer, flow } = concluding
  const { aim } = flow.data
  if ('fault' in answer) return Promise.resolve({ fault: answer.fault })
  if (aim.kind === 'proof') return provedBy(tx, connection, { subject: answer.subject, userId: aim.userId })
  return judge(tx, { connection, said: answer, by: { request, caller: undefined } })
}

const Proved = z.object({ personId: z.string(), userId: z.string() })

/** A proof changes nothing: it only has to be the same person. */
async function provedBy(
  tx: Tx,
  { id, isOn }: KnownConnection,
  { subject, userId }: { subject: string; userId: string },
): Promise<Judged> {
  if (!isOn) return { fault: 'connection_off', userId }
  const found = await row(
    tx,
    Proved,
    sql`select id as "personId", user_id as "userId" from connection_people
      where connection_id = ${id} and subject = ${subject} and user_id = ${userId}`,
  )
  return found ?? { fault: 'other_person', userId }
}

/** Nobody is let in, and nobody is created: only what came is kept, for whoever tries. */
async function noteTrial(tx: Tx, { connection, flow, answer }: Concluding, by: string): Promise<Outcome> {
  const claims = 'fault' in answer ? [] : shownClaims(answer.claims)
  const address = 'fault' in answer ? undefined : addressIn(answer.claims)
  const findings: Finding[] = [
    {
      step: 'sign_in',
      result: 'fault' in answer ? 'wrong' : 'good',
      fault: 'fault' in answer ? answer.fault : null,
      told: null,
    },
    {
      step: 'claims',
      result: address === undefined ? 'open' : 'fault' in address ? 'wrong' : 'good',
      fault: address && 'fault' in address ? address.fault : null,
      told: address && 'email' in address ? address.email : null,
    },
  ]
  const trial = { at: new Date().toISOString(), by, findings, claims }
  await tx.execute(
    sql`update sign_in_connections set trial = ${JSON.stringify(trial)}::jsonb where id = ${connection.id}`,
  )
  await takeStep(tx, flow, { from: 'answered', to: { stage: 'done' } })
  return { flow: flow.id }
}
