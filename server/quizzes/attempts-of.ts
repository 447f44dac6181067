import * as z from 'zod/mini'
import { arrayOf, rows, together, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import { ItemSums } from './statistics.ts'

/** Who is known by name is one person, whichever link or session they answered through. `a`: a row of quiz_attempts. */
export const person = sql`coalesce(a.user_id::text, a.viewer_key)`

/** The first completed attempt of each person with each version: what statistics are made of. `where`: a condition on `a`. */
export function firstAttempts(where: SQL): SQL {
  return sql`select a.* from quiz_attempts a where a.is_first and ${where}`
}

/**
 * Every question of each of these first attempts: x is its score, t that of the attempt. The first try counts, and what was not
 * answered scores nothing. Each answer is looked up by its key; left to itself, the planner may go through all answers to a question
 * for each person.
 */
function marks(where: SQL): SQL {
  return sql`select i.version_id, i.id as item_id, coalesce(w.score, 0) as x, f.score as t
    from (${firstAttempts(where)}) f join quiz_items i on i.version_id = f.version_id
    left join lateral (select q.score from quiz_answers q where q.attempt_id = f.id and q.item_id = i.id and q.try = 1 limit 1) w on true`
}

/**
 * Counts first attempts in what their questions are judged by, or takes them out again. The sums of the questions must be locked:
 * that keeps everybody else away from these rows.
 */
export async function tally(
  tx: Tx,
  attemptIds: readonly string[],
  change: 'add' | 'subtract',
): Promise<void> {
  const n = change === 'add' ? sql`count(*)` : sql`-count(*)`
  const answers = sql`from quiz_attempts a join quiz_items i on i.version_id = a.version_id
    left join quiz_answers w on w.attempt_id = a.id and w.item_id = i.id and w.try = 1
    where a.id = any(${arrayOf(attemptIds, 'uuid')})`
  await together(
    tx.execute(
      sql`insert into quiz_item_marks as m (item_id, organization_id, x, t, n)
        select i.id, a.organization_id, coalesce(w.score, 0), a.score, ${n} ${answers} group by 1, 2, 3, 4
        on conflict (item_id, x, t) do update set n = m.n + excluded.n`,
    ),
    tx.execute(
      sql`insert into quiz_item_times as m (item_id, organization_id, tenths, n)
        select i.id, a.organization_id, round(w.took_ms / 100.0), ${n} ${answers} and w.took_ms is not null group by 1, 2, 3
        on conflict (item_id, tenths) do update set n = m.n + excluded.n`,
    ),
  )
  if (change === 'add') return
  // Where nobody is left, nothing tells any more that somebody was.
  const emptied = sql`n = 0 and item_id in (select i.id ${answers})`
  await together(
    tx.execute(sql`delete from quiz_item_marks where ${emptied}`),
    tx.execute(sql`delete from quiz_item_times where ${emptied}`),
  )
}

/** The sums of `ItemSums` over rows with x and t. */
const summed = sql`count(*)::int as n, sum(x) as "sumX", sum(x * x) as "sumXX", sum(t) as "sumT", sum(t * t) as "sumTT",
  sum(x * t) as "sumXT"`

export const ItemRow = z.extend(ItemSums, {
  versionId: z.string(),
  itemId: z.string(),
  prompt: z.string(),
  points: z.number(),
})
export type ItemRow = z.infer<typeof ItemRow>

/**
 * Questions of these versions in their order. For everybody the sums that every attempt adds to tell; for some people (`member`, a
 * condition on `a`) their answers are gone through. A question that nobody answered is not among them.
 */
export function itemSums(tx: Tx, versionIds: readonly string[], member: SQL | undefined): Promise<ItemRow[]> {
  const named = sql`= any(${arrayOf(versionIds, 'uuid')})`
  const sums = member
    ? sql`select item_id, ${summed} from (${marks(all([sql`a.version_id ${named}`, member]))}) m group by item_id`
    : sql`select item_id, n, sum_x as "sumX", sum_xx as "sumXX", sum_t as "sumT", sum_tt as "sumTT", sum_xt as "sumXT"
        from quiz_item_stats where version_id ${named} and n > 0`
  return rows(
    tx,
    ItemRow,
    sql`select i.version_id as "versionId", i.id as "itemId", i.question ->> 'prompt' as prompt, i.points, s.n, s."sumX", s."sumXX",
        s."sumT", s."sumTT", s."sumXT"
      from quiz_items i join (${sums}) s on s.item_id = i.id where i.version_id ${named} order by i.version_id, i.position`,
  )
}
