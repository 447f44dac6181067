import * as z from 'zod/mini'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { catchUp } from '../../platform/derived/keys.ts'
import { hasToBePassed } from '../../tracking/completion.ts'
import { failing } from './failing.ts'
import { trainingCells } from './recompute.ts'
import { bitOf } from './state.ts'

/** The matrix of an organization, in parts of a statement. */
export type Matrix = {
  /** CTEs on which `cells` stands, each with a comma behind it. */
  given: SQL
  /** Table of (user_id, video_id, bits, late_at, waived_until, expires_at). */
  cells: SQL
  /** Changes since this instant are not in it yet; null: it is as of now. */
  asOf: string | null
}

/** As many changes are worked out while somebody waits for the matrix. */
const mostAtOnce = 2_000

const Found = z.object({ hasTests: z.boolean() })

export async function matrixNow(tx: Tx, organizationId: string): Promise<Matrix> {
  const asOf = await catchUp(tx, { figure: trainingCells, organizationId, subject: null }, mostAtOnce)
  const found = await row(
    tx,
    Found,
    sql`select exists (select from quizzes q join quiz_versions n on n.id = q.current_version_id
        where q.organization_id = ${organizationId} and ${hasToBePassed})
      or exists (select from assignments a where a.organization_id = ${organizationId} and a.requirement = 'passed') as "hasTests"`,
  )
  const cells = sql`(select user_id, video_id, bits, late_at, waived_until, expires_at from training_cells where organization_id = ${organizationId})`
  return found?.hasTests ? withFailures(cells, organizationId, asOf) : { given: sql``, cells, asOf }
}

/** The cells know nothing of who failed: it is looked up. */
function withFailures(cells: SQL, organizationId: string, asOf: string | null): Matrix {
  const [failed, exhausted] = [sql.raw(String(bitOf('failed'))), sql.raw(String(bitOf('exhausted')))]
  return {
    asOf,
    given: sql`failing as materialized (select user_id, video_id, case when is_final then ${failed} | ${exhausted} else ${failed} end as bits
      from ${failing({ organizationId: sql`${organizationId}` })} x), `,
    cells: sql`(select c.user_id, c.video_id, (c.bits | coalesce(f.bits, 0))::smallint as bits, c.late_at, c.waived_until, c.expires_at
      from ${cells} c left join failing f on f.user_id = c.user_id and f.video_id = c.video_id)`,
  }
}
