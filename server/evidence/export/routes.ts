import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { exportEvidence } from '#contract/exports.ts'
import { row, type Tx } from '#server/platform/db/client.ts'
import { refuse } from '#server/platform/errors.ts'
import { audit } from '#server/platform/http/audit.ts'
import type { Mount } from '#server/platform/http/mount.ts'
import { exportName } from '#server/platform/http/list-export.ts'
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
      const found = await nameOfExport(tx, orgId, query)
      const entry = { organizationId: orgId, entity: 'organization', entityId: orgId, after: query }
      await audit(tx, { caller, request }, { ...entry, action: 'evidence.exported' })
      return found
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

const SlugRow = z.object({ slug: z.string(), hasVideo: z.boolean() })

/** Like `acme-evidence-2026-11-21`. Refuses what is not there, and where nothing finer than completions may be told. */
async function nameOfExport(
  tx: Tx,
  organizationId: string,
  { videoId }: ParsedQuery<typeof exportEvidence>,
): Promise<string> {
  const found = await row(
    tx,
    SlugRow,
    sql`select slug, ${videoId === undefined ? sql`true` : sql`exists (select from videos v where v.id = ${videoId} and v.organization_id = o.id)`} as "hasVideo"
      from organizations o where id = ${organizationId} and deleted_at is null`,
  )
  if (!found?.hasVideo) throw refuse('not_found')
  if (!(await privacyOf(tx, organizationId)).showsPersons)
    throw refuse('conflict', { reason: { code: 'no_evidence_kept' } })
  return exportName(found.slug, 'evidence')
}
