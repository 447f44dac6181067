import type { FastifyInstance } from 'fastify'
import {
  cancelOperation,
  listOperationRows,
  listOperations,
  readOperation,
  undoOperation,
} from '#contract/operations.ts'
import { audit } from '../platform/http/audit.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { operationBulkRoutes } from './bulk.ts'
import { findOperation, findOperationRows, findOperations, moveOperation } from './queries.ts'

export function operationsRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(listOperations, ({ tx, caller, query, request }) => findOperations(tx, { caller, query, request }))

  mount(readOperation, ({ tx, caller, params }) => findOperation(tx, caller, params.operationId))

  mount(listOperationRows, async ({ tx, caller, params, query, request }) => {
    const { id } = await findOperation(tx, caller, params.operationId)
    return findOperationRows(tx, { id, query, request })
  })

  operationBulkRoutes(mount, services)

  for (const [endpoint, action] of [
    [cancelOperation, 'cancel'],
    [undoOperation, 'undo'],
  ] as const)
    mount(endpoint, async ({ tx, caller, params, request }) => {
      const after = await moveOperation(tx, caller, { id: params.operationId, action })
      const by = { caller, request }
      await audit(tx, by, {
        organizationId: after.organizationId,
        action: action === 'cancel' ? 'operation.cancelling' : 'operation.undoing',
        entity: 'operation',
        entityId: after.id,
        after: { kind: after.kind },
      })
      await services.jobs.send(tx, 'operation.run', { operationId: after.id })
      return after
    })
}
