import type { FastifyInstance } from 'fastify'
import { auditExportFreshAbove, exportAudit, listAudit, readAuditHead } from '#contract/platform/audit.ts'
import { audit } from '../http/audit.ts'
import { requireFresh } from '../http/bearer.ts'
import type { Mount } from '../http/mount.ts'
import type { Services } from '../http/services.ts'
import { countForExport, exported } from './export.ts'
import { findEntries, organizationOf, readHead } from './queries.ts'

export function auditRoutes(_app: FastifyInstance, mount: Mount, { db }: Services): void {
  mount(listAudit, ({ tx, caller, query, request }) => {
    const asked = { ...query, organizationId: organizationOf(caller, query) }
    return findEntries(tx, { asked, query, request })
  })

  mount(readAuditHead, ({ tx }) => readHead(tx))

  mount(exportAudit, async ({ tx, caller, scope, query, request }) => {
    const { format, ...filters } = query
    const asked = { ...filters, organizationId: organizationOf(caller, query) }
    const counted = await countForExport(tx, asked)
    // Whoever takes it is to be there; a key is a machine, which fetches what is new and is bound to its scopes and networks.
    if (counted > auditExportFreshAbove && caller.key === null) requireFresh(caller)
    const entry = { organizationId: asked.organizationId, entity: 'audit', entityId: null }
    const after = { format, ...filters }
    await audit(tx, { caller, request }, { ...entry, action: 'audit.exported', after })
    return {
      name: `audit-${new Date().toISOString().slice(0, 10)}.${format}`,
      type: format === 'jsonl' ? 'application/x-ndjson' : 'text/csv; charset=utf-8',
      content: exported({ db, scope, asked, format }),
    }
  })
}
