import type { EndpointDefinition } from '#contract/endpoint.ts'
import type { ProblemCode } from '#contract/problems.ts'

/** What any call may be refused with, whatever it is about. */
export const refusalsOfAll: readonly ProblemCode[] = [
  'invalid_request',
  'timeout',
  'too_many_requests',
  'internal',
  'unavailable',
  'storage_full',
]

/** What follows from the declaration of a call (`server/platform/http/mount.ts`), before its handler has a reason of its own. */
export function refusalsOf(endpoint: EndpointDefinition): ProblemCode[] {
  const { access, method, params, query, body } = endpoint
  const isGuarded = access.kind === 'roles'
  const found: Partial<Record<ProblemCode, boolean | undefined>> = {
    unauthenticated: isGuarded,
    forbidden: isGuarded,
    session_locked: isGuarded && !endpoint.whileLocked,
    read_only: isGuarded && !(endpoint.whileImpersonating ?? method === 'GET'),
    reauthentication_required: endpoint.fresh,
    not_found: params !== undefined,
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
