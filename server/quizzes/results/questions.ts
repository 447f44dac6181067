import * as z from 'zod/mini'
import {
  enoughPeople,
  rareShare,
  workingBand,
  type DiscriminationLabel,
  type FacilityBand,
  type GivenAnswer,
  type QuestionResult,
} from '#contract/quiz-results.ts'
import { QuizQuestion } from '#contract/quizzes.ts'
import { rows, together, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { fisher, wilson } from '../../tracking/intervals.ts'
import {
  discriminationOf,
  effectiveWeights,
  efficiencyOf,
  facilityOf,
  noSums,
  sortedProducts,
  ItemSums,
} from '../statistics.ts'
import { Marks, Options } from '../item-figures.ts'
import { otherAnswers } from '../typed-answers.ts'
import { grade } from '../grade.ts'

/** Different answers that are listed where people typed them; the most frequent. */
const mostTyped = 8

const Item = z.object({
  id: z.string(),
  position: z.number(),
  gate: z.boolean(),
  points: z.number(),
  question: QuizQuestion,
})
type Item = z.infer<typeof Item>
const CountedQuestion = z.extend(ItemSums, {
  itemId: z.string(),
  medianMs: z.nullable(z.number()),
  options: Options,
  marks: Marks,
})
type CountedQuestion = z.infer<typeof CountedQuestion>
/** One answer, how many gave it, and the sum of their t - x. */
type AnswerCount = { key: string; count: number; rest: number; correct: boolean }
type Marked = Omit<CountedQuestion, 'options' | 'marks'> & {
  right: number
  /** The sum of the products of x and t - x when both are put in order. */
  sorted: number
  /** Most frequent first. */
  given: AnswerCount[]
}

function itemsOf(tx: Tx, versionId: string): Promise<Item[]> {
  return rows(
    tx,
    Item,
    sql`select id, position, gate, points, question from quiz_items where version_id = ${versionId} order by position`,
  )
}

/** What is kept of each question. Answers themselves are not gone through. */
function countedOf(tx: Tx, versionId: string): Promise<CountedQuestion[]> {
  return rows(
    tx,
    CountedQuestion,
    sql`select s.item_id as "itemId", s.n, s.sum_x as "sumX", s.sum_xx as "sumXX", s.sum_t as "sumT", s.sum_tt as "sumTT",
        s.sum_xt as "sumXT", s.options, s.marks, s.median_ms as "medianMs"
      from quiz_item_stats s where s.version_id = ${versionId}`,
  )
}

function markedOf({ options, marks, ...counted }: CountedQuestion, { points, question }: Item): Marked {
  const xs = marks.map(([value, , n]) => ({ value, n }))
  const rests = marks.map(([x, t, n]) => ({ value: t - x, n }))
  const given = Object.entries(options)
    .filter(([key]) => key !== otherAnswers)
    .map(([key, { n, rest }]) => ({ key, count: n, rest, correct: isRight(question, key) }))
    .toSorted((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
  const right = xs.filter(({ value }) => value >= points - 1e-9).reduce((sum, { n }) => sum + n, 0)
  return { ...counted, right, sorted: sortedProducts(xs, rests), given }
}

/** An answer under the name by which it is counted is graded like every one that it stands for. */
function isRight({ kind, options, ...question }: QuizQuestion, key: string): boolean {
  if (options.length > 0) return options.some(({ id, correct }) => id === key && correct)
  return grade({ kind, options, ...question }, key).correct
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

type Answering = { item: Item; sums: Marked; maxScore: number }

/** Options in their order, chosen or not; or the texts that were typed most often. */
function answersOf({ item, sums, maxScore }: Answering): GivenAnswer[] {
  const { options } = item.question
  const counts = new Map(sums.given.map((one) => [one.key, one]))
  const listed =
    options.length > 0
      ? options.map(({ id, text, correct }) => ({ text, correct, found: counts.get(id) }))
      : sums.given.slice(0, mostTyped).map((found) => ({ text: found.key, correct: found.correct, found }))
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

type StatisticsQuery = { versionId: string; smallestGroup: number; maxScore: number }

/** Each question with its figures, and the sums behind them, in the order of the version. */
export async function questionsOf(tx: Tx, { versionId, smallestGroup, maxScore }: StatisticsQuery) {
  const [items, counted] = await together(itemsOf(tx, versionId), countedOf(tx, versionId))
  const byItem = new Map(counted.map((one) => [one.itemId, one]))
  const sums = items.map((item) => {
    const found = byItem.get(item.id)
    return found ? markedOf(found, item) : nobody(item.id)
  })
  const weights = effectiveWeights(sums)
  const questions = items.map((item, at) =>
    resultOf({
      item,
      sums: sums[at] ?? nobody(item.id),
      weight: weights[at] ?? null,
      maxScore,
      smallestGroup,
    }),
  )
  return { questions, sums }
}

type Rated = Answering & {
  weight: number | null
  smallestGroup: number
}

function resultOf({ item, sums, weight, maxScore, smallestGroup }: Rated): QuestionResult {
  const isShown = sums.n >= smallestGroup
  return {
    ...factsOf(item),
    people: sums.n,
    right: isShown ? sums.right : null,
    medianMs: isShown ? sums.medianMs : null,
    ...estimatesOf(item, sums),
    effectiveWeight: sums.n < enoughPeople.question ? null : weight,
    answers: isShown ? answersOf({ item, sums, maxScore }) : [],
  }
}

function nobody(itemId: string): Marked {
  return { ...noSums, itemId, sorted: 0, right: 0, medianMs: null, given: [] }
}

function factsOf({ id, position, gate, points, question }: Item) {
  const { kind, prompt, atMs, teaches } = question
  return { id, position, gate, points, kind, prompt, atMs, teaches }
}
