import * as z from 'zod/mini'
import { questionKinds } from '#contract/quizzes.ts'
import { arrayOf, rows, type Tx } from '#server/platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { tally } from '../../quizzes/attempts-of.ts'
import { otherAnswers, shortForm } from '../../quizzes/typed-answers.ts'

const Options = z.record(z.string(), z.object({ n: z.number(), rest: z.number() }))
type Options = z.infer<typeof Options>
const CountedAnswer = z.object({
  attemptId: z.string(),
  itemId: z.string(),
  kind: z.enum(questionKinds),
  answer: z.union([z.string(), z.array(z.string())]),
  x: z.number(),
  t: z.number(),
  options: Options,
})
type CountedAnswer = z.infer<typeof CountedAnswer>

/**
 * Takes the attempts of one person, whose viewer keys these are, out of the sums of their questions: the first completed attempt
 * with each version, the first try at each question. To be called before the attempts are deleted.
 */
export async function subtractAttempts(tx: Tx, viewerKeys: readonly string[]): Promise<void> {
  const counted = await rows(
    tx,
    CountedAnswer,
    sql`select f.id as "attemptId", w.item_id as "itemId", i.kind, w.answer, w.score as x, f.score as t, s.options
      from quiz_attempts f join quiz_answers w on w.attempt_id = f.id and w.try = 1
      join quiz_items i on i.id = w.item_id join quiz_item_stats s on s.item_id = w.item_id
      where f.is_first and f.viewer_key = any(${arrayOf(viewerKeys, 'text')})
      order by w.item_id for update of s`,
  )
  if (counted.length === 0) return
  await tally(tx, [...new Set(counted.map(({ attemptId }) => attemptId))], 'subtract')
  const options = new Map(counted.map((one) => [one.itemId, { ...one.options }]))
  for (const one of counted) takeOut(options.get(one.itemId) ?? {}, one)
  const sums = counted.map(({ itemId, x, t }) => ({ item_id: itemId, x, t }))
  await tx.execute(
    sql`update quiz_item_stats s set n = s.n - g.n, sum_x = s.sum_x - g.x, sum_xx = s.sum_xx - g.xx, sum_t = s.sum_t - g.t,
        sum_tt = s.sum_tt - g.tt, sum_xt = s.sum_xt - g.xt
      from (select item_id, count(*)::int as n, sum(x) as x, sum(x * x) as xx, sum(t) as t, sum(t * t) as tt, sum(x * t) as xt
        from jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) as r(item_id uuid, x float8, t float8) group by item_id) g
      where s.item_id = g.item_id`,
  )
  const left = [...options].map(([item_id, kept]) => ({ item_id, options: kept }))
  await tx.execute(
    sql`update quiz_item_stats s set options = g.options
      from jsonb_to_recordset(${JSON.stringify(left)}::jsonb) as g(item_id uuid, options jsonb) where s.item_id = g.item_id`,
  )
}

function takeOut(options: Options, { kind, answer, x, t }: CountedAnswer): void {
  const given = typeof answer === 'string' ? [shortForm(kind, answer)] : answer
  for (const one of given) {
    const key = Object.hasOwn(options, one) ? one : otherAnswers
    const known = options[key]
    if (!known) continue
    if (known.n <= 1) delete options[key]
    else options[key] = { n: known.n - 1, rest: known.rest - (t - x) }
  }
}
