import * as z from 'zod/mini'
import type { BulkPreview } from '#contract/bulk.ts'
import { rowReasons } from '#contract/operations.ts'
import { row, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { Count } from '../platform/db/rows.ts'

type PreviewQuery = {
  /** Table with its alias, such as `users u`. */
  from: SQL
  chosen: SQL
  /** A word of `rowReasons`, or null. */
  blockedReason: SQL
}

const ReasonCount = z.object({ reason: z.nullable(z.enum(rowReasons)), count: z.number() })

/** Counts what would happen to the chosen ones; nothing is changed. */
export async function previewOf(tx: Tx, { from, chosen, blockedReason }: PreviewQuery): Promise<BulkPreview> {
  const found = await rows(
    tx,
    ReasonCount,
    sql`select reason, count(*)::int as count from (select ${blockedReason} as reason from ${from} where ${chosen}) judged
      group by reason order by count(*) desc, reason`,
  )
  const staying = found.flatMap(({ reason, count }) => (reason === null ? [] : { reason, count }))
  return {
    total: found.reduce((sum, { count }) => sum + count, 0),
    changing: found.find(({ reason }) => reason === null)?.count ?? 0,
    staying,
  }
}

/** As the contract has it, whatever the filter. */
type Selection = { ids: string[] } | { expected: number }

type Chosen = Omit<PreviewQuery, 'blockedReason'> & { selection: Selection }

/** Refuses when the selection is about other things than its author was told. */
export async function requireCount(tx: Tx, { from, chosen, selection }: Chosen): Promise<void> {
  const counted = await row(tx, Count, sql`select count(*)::int as n from ${from} where ${chosen}`)
  const n = counted?.n ?? 0
  if ('ids' in selection) {
    if (n !== new Set(selection.ids).size) throw refuse('not_found')
    return
  }
  if (n === 0) throw refuse('validation_failed', { fields: { filter: ['not_found'] } })
  if (n !== selection.expected)
    throw refuse('conflict', {
      reason: { code: 'selection_changed', params: { found: n, expected: selection.expected } },
    })
}
