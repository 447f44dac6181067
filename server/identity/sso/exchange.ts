import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import type { exchangeSso, Watching } from '#contract/identity/sso-sign-in.ts'
import { hasRow, row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { noteProof } from '../factors/factors.ts'
import { lockedAccount } from '../queries.ts'
import { rotateSession, startWatching, type Amr } from '../session.ts'
import { letWatch, mayOnlyWatch } from '../watcher.ts'
import { afterFirstProof } from '../sign-in/steps.ts'
import { endFlow, flowById, forgetBrowser, isOfBrowser, type FoundPerson, type Visit } from './flow.ts'

type ExchangeAnswer = Reply<typeof exchangeSso>
/** What stands in a cookie of the answer is told nowhere else. */
type Completed = Exclude<ExchangeAnswer, Watching> | (Watching & { sessionId: string })
type Exchanging = Visit & { caller: Caller | undefined }

/** What the flow has proved, once, for the browser that began it. */
export async function exchange(exchanging: Exchanging, flowId: string): Promise<ExchangeAnswer> {
  const { services } = exchanging
  const answer = await services.db.as('system', (tx) => completed(tx, exchanging, flowId))
  forgetBrowser(exchanging, { id: flowId })
  if (answer.status === 'watching') letWatch(services, exchanging.reply, answer.sessionId)
  return answer
}

const Named = z.object({ name: z.string(), organizationId: z.nullable(z.string()) })

async function completed(tx: Tx, exchanging: Exchanging, flowId: string): Promise<Completed> {
  const { services, request, caller } = exchanging
  const flow = await flowById(tx, flowId)
  if (!flow || flow.data.stage !== 'done' || !isOfBrowser({ services, request }, flow))
    throw refuse('flow_expired')
  if (!(await endFlow(tx, flow))) throw refuse('flow_expired')
  const { connectionId, aim, found } = flow.data
  const connection = await row(
    tx,
    Named,
    sql`select name, organization_id as "organizationId" from sign_in_connections where id = ${connectionId}
      and (is_on or ${aim.kind === 'trial'})`,
  )
  if (!connection) throw refuse('flow_expired')
  const { organizationId, name } = connection
  if (aim.kind === 'trial') return { status: 'tried', connectionId, organizationId }
  if (!found || !(await isStillKnown(tx, found))) throw refuse('flow_expired')
  if (aim.kind === 'proof') return proved(tx, { request, caller, sessionId: aim.sessionId, connection: name })
  return entered(tx, { services, request, found, connection: name })
}

/** Somebody may have been forgotten, or switched off, since the provider answered. */
const isStillKnown = (tx: Tx, { personId, userId }: FoundPerson): Promise<boolean> =>
  hasRow(tx, sql`select from connection_people where id = ${personId} and user_id = ${userId} for key share`)

type Proof = { request: FastifyRequest; caller: Caller | undefined; sessionId: string; connection: string }

async function proved(tx: Tx, { request, caller, sessionId, connection }: Proof): Promise<Completed> {
  if (caller?.sessionId !== sessionId) throw refuse('flow_expired')
  await noteProof(tx, sessionId, 'sso')
  const { organizationId, userId } = caller
  const entry = {
    organizationId,
    entity: 'user',
    entityId: userId,
    after: { factor: 'connection', connection },
  }
  await audit(tx, { request, caller }, { ...entry, action: 'auth.reauthenticate' })
  return rotateSession(tx, sessionId)
}

type Entering = { services: Services; request: FastifyRequest; found: FoundPerson; connection: string }

async function entered(tx: Tx, { services, request, found, connection }: Entering): Promise<Completed> {
  const { personId, userId, sid, isSecondStep } = found
  const account = await lockedAccount(tx, userId)
  const watcher = account ? undefined : await mayOnlyWatch(tx, userId)
  if (!account?.mayEnter && !watcher) throw refuse('invalid_credentials')
  const by = { request, caller: { userId } }
  const organizationId = account?.organizationId ?? watcher?.organizationId ?? null
  const entry = { organizationId, entity: 'user', entityId: userId }
  await audit(tx, by, { ...entry, action: 'auth.sign_in', after: { factor: 'connection', connection } })
  const amr: Amr[] = isSecondStep ? ['sso', 'mfa'] : ['sso']
  const proved = { amr, remember: false, connection: { personId, sid } }
  if (!account)
    return {
      status: 'watching',
      sessionId: await startWatching(tx, userId, { services, request, ...proved }),
    }
  return afterFirstProof(tx, { asking: { services, request }, account, proved })
}
