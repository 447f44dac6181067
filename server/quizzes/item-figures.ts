import * as z from 'zod/mini'
import { questionKinds } from '#contract/quizzes/quizzes.ts'
import { rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { catchUp, type DerivedFigure } from '../platform/derived/keys.ts'
import { firstAttempts } from './attempts-of.ts'
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

/** An answer, or the short form of a typed one, to how many gave it. */
export const Options = z.record(z.string(), z.number())
type Options = z.infer<typeof Options>
/** x, t, and how many people have both. */
export const Marks = z.array(z.tuple([z.number(), z.number(), z.number()]))

/** What is told of questions follows from these, worked out from the first completed attempt of each person with their version. */
export const itemFigures: DerivedFigure = {
  name: 'questions',
  bySubject: true,
  lock: 'itemFigures',
  most: mostAtOnce,
  // A version is worked out as a whole.
  collapses: true,
  restMs: 10_000,
  async recompute(tx, { organizationId, subject }) {
    const given = await givenIn(tx, subject)
    const figures = [...Map.groupBy(given, ({ itemId }) => itemId)].map(([itemId, ofItem]) =>
      Object.assign({ itemId }, figuresOf(ofItem)),
    )
    await tx.execute(sql`delete from quiz_item_stats where version_id = ${subject}`)
    await tx.execute(
      sql`insert into quiz_item_stats (item_id, organization_id, version_id, n, options, marks)
        select "itemId", ${organizationId}, ${subject}, n, options, marks
        from jsonb_to_recordset(${JSON.stringify(figures)}::jsonb) as g("itemId" uuid, n int, options jsonb, marks jsonb)`,
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

export function figuresOf(given: readonly AnswerCount[]) {
  const marks = new Map<string, [number, number, number]>()
  for (const { x, t, n } of given) marks.set(`${x} ${t}`, [x, t, (marks.get(`${x} ${t}`)?.[2] ?? 0) + n])
  return {
    n: given.reduce((sum, { n }) => sum + n, 0),
    options: optionsOf(given),
    marks: [...marks.values()],
  }
}

function optionsOf(given: readonly AnswerCount[]): Options {
  const counted = new Map<string, number>()
  const add = (key: string, n: number) => counted.set(key, (counted.get(key) ?? 0) + n)
  for (const { kind, answer, n } of given) {
    const keys = typeof answer === 'string' ? [shortForm(kind, answer)] : (answer ?? [])
    for (const key of keys) add(key, n)
  }
  const listed = [...counted].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  counted.clear()
  for (const [at, [key, n]] of listed.entries()) add(at < mostAnswers ? key : otherAnswers, n)
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
