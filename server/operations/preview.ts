import * as z from 'zod/mini'
import type { BulkPreview } from '#contract/directory/bulk.ts'
import { rowReasons } from '#contract/operations.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, called } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { readCount } from '../platform/db/rows.ts'

type PreviewQuery = {
  /** Table with its alias, such as `users u`. */
  from: SQL
  chosen: SQL
  /** A word of `rowReasons`, or null. */
  blockedReason: SQL
  /** What one of them is called; null where it has no name. */
  name: SQL
}

const ReasonCount = z.object({
  reason: z.nullable(z.enum(rowReasons)),
  count: z.number(),
  names: z.array(z.string()),
})

/** As many as a question names before it says how many more there are. */
const namesAtMost = 5

/** Counts what would happen to the chosen ones; nothing is changed. */
export async function previewOf(
  tx: Tx,
  { from, chosen, blockedReason, name }: PreviewQuery,
): Promise<BulkPreview> {
  const found = await rows(
    tx,
    ReasonCount,
    sql`with judged as (select ${blockedReason} as reason, ${name} as name from ${from} where ${chosen})
      select reason, count(*)::int as count, case when reason is null then array(select name from judged
          where reason is null and name is not null order by ${called(sql`name`)} limit ${namesAtMost}) else '{}' end as names
        from judged group by reason order by count(*) desc, reason`,
  )
  const staying = found.flatMap(({ reason, count }) => (reason === null ? [] : { reason, count }))
  const changing = found.find(({ reason }) => reason === null)
  return {
    total: found.reduce((sum, { count }) => sum + count, 0),
    changing: changing?.count ?? 0,
    names: changing?.names ?? [],
    staying,
  }
}

type PickedIds = { ids: string[] }
type Filtered<Filter> = { filter: Filter; exceptIds: string[]; expected: number }

/** Condition on things with these ids: those that were picked, or all that a filter finds but a few; `matching` those somebody may see. */
export function selectedBy<Filter>(
  selection: PickedIds | Filtered<Filter>,
  id: SQL,
  matching: (filter: Filter | undefined) => SQL,
): SQL {
  if ('ids' in selection)
    return all([matching(undefined), sql`${id} = any(${arrayOf(selection.ids, 'uuid')})`])
  const { filter, exceptIds } = selection
  return all([matching(filter), exceptIds.length > 0 && sql`${id} <> all(${arrayOf(exceptIds, 'uuid')})`])
}

type CountedSelection = Pick<PreviewQuery, 'from' | 'chosen'> & {
  selection: PickedIds | { expected: number }
  /** What it says when a filter finds another number by now. */
  changed?: 'selection_changed' | 'people_changed'
}

/**
 * Refuses when the selection is about other things than its author was told: an id that is not there (or not theirs to see), or a
 * filter that finds another number by now.
 */
export async function requireCount(
  tx: Tx,
  { from, chosen, selection, changed = 'selection_changed' }: CountedSelection,
): Promise<void> {
  const counted = await readCount(tx, sql`select count(*)::int as n from ${from} where ${chosen}`)
  const n = counted
  if ('ids' in selection) {
    if (n !== new Set(selection.ids).size) throw refuse('not_found')
    return
  }
  if (n === 0) throw refuse('validation_failed', { fields: { filter: ['not_found'] } })
  if (n !== selection.expected)
    throw refuse('conflict', {
      reason: { code: changed, params: { found: n, expected: selection.expected } },
    })
}
