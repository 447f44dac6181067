import type { FastifyInstance } from 'fastify'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { exportEvidence } from '#contract/platform/exports.ts'
import { hasRow, type Tx } from '#server/platform/db/client.ts'
import { refuse } from '#server/platform/errors.ts'
import type { Mount } from '#server/platform/http/mount.ts'
import { beginExport } from '#server/platform/http/lists/list-export.ts'
import type { Services } from '#server/platform/http/services.ts'
import { privacyOf } from '#server/directory/organizations/privacy.ts'
import { sql } from '../../platform/db/sql.ts'
import { csvOf } from './csv.ts'
import { exportedSessions } from './rows.ts'
import { xapiOf } from './xapi.ts'

export function exportRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  const { db, env } = services
  mount(exportEvidence, async ({ caller, scope, params: { orgId }, query, request }) => {
    const name = await db.as(scope, async (tx) => {
      await requireExportable(tx, orgId, query)
      const begun = {
        organizationId: orgId,
        action: 'evidence.exported',
        what: 'evidence',
        after: query,
      } as const
      return beginExport(tx, { caller, request, ...begun })
    })
    const stretches = exportedSessions({ db, organizationId: orgId, query })
    return query.format === 'csv'
      ? { name: `${name}.csv`, type: 'text/csv; charset=utf-8', content: csvOf(stretches) }
      : {
          name: `${name}.xapi.json`,
          type: 'application/json; charset=utf-8',
          content: xapiOf(stretches, { publicUrl: services.publicUrl(), product: env.productName }),
        }
  })
}

/** Refuses what is not there, and organizations where nothing finer than completions may be told. */
async function requireExportable(
  tx: Tx,
  organizationId: string,
  { videoId }: ParsedQuery<typeof exportEvidence>,
): Promise<void> {
  const hasVideo = sql`exists (select from videos v where v.id = ${videoId ?? null} and v.organization_id = o.id)`
  const found = await hasRow(
    tx,
    sql`select 1 from organizations o where id = ${organizationId} and deleted_at is null
      and ${videoId === undefined ? sql`true` : hasVideo}`,
  )
  if (!found) throw refuse('not_found')
  if (!(await privacyOf(tx, organizationId)).showsPersons)
    throw refuse('conflict', { reason: { code: 'no_evidence_kept' } })
}
