import * as z from 'zod/mini'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
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
 * Questions of these versions in their order. For everybody the figures that are kept tell; for some people (`member`, a
 * condition on `a`) their answers are gone through. A question that nobody answered is not among them.
 */
export function itemSums(tx: Tx, versionIds: readonly string[], member: SQL | undefined): Promise<ItemRow[]> {
  const named = sql`= any(${arrayOf(versionIds, 'uuid')})`
  const sums = member
    ? sql`select item_id, ${summed} from (${marks(all([sql`a.version_id ${named}`, member]))}) m group by item_id`
    : sql`select item_id, n, sum_x as "sumX", sum_xx as "sumXX", sum_t as "sumT", sum_tt as "sumTT", sum_xt as "sumXT"
        from quiz_item_stats where version_id ${named}`
  return rows(
    tx,
    ItemRow,
    sql`select i.version_id as "versionId", i.id as "itemId", i.question ->> 'prompt' as prompt, i.points, s.n, s."sumX", s."sumXX",
        s."sumT", s."sumTT", s."sumXT"
      from quiz_items i join (${sums}) s on s.item_id = i.id where i.version_id ${named} order by i.version_id, i.position`,
  )
}
