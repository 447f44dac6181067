import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Services } from '../../platform/http/services.ts'
import type { Account } from '../queries.ts'

const Required = z.object({ breakGlassId: z.nullable(z.string()) })

type Entering = { services: Pick<Services, 'db'>; request: FastifyRequest; connection?: unknown }
/** `emergency`: past the organization's own sign-in, by the one who is named for that. */
export type WayIn = 'usual' | 'emergency'

/**
 * Where an organization requires its own sign-in, its people enter by nothing else. Asked after the proof, so that a stranger with a wrong
 * password learns nothing; the entry of the audit outlives the transaction that ends here.
 */
export async function requireWayIn(
  tx: Tx,
  { id, organizationId }: Pick<Account, 'id' | 'organizationId'>,
  { services, request, connection }: Entering,
): Promise<WayIn> {
  if (connection !== undefined || organizationId === null) return 'usual'
  const required = await row(
    tx,
    Required,
    sql`select break_glass_id as "breakGlassId" from sign_in_policies
      where organization_id = ${organizationId} and sign_in = 'required'`,
  )
  if (!required) return 'usual'
  if (required.breakGlassId === id) return 'emergency'
  const entry = { organizationId, action: 'auth.way_refused' as const, entity: 'user', entityId: id }
  await audit(services.db.single, { request, caller: { userId: id } }, entry)
  throw refuse('forbidden', { reason: { code: 'sso_required' } })
}
