import type { FastifyRequest } from 'fastify'
import type { SignInFault } from '#contract/identity/sso-faults.ts'
import type { Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { audit, ofInstallation } from '../../platform/http/audit.ts'
import type { KnownConnection } from './connections.ts'

/** Where the page of these sign-ins goes on. A fault is one of a closed list, and nothing of a stranger's stands in the address. */
export const pageOf = (search: { flow: string } | { fault: SignInFault }): string =>
  `/auth-1/sso?${new URLSearchParams(search).toString()}`

type Refused = {
  request: FastifyRequest
  connection: Pick<KnownConnection, 'id' | 'organizationId' | 'name'> | undefined
  fault: SignInFault
  /** Whom it was about, where that is known. */
  userId?: string | undefined
}

/** Every refusal is written down, and the connection shows its last one. */
export async function noteRefused(tx: Tx, { request, connection, fault, userId }: Refused): Promise<void> {
  const by = { request, caller: undefined }
  const action = 'auth.sso_refused' as const
  if (!connection) {
    await audit(tx, by, { ...ofInstallation, action, after: { connection: null, fault } })
    return
  }
  const { id, organizationId, name } = connection
  const whose =
    userId === undefined ? { entity: 'connection', entityId: id } : { entity: 'user', entityId: userId }
  await audit(tx, by, { organizationId, ...whose, action, after: { connection: name, fault } })
  await tx.execute(
    sql`update sign_in_connections set last_fault = ${fault}, last_fault_at = now() where id = ${id}`,
  )
}
