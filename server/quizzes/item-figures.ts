import * as z from 'zod/mini'
import { questionKinds } from '#contract/quizzes.ts'
import { rows, together, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { catchUp, type DerivedFigure } from '../platform/derived/keys.ts'
import { firstAttempts } from './attempts-of.ts'
import { noSums, type ItemSums } from './statistics.ts'
import { otherAnswers, shortForm } from './typed-answers.ts'

/** Different answers that are counted one by one, the most frequent; all others are counted together. */
const mostAnswers = 200
/** Whoever reads waits until a version that so many have answered, at most, is worked out: 0.2 s of the database with ten questions. */
const mostPeople = 10_000
const mostAtOnce = 10_000

/** How many people gave this answer first, scored x points with it and t in all. Null: none. */
const AnswerCount = z.object({
  itemId: z.string(),
  kind: z.enum(questionKinds),
  answer: z.nullable(z.union([z.string(), z.array(z.string())])),
  x: z.number(),
  t: z.number(),
  n: z.number(),
})
type AnswerCount = z.infer<typeof AnswerCount>

/** An answer, or the short form of a typed one, to how many gave it and the sum of their t - x. */
export const Options = z.record(z.string(), z.object({ n: z.number(), rest: z.number() }))
type Options = z.infer<typeof Options>
/** x, t, and how many people have both. */
export const Marks = z.array(z.tuple([z.number(), z.number(), z.number()]))

const Median = z.object({ itemId: z.string(), medianMs: z.nullable(z.number()) })

/** What the statistics of questions follow from, worked out from the first completed attempt of each person with their version. */
export const itemFigures: DerivedFigure = {
  name: 'questions',
  bySubject: true,
  lock: 'itemFigures',
  most: mostAtOnce,
  // A version is worked out as a whole.
  collapses: true,
  restMs: 10_000,
  async recompute(tx, { organizationId, subject }) {
    const [given, medians] = await together(givenIn(tx, subject), mediansIn(tx, subject))
    const median = new Map(medians.map(({ itemId, medianMs }) => [itemId, medianMs]))
    const figures = [...Map.groupBy(given, ({ itemId }) => itemId)].map(([itemId, ofItem]) =>
      Object.assign({ itemId, medianMs: median.get(itemId) ?? null }, figuresOf(ofItem)),
    )
    await tx.execute(sql`delete from quiz_item_stats where version_id = ${subject}`)
    await tx.execute(
      sql`insert into quiz_item_stats (item_id, organization_id, version_id, n, sum_x, sum_xx, sum_t, sum_tt, sum_xt, options, marks, median_ms)
        select "itemId", ${organizationId}, ${subject}, n, "sumX", "sumXX", "sumT", "sumTT", "sumXT", options, marks, "medianMs"
        from jsonb_to_recordset(${JSON.stringify(figures)}::jsonb) as g("itemId" uuid, n int, "sumX" float8, "sumXX" float8,
          "sumT" float8, "sumTT" float8, "sumXT" float8, options jsonb, marks jsonb, "medianMs" float8)`,
    )
  },
}

/** What was not answered scores nothing. */
function givenIn(tx: Tx, versionId: string | null): Promise<AnswerCount[]> {
  return rows(
    tx,
    AnswerCount,
    sql`select i.id as "itemId", i.kind, w.answer, coalesce(w.score, 0) as x, f.score as t, count(*)::int as n
      from (${firstAttempts(sql`a.version_id = ${versionId}`)}) f join quiz_items i on i.version_id = f.version_id
      left join quiz_answers w on w.attempt_id = f.id and w.item_id = i.id and w.try = 1 group by 1, 2, 3, 4, 5`,
  )
}

/** Of the times that people had a question in sight; to a tenth of a second. */
function mediansIn(tx: Tx, versionId: string | null) {
  return rows(
    tx,
    Median,
    sql`select item_id as "itemId", (50 * (min(tenths) filter (where upto >= (total + 1) / 2)
        + min(tenths) filter (where upto >= total / 2 + 1)))::float8 as "medianMs"
      from (select item_id, tenths, sum(n) over (partition by item_id order by tenths) as upto, sum(n) over (partition by item_id) as total
        from (select w.item_id, round(w.took_ms / 100.0) as tenths, count(*)::int as n
          from (${firstAttempts(sql`a.version_id = ${versionId}`)}) f join quiz_answers w on w.attempt_id = f.id and w.try = 1
          group by 1, 2) times) added group by 1`,
  )
}

export function figuresOf(
  given: readonly AnswerCount[],
): ItemSums & { options: Options; marks: z.infer<typeof Marks> } {
  const marks = new Map<string, [number, number, number]>()
  let sums = noSums
  for (const { x, t, n } of given) {
    sums = withPeople(sums, { x, t, n })
    marks.set(`${x} ${t}`, [x, t, (marks.get(`${x} ${t}`)?.[2] ?? 0) + n])
  }
  return { ...sums, options: optionsOf(given), marks: [...marks.values()] }
}

function withPeople(sums: ItemSums, { x, t, n }: Pick<AnswerCount, 'x' | 't' | 'n'>): ItemSums {
  return {
    n: sums.n + n,
    sumX: sums.sumX + n * x,
    sumXX: sums.sumXX + n * x * x,
    sumT: sums.sumT + n * t,
    sumTT: sums.sumTT + n * t * t,
    sumXT: sums.sumXT + n * x * t,
  }
}

function optionsOf(given: readonly AnswerCount[]): Options {
  const counted = new Map<string, Options[string]>()
  const add = (key: string, { n, rest }: Options[string]) => {
    const known = counted.get(key) ?? { n: 0, rest: 0 }
    counted.set(key, { n: known.n + n, rest: known.rest + rest })
  }
  for (const { kind, answer, x, t, n } of given) {
    const keys = typeof answer === 'string' ? [shortForm(kind, answer)] : (answer ?? [])
    for (const key of keys) add(key, { n, rest: n * (t - x) })
  }
  const listed = [...counted].toSorted(([a, { n }], [b, { n: m }]) => m - n || (a < b ? -1 : 1))
  counted.clear()
  for (const [at, [key, figures]] of listed.entries()) add(at < mostAnswers ? key : otherAnswers, figures)
  return Object.fromEntries(counted)
}

type ReadVersion = { organizationId: string; versionId: string; people: number }

/** Called before the figures of a version are read. With many people it leaves them to the worker, and answers as of when they are. */
export function catchUpItems(
  tx: Tx,
  { organizationId, versionId, people }: ReadVersion,
): Promise<string | null> {
  const place = { figure: itemFigures, organizationId, subject: versionId }
  return catchUp(tx, place, people > mostPeople ? 0 : mostAtOnce)
}
