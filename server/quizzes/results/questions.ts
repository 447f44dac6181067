import {
  enoughPeople,
  rareShare,
  workingBand,
  type Attention,
  type DiscriminationLabel,
  type FacilityBand,
  type GivenAnswer,
  type QuestionResult,
} from '#contract/quiz-results.ts'
import type { QuizQuestion } from '#contract/quizzes.ts'
import { rows, together, type Tx } from '../../db/client.ts'
import { sql } from '../../db/drizzle.ts'
import { marks, summed } from '../../plays/attempts.ts'
import { fisher, wilson } from '../../plays/intervals.ts'
import {
  discriminationOf,
  effectiveWeights,
  efficiencyOf,
  facilityOf,
  noSums,
  type ItemSums,
} from '../../plays/statistics.ts'
import { attentionOf } from './attention.ts'
import type { Head } from './head.ts'

/** Different answers that are listed where people typed them; the most frequent. */
const mostTyped = 8

type Item = {
  id: string
  position: number
  gate: boolean
  points: number
  question: QuizQuestion
}
type Marked = ItemSums & { itemId: string; sorted: number; right: number; medianMs: number | null }
type Given = { itemId: string; key: string; count: number; rest: number; correct: boolean }

function itemsOf(tx: Tx, versionId: string): Promise<Item[]> {
  return rows<Item>(
    tx,
    sql`select id, position, gate, points, question from quiz_items where version_id = ${versionId} order by position`,
  )
}

/** For each question the sums, and the products of the scores with the rests when both are put in order. */
function markedOf(tx: Tx, versionId: string): Promise<Marked[]> {
  return rows<Marked>(
    tx,
    sql`select item_id as "itemId", n, "sumX", "sumXX", "sumT", "sumTT", "sumXT", "right", "medianMs",
        (select sum(u.x * u.rest) from unnest(xs, rests) u(x, rest)) as sorted
      from (select item_id, ${summed}, count(*) filter (where correct)::int as "right",
          percentile_cont(0.5) within group (order by took_ms) as "medianMs",
          array_agg(x order by x) as xs, array_agg(t - x order by t - x) as rests
        from (${marks(sql`a.version_id = ${versionId}`)}) m group by item_id) items`,
  )
}

/** How often each option was chosen and each text typed, and the sum of the rests of who did. */
function givenOf(tx: Tx, versionId: string): Promise<Given[]> {
  return rows<Given>(
    tx,
    sql`select item_id as "itemId", key, count(*)::int as count, sum(t - x) as rest, bool_or(correct) as correct
      from (${marks(sql`a.version_id = ${versionId}`)}) m cross join lateral (
        select jsonb_array_elements_text(case jsonb_typeof(m.answer) when 'array' then m.answer end) as key
        union all select regexp_replace(btrim(fold_text(m.answer #>> '{}')), '\\s+', ' ', 'g') where jsonb_typeof(m.answer) <> 'array') given
      where m.answer is not null group by 1, 2 order by count(*) desc, key`,
  )
}

function labelOf(value: number): DiscriminationLabel {
  if (value < 0) return 'wrong_key'
  if (value < 20) return 'very_weak'
  if (value < 30) return 'weak'
  return value < 50 ? 'adequate' : 'very_good'
}

function bandOf(facility: number): FacilityBand {
  if (facility < workingBand[0]) return 'hard'
  return facility > workingBand[1] ? 'easy' : 'working'
}

/** What needs `enoughPeople.question`; null for all of it with fewer. */
function estimatesOf({ points }: Item, sums: Marked) {
  const { n } = sums
  const facility = facilityOf(sums, points)
  const discrimination = discriminationOf(sums)
  if (n < enoughPeople.question || facility === null)
    return { facility: null, discrimination: null, efficiency: null }
  return {
    facility: { value: facility, interval: wilson(facility, n), band: bandOf(facility) },
    discrimination: discrimination === null ? null : discriminationFor(discrimination, n),
    efficiency: efficiencyOf(sums, sums.sorted),
  }
}

function discriminationFor(value: number, n: number) {
  const interval = fisher(value / 100, n)
  return {
    value,
    interval: interval && ([100 * interval[0], 100 * interval[1]] satisfies [number, number]),
    label: labelOf(value),
  }
}

type Answering = { item: Item; sums: Marked; given: readonly Given[]; maxScore: number }

/** Options in their order, chosen or not; or the texts that were typed most often. */
function answersOf({ item, sums, given, maxScore }: Answering): GivenAnswer[] {
  const { options } = item.question
  const counts = new Map(given.map((one) => [one.key, one]))
  const listed =
    options.length > 0
      ? options.map(({ id, text, correct }) => ({ text, correct, found: counts.get(id) }))
      : given.slice(0, mostTyped).map((found) => ({ text: found.key, correct: found.correct, found }))
  const possible = maxScore - item.points
  const restOf = (sum: number, count: number) =>
    count === 0 || possible <= 0 ? null : sum / count / possible
  const isEnough = sums.n >= enoughPeople.question
  return listed.map(({ text, correct, found }) => {
    const { count, rest: sum } = found ?? { count: 0, rest: 0 }
    const rest = restOf(sum, count)
    const others = restOf(sums.sumT - sums.sumX - sum, sums.n - count)
    const share = sums.n === 0 ? 0 : count / sums.n
    return {
      text,
      correct,
      count,
      share,
      rest,
      isRare: isEnough && options.length > 0 && !correct && share < rareShare,
      drawsBetter: isEnough && !correct && rest !== null && others !== null && rest > others,
    }
  })
}

type Asked = { versionId: string; head: Head; maxScore: number }

/** Each question with its figures, and the sums behind them, in the order of the version. */
export async function questionsOf(tx: Tx, { versionId, head, maxScore }: Asked) {
  const [[items, marked], [given, attention]] = await together(
    together(itemsOf(tx, versionId), markedOf(tx, versionId)),
    together(
      givenOf(tx, versionId),
      head.isRecorded ? attentionOf(tx, versionId) : Promise.resolve(new Map<string, Attention>()),
    ),
  )
  const byItem = new Map(marked.map((one) => [one.itemId, one]))
  const sums = items.map(({ id }) => byItem.get(id) ?? nobody(id))
  const weights = effectiveWeights(sums)
  const questions = items.map((item, at) =>
    resultOf({
      item,
      sums: sums[at] ?? nobody(item.id),
      weight: weights[at] ?? null,
      given: given.filter(({ itemId }) => itemId === item.id),
      attention: attention.get(item.id),
      maxScore,
      smallestGroup: head.smallestGroup,
    }),
  )
  return { questions, sums }
}

type Rated = Answering & {
  weight: number | null
  attention: Attention | undefined
  smallestGroup: number
}

function resultOf({ item, sums, weight, given, attention, maxScore, smallestGroup }: Rated): QuestionResult {
  const isShown = sums.n >= smallestGroup
  const isSplit = attention !== undefined && isShown && attention.wrong >= smallestGroup
  return {
    ...factsOf(item),
    people: sums.n,
    right: isShown ? sums.right : null,
    medianMs: isShown ? sums.medianMs : null,
    ...estimatesOf(item, sums),
    effectiveWeight: sums.n < enoughPeople.question ? null : weight,
    answers: isShown ? answersOf({ item, sums, given, maxScore }) : [],
    attention: isSplit ? attention : null,
  }
}

function nobody(itemId: string): Marked {
  return { ...noSums, itemId, sorted: 0, right: 0, medianMs: null }
}

function factsOf({ id, position, gate, points, question }: Item) {
  const { kind, prompt, atMs, teaches } = question
  return { id, position, gate, points, kind, prompt, atMs, teaches }
}
