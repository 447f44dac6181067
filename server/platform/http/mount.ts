import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type * as z from 'zod/mini'
import {
  FileReply,
  type EndpointDefinition,
  type ParsedBody,
  type ParsedParams,
  type ParsedQuery,
  type Reply,
  type Schema,
} from '#contract/endpoint.ts'
import { headerFields } from '#contract/platform/headers.ts'
import type { FieldProblem } from '#contract/problems.ts'
import type { Database, Scope, Tx } from '../db/client.ts'
import { Refusal, refuse } from '../errors.ts'
import { callerOf, requireFresh, tellSessionEnd, type Caller } from './bearer.ts'
import { headerOf } from './declared.ts'
import { fieldsOf } from './faults.ts'
import { replayed, remember } from './idempotency.ts'
import { admitKey, keyRefusal } from './key-calls.ts'
import { logAs } from './log.ts'
import { refusalsOf } from './refusals.ts'
import type { Services } from './services.ts'
import { intakeOf, type Intake } from './strict.ts'

type SignedIn = { access: { kind: 'roles' } }

/** What a handler of a signed-in endpoint sees. `tx` is held to the caller's organization by the tenant policies, and commits before the answer leaves. */
type Context<E extends EndpointDefinition> = {
  params: ParsedParams<E>
  query: ParsedQuery<E>
  body: ParsedBody<E>
  request: FastifyRequest
  reply: FastifyReply
} & (E extends SignedIn ? SignedInPart<E> : { caller: Caller | undefined })

/** No transaction where the handler opens its own. */
type SignedInPart<E> = { caller: Caller; scope: Scope } & (E extends { ownTransactions: true }
  ? object
  : { tx: Tx })

export type Handler<E extends EndpointDefinition> = (context: Context<E>) => Promise<Reply<E>>
export type Mount = <E extends EndpointDefinition>(endpoint: E, handler: Handler<E>) => void

/** Binds endpoints of the contract to handlers; access and validation are settled before a handler runs. */
export function mountOn(app: FastifyInstance, services: Services): Mount {
  const readers = new Map<string, Reader>()
  return (endpoint, handler) => {
    // The cast states what `parts` and the branches of `respond` establish for this endpoint at run time.
    const run = handler as unknown as RunHandler
    if (endpoint.method === 'GET') readers.set(endpoint.path, { endpoint, run })
    const intake = intakeOf(endpoint)
    const route: RouteOptions = {
      method: endpoint.method,
      url: `/api${endpoint.path}`,
      config: {
        endpoint: endpoint.name,
        headers: headerFields.filter((field) => endpoint[field]),
        refusals: refusalsOf(endpoint),
      },
      ...(endpoint.bodyBytes === undefined ? {} : largeBody(endpoint, services, endpoint.bodyBytes)),
      handler: async (request, reply) => {
        const reader =
          endpoint.method === 'PUT' ? readers.get(endpoint.path.replace(/\/(settings|due)$/, '')) : undefined
        const answer = await respond({ endpoint, intake, reader, services, request, reply, run })
        if (endpoint.reply === FileReply) return sendFile(reply, answer.body as z.output<typeof FileReply>)
        // A handler may have said something else than all is well.
        if (reply.statusCode === 200) reply.status(answer.status)
        return reply.send(answer.body)
      },
    }
    const { bodyTypes } = endpoint
    if (bodyTypes) void app.register(async (scoped) => takeFiles(scoped, bodyTypes).route(route))
    else app.route(route)
  }
}

/** Its bodies are files of these types, handed on as they come, and nothing else. */
function takeFiles(app: FastifyInstance, types: readonly string[]): FastifyInstance {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser([...types], { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return app
}

/** Nobody fills the memory of the server before it is known who they are. */
function largeBody(endpoint: EndpointDefinition, { db }: Services, bodyLimit: number) {
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = await callerOf(db, request)
    if (!caller) throw refuse('unauthenticated')
    await admitKey(db, caller, { what: endpoint.name, refusal: keyRefusal(endpoint, caller), request, reply })
    if (!isOpenTo(endpoint, caller)) throw refuse('forbidden')
  }
  return { bodyLimit, onRequest }
}

/** What goes wrong on the way breaks the transfer off, so that half a file is not taken for a whole one. */
function sendFile(reply: FastifyReply, { name, type, content }: z.output<typeof FileReply>) {
  reply.type(type).header('content-disposition', `attachment; filename="${name}"`)
  return reply.send(Readable.from(content))
}

type RunHandler = (context: object) => Promise<unknown>
type Reader = { endpoint: EndpointDefinition; run: RunHandler }

type Call = {
  endpoint: EndpointDefinition
  intake: Intake
  /** Of a PUT: what reads the same thing. */
  reader: Reader | undefined
  services: Services
  request: FastifyRequest
  reply: FastifyReply
  run: RunHandler
}

async function respond(call: Call): Promise<{ status: number; body: unknown }> {
  const { endpoint, services, request, reply } = call
  // What the contract does not name is left out of the answer.
  const answerOf = (body: unknown) => ({ status: endpoint.status ?? 200, body: endpoint.reply.parse(body) })
  reply.header('cache-control', 'no-store')
  if (endpoint.access.kind !== 'roles') {
    const caller = await callerIfValid(services, call)
    return answerOf(await call.run({ ...parts(call), request, reply, caller }))
  }
  const caller = await callerOf(services.db, request)
  if (!caller) throw refuse('unauthenticated')
  logAs(request, caller)
  if (caller.key === null) tellSessionEnd(reply, caller)
  await admitKey(services.db, caller, {
    what: endpoint.name,
    refusal: keyRefusal(endpoint, caller),
    request,
    reply,
  })
  if (!isOpenTo(endpoint, caller)) throw refuse('forbidden')
  const blockedReason = blockedReasonOf(endpoint, caller)
  if (blockedReason) throw refuse(blockedReason)
  if (endpoint.fresh) requireFresh(caller)
  const { carried, ...input } = parts(call)
  const scope = scopeOf(caller, input.params)
  const given = { ...input, caller, scope }
  if (endpoint.ownTransactions) {
    if (carried.length > 0)
      await services.db.as(scope, (tx) => requireCarriedBack(call, carried, { ...given, tx }))
    return answerOf(await call.run({ ...given, request, reply }))
  }
  const run = runnerOf(endpoint, services)
  const signal = endpoint.readsMuch ? abandonment(reply) : undefined
  const answer = await run(
    scope,
    async (tx) => {
      const key = { endpoint, request, actorId: caller.key?.id ?? caller.userId, tx }
      const earlier = await replayed(key)
      if (earlier) return earlier
      if (carried.length > 0) await requireCarriedBack(call, carried, { ...given, tx })
      const fresh = answerOf(await call.run({ ...given, request, reply, tx }))
      await remember(key, fresh)
      return fresh
    },
    { actor: caller.viewer?.id ?? caller.userId, signal },
  )
  setEtag(reply, answer.body)
  return answer
}

function runnerOf({ readsAlone, readsMuch }: EndpointDefinition, { db }: Services): Database['as'] {
  if (readsAlone) return db.reads
  return readsMuch ? db.asReport : db.as
}

function isOpenTo(endpoint: EndpointDefinition, caller: Caller): boolean {
  const { access } = endpoint
  if (access.kind !== 'roles') return true
  return access.roles.includes(caller.role) && keyRefusal(endpoint, caller) === undefined
}

/** Fires when nobody waits for the answer any more, as when a page was left. */
function abandonment({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableEnded) controller.abort()
  })
  return controller.signal
}

/** What the state of the session forbids, whatever the role. */
function blockedReasonOf(
  endpoint: EndpointDefinition,
  caller: Caller,
): 'session_locked' | 'read_only' | undefined {
  if (caller.isLocked && !endpoint.whileLocked) return 'session_locked'
  if (caller.viewer && !(endpoint.whileImpersonating ?? endpoint.method === 'GET')) return 'read_only'
  return undefined
}

/**
 * Clients send the token that they have kept; one that has ended, or may not do this now, must not keep its owner from
 * signing in.
 */
async function callerIfValid(services: Services, { endpoint, request }: Call): Promise<Caller | undefined> {
  try {
    const caller = await callerOf(services.db, request)
    // What is open to everybody is none of a key's business: it is nobody there.
    if (caller?.key) return undefined
    return caller && blockedReasonOf(endpoint, caller) ? undefined : caller
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** `carried`: fields of a PUT that it does not take, and that may be what its GET gave. */
function parts({ endpoint, intake, reader, request }: Call) {
  const params = parse(endpoint.params, request.params, 'not_found')
  const query = parse(intake.query, request.query, 'validation_failed')
  const sent = request.body ?? {}
  const carried = reader ? unknownFields(intake.body, sent) : []
  const schema = carried.length > 0 ? endpoint.body : intake.body
  return { params, query, body: parse(schema, sent, 'validation_failed'), carried }
}

function parse(schema: Schema | undefined, value: unknown, code: 'not_found' | 'validation_failed'): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(value)
  if (result.success) return result.data
  if (code === 'not_found') throw refuse(code)
  const fields = fieldsOf(result.error)
  const hasUnknown = Object.values(fields).flat().includes('unknown_field')
  throw refuse(hasUnknown ? 'unknown_field' : code, { fields })
}

/** The paths of what the schema does not know, where nothing else is wrong. */
function unknownFields(schema: Schema | undefined, value: unknown): string[] {
  const result = schema?.safeParse(value)
  const fields = Object.entries(result?.error ? fieldsOf(result.error) : {})
  return fields.every(([, found]) => found[0] === 'unknown_field') ? fields.map(([name]) => name) : []
}

/** Whoever sends back what they were given says nothing by it; whoever changes it means something that would not happen. */
async function requireCarriedBack(
  call: Call,
  carried: readonly string[],
  { caller, ...context }: SignedInPart<SignedIn>,
) {
  const { reader, request, reply } = call
  const given: unknown =
    reader && isOpenTo(reader.endpoint, caller)
      ? reader.endpoint.reply.parse(await reader.run({ ...context, caller, request, reply }))
      : {}
  const now: unknown = JSON.parse(JSON.stringify(given))
  const updatedAt = at(now, 'updatedAt')
  if (call.endpoint.ifMatch && typeof updatedAt === 'string') requireUnchanged(request, new Date(updatedAt))
  const fields = carried.flatMap((name): [string, FieldProblem[]][] => {
    const here = at(now, name)
    if (here === undefined) return [[name, ['unknown_field']]]
    return isDeepStrictEqual(here, at(request.body, name)) ? [] : [[name, ['read_only_field']]]
  })
  if (fields.length > 0) throw refuse('unknown_field', { fields: Object.fromEntries(fields) })
}

/** What stands at a path with dots, such as `policies.mfa`. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (part, name) =>
        typeof part === 'object' && part !== null && Object.hasOwn(part, name)
          ? (part as Record<string, unknown>)[name]
          : undefined,
      value,
    )
}

/**
 * An address with an organization binds the request to it: nobody but a superadmin may name another than their own, and then
 * learns nothing but "not found". Without one, a superadmin sees everything and everybody else their own organization.
 */
function scopeOf(caller: Caller, params: unknown): Scope {
  const named =
    typeof params === 'object' && params !== null && 'orgId' in params ? String(params.orgId) : undefined
  if (caller.role === 'superadmin') return named === undefined ? 'system' : { organizationId: named }
  if (caller.organizationId === null) throw refuse('forbidden')
  if (named !== undefined && named !== caller.organizationId) throw refuse('not_found')
  return { organizationId: caller.organizationId }
}

/** Every single resource carries `updatedAt`; its ETag is made of it, so that a later PUT can say what it has seen. */
function setEtag(reply: FastifyReply, body: unknown): void {
  if (typeof body === 'object' && body !== null && 'updatedAt' in body)
    reply.header('etag', etagOf(String(body.updatedAt)))
}

export function etagOf(updatedAt: string): string {
  return `"${hash('sha256', updatedAt, 'base64url').slice(0, 16)}"`
}

/** Refuses with 412 when the request names another state than the present one; null: it is not there yet. */
export function requireUnchanged(request: FastifyRequest, updatedAt: Date | null): void {
  const seen = headerOf(request, 'ifMatch')
    ?.split(',')
    .map((one) => one.trim())
  if (seen && !seen.includes('*') && !seen.includes(etagOf(updatedAt?.toISOString() ?? 'null')))
    throw refuse('precondition_failed')
}
