import type { FastifyContextConfig } from 'fastify'
import type { EndpointDefinition, Schema } from '#contract/endpoint.ts'
import type { ProblemCode } from '#contract/problems.ts'
import { ownRefusals } from '#contract/platform/refusals.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What it may be refused with for reasons of its own. */
    refusals?: readonly ProblemCode[]
  }
}

/** What any call may be refused with, whatever it is about. */
export const refusalsOfAll: readonly ProblemCode[] = [
  'invalid_request',
  'timeout',
  'too_many_requests',
  'internal',
  'unavailable',
  'storage_full',
]

/** What a call may be refused with beside that: what follows from its declaration, and what its handler has reasons for. */
export function refusalsOf(endpoint: EndpointDefinition): ProblemCode[] {
  return [...new Set([...declaredRefusals(endpoint), ...(ownRefusals[endpoint.name] ?? [])])]
}

/** What `server/platform/http/mount.ts` refuses, and ids that lead nowhere, or not for whom sends them. */
function declaredRefusals(endpoint: EndpointDefinition): ProblemCode[] {
  const { access, method, params, query, body } = endpoint
  const isGuarded = access.kind === 'roles'
  const found: Partial<Record<ProblemCode, boolean | undefined>> = {
    unauthenticated: isGuarded,
    invalid_key: isGuarded,
    scope_missing: isGuarded && access.scope !== 'person',
    forbidden: isGuarded,
    session_locked: isGuarded && !endpoint.whileLocked,
    read_only: isGuarded && !(endpoint.whileImpersonating ?? method === 'GET'),
    reauthentication_required: endpoint.fresh,
    not_found: params !== undefined || namesById(query) || namesById(body),
    validation_failed: query !== undefined || body !== undefined,
    unknown_field: !endpoint.dropsUnknown,
    too_large: body !== undefined,
    unsupported_media: body !== undefined,
    in_progress: endpoint.idempotent,
    idempotency_key_reused: endpoint.idempotent,
    precondition_failed: endpoint.ifMatch,
    flow_expired: endpoint.flow,
  }
  return (Object.keys(found) as ProblemCode[]).filter((code) => found[code])
}

function namesById(schema: Schema | undefined): boolean {
  const fields = schema && 'shape' in schema ? Object.keys(schema.shape as object) : []
  return fields.some((name) => /Ids?$/.test(name))
}

/**
 * Whether a call may answer so. Asked in tests and development alone, so that the API's description misses nothing; in production
 * a refusal goes out as it is.
 */
export function requireNamed({ endpoint, refusals }: FastifyContextConfig, code: ProblemCode): void {
  if (process.env['CHECK_ROWS'] === undefined || !refusals) return
  if (!refusals.includes(code) && !refusalsOfAll.includes(code))
    throw new Error(`${endpoint} answers ${code}, which contract/platform/refusals.ts does not say`)
}
