import * as z from 'zod/mini'

/**
 * Statistics of questions, as Moodle defines them ("Quiz statistics calculations", docs.moodle.org/dev): over the first completed
 * attempt of each person, variances and covariances by n - 1. x is somebody's score for one question, t their score in all, and
 * the rest is t - x.
 */

/** Sums over n people. Those of two groups of people add up to those of both. */
export const ItemSums = z.object({
  n: z.number(),
  sumX: z.number(),
  sumXX: z.number(),
  sumT: z.number(),
  sumTT: z.number(),
  sumXT: z.number(),
})
export type ItemSums = z.infer<typeof ItemSums>

export const noSums: ItemSums = { n: 0, sumX: 0, sumXX: 0, sumT: 0, sumTT: 0, sumXT: 0 }

/** Rounding leaves traces where nothing varies: what is this small beside its sums is nothing. */
const trace = 1e-12

function spread(n: number, product: number, [a, b]: [number, number]): number {
  const deviation = product - (a * b) / n
  const isTrace = Math.abs(deviation) <= trace * (Math.abs(product) + Math.abs((a * b) / n))
  return isTrace ? 0 : deviation / (n - 1)
}

/** Variances and covariances of scores, totals and rests, in points squared. Null where one person alone, or nobody, answered. */
export function momentsOf({ n, sumX, sumXX, sumT, sumTT, sumXT }: ItemSums) {
  if (n < 2) return null
  const varX = spread(n, sumXX, [sumX, sumX])
  const covXT = spread(n, sumXT, [sumX, sumT])
  return {
    varX,
    varT: spread(n, sumTT, [sumT, sumT]),
    covXT,
    covXRest: spread(n, sumXT - sumXX, [sumX, sumT - sumX]),
    varRest: spread(n, sumTT - 2 * sumXT + sumXX, [sumT - sumX, sumT - sumX]),
  }
}

/** Mean score, 0 to 1 of what could be had. Low is hard. */
export function facilityOf({ n, sumX }: ItemSums, points: number): number | null {
  return n === 0 ? null : sumX / n / points
}

/**
 * Discrimination index, -100 to 100: the correlation of the scores with those of the REST of the quiz. (A page much copied calls
 * "upper minus lower 27 %" by this name: another statistic.) Null where one of the two does not vary.
 */
export function discriminationOf(sums: ItemSums): number | null {
  const moments = momentsOf(sums)
  if (!moments || moments.varX <= 0 || moments.varRest <= 0) return null
  return (100 * moments.covXRest) / Math.sqrt(moments.varX * moments.varRest)
}

/** Sum of the products of scores and rests, both in ascending order: the most that their products can sum up to. */
export function sortedProducts(scores: readonly Frequency[], rests: readonly Frequency[]): number {
  const [left, right] = [ascending(scores), ascending(rests)]
  let sum = 0
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const [score, rest] = [left[i], right[j]]
    if (!score || !rest) break
    const n = Math.min(score.n, rest.n)
    sum += n * score.value * rest.value
    score.n -= n
    rest.n -= n
    if (score.n === 0) i++
    if (rest.n === 0) j++
  }
  return sum
}

/** A value that so many people have. */
type Frequency = { value: number; n: number }

function ascending(values: readonly Frequency[]): Frequency[] {
  return values.map((one) => ({ ...one })).toSorted((a, b) => a.value - b.value)
}

/** The greatest covariance that these scores and these rests could have, had the best of one also the best of the other. */
export function greatestCovariance({ n, sumX, sumT }: ItemSums, sorted: number): number | null {
  return n < 2 ? null : spread(n, sorted, [sumX, sumT - sumX])
}

/**
 * Discriminative efficiency, up to 100: the covariance with the rest in percent of the greatest that was possible. It does not
 * follow from the sums alone; `sorted` comes from `sortedProducts`.
 */
export function efficiencyOf(sums: ItemSums, sorted: number): number | null {
  const moments = momentsOf(sums)
  const most = greatestCovariance(sums, sorted)
  return moments && most !== null && most !== 0 ? (100 * moments.covXRest) / most : null
}

/**
 * Effective weight of each question, in percent of all: how much of the spread of the totals comes from it. Null where the
 * covariance with the total is negative, and for all where none is positive.
 */
export function effectiveWeights(items: readonly ItemSums[]): (number | null)[] {
  const covariances = items.map((sums) => momentsOf(sums)?.covXT ?? 0)
  const total = covariances.reduce((sum, covariance) => sum + Math.sqrt(Math.max(covariance, 0)), 0)
  return covariances.map((covariance) =>
    total === 0 || covariance < 0 ? null : (100 * Math.sqrt(covariance)) / total,
  )
}

export type Reliability = {
  /** Coefficient of internal consistency: Cronbach's alpha in percent, at most 100, and without a lower end. */
  cic: number
  /** Of one person's score, in points. */
  standardError: number
  /** Standard deviation of the totals, in points. */
  deviation: number
}

/** k / (k - 1) (1 - sum of the variances of k questions / variance of the totals); null below two questions or where no total differs. */
export function reliabilityOf(items: readonly ItemSums[]): Reliability | null {
  const k = items.length
  const moments = items.map(momentsOf)
  const total = moments[0]?.varT ?? 0
  if (k < 2 || total <= 0) return null
  const ofItems = moments.reduce((sum, one) => sum + (one?.varX ?? 0), 0)
  const alpha = (k / (k - 1)) * (1 - ofItems / total)
  const deviation = Math.sqrt(total)
  return { cic: 100 * alpha, standardError: deviation * Math.sqrt(1 - alpha), deviation }
}
