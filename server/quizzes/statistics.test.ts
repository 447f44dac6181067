import { describe, expect, test } from 'vitest'
import { feldt, fisher, quantileOfF, wilson } from '../tracking/intervals.ts'
import {
  discriminationOf,
  effectiveWeights,
  efficiencyOf,
  facilityOf,
  greatestCovariance,
  momentsOf,
  noSums,
  reliabilityOf,
  sortedProducts,
  type ItemSums,
} from './statistics.ts'

/** The sums with one more person, or (`by` -1) with one less. */
function withPerson(sums: ItemSums, { x, t }: { x: number; t: number }, by: 1 | -1 = 1): ItemSums {
  return {
    n: sums.n + by,
    sumX: sums.sumX + by * x,
    sumXX: sums.sumXX + by * x * x,
    sumT: sums.sumT + by * t,
    sumTT: sums.sumTT + by * t * t,
    sumXT: sums.sumXT + by * x * t,
  }
}

const deviationOf = (sums: ItemSums) => Math.sqrt(momentsOf(sums)?.varX ?? NaN)

type Marks = readonly (readonly number[])[]
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

const each = (values: readonly number[]) => values.map((value) => ({ value, n: 1 }))

/** Column by column: the sums, and the products in ascending order. */
function itemsOf(marks: Marks) {
  const totals = marks.map(sumOf)
  return (marks[0] ?? []).map((_mark, item) => {
    const scores = marks.map((row) => row[item] ?? 0)
    const rests = scores.map((x, person) => (totals[person] ?? 0) - x)
    const sums = scores.reduce((so, x, person) => withPerson(so, { x, t: totals[person] ?? 0 }), noSums)
    return { sums, scores, rests, sorted: sortedProducts(each(scores), each(rests)) }
  })
}

/** Marks of 25 people in 7 questions of one point: Moodle, mod/quiz/report/statistics/tests/fixtures/results00.csv. */
const moodle: Marks = [
  [1, 1, 1, 1, 1, 0, 1],
  [1, 1, 1, 1, 0.5, 1, 0],
  [1, 1, 1, 1, 0.5, 0, 1],
  [0, 0, 1, 1, 1, 0, 0],
  [1, 0, 1, 0, 0, 1, 0.5],
  [1, 1, 1, 1, 0.5, 0, 0.5],
  [0, 1, 1, 1, 0.5, 1, 0.5],
  [1, 1, 1, 0, 0.5, 1, 0.5],
  [1, 0, 1, 1, 1, 1, 1],
  [0, 1, 1, 0, 0.5, 1, 0.5],
  [0.8, 0, 1, 1, 0.5, 1, 0.5],
  [1, 1, 1, 0, 0.5, 1, 1],
  [1, 0, 1, 1, 0.5, 1, 0.5],
  [1, 0, 1, 1, 1, 0, 0.5],
  [0, 0, 1, 1, 0, 1, 1],
  [1, 0, 1, 0, 0.5, 1, 1],
  [0.8, 0, 1, 1, 0.5, 0, 1],
  [1, 0, 1, 1, 0, 1, 0.5],
  [1, 0, 1, 1, 0.5, 0, 0.5],
  [0, 1, 1, 0, 0.5, 1, 0],
  [1, 1, 0.3333333, 1, 0.5, 0, 0.5],
  [1, 1, 1, 0, 0.5, 0, 0.5],
  [1, 1, 1, 1, 0, 1, 0.5],
  [0, 0, 1, 0, 0.5, 1, 1],
  [0, 0, 1, 1, 1, 1, 1],
]

/** Moodle, fixtures/qstats00.csv, worked out there in a spreadsheet. */
const moodleItems = [
  [
    0.704, 0.4513682901, 21.2922742344, -0.022555556, 0.2037333333, 0.5002777794, -7.0650767526, 0.2385555565,
    -9.4550536967,
  ],
  [
    0.48, 0.5099019514, 18.8979800309, -0.1172777785, 0.26, 0.6334555578, -28.8982125772, 0.318833334,
    -36.7834118938,
  ],
  [
    0.973333332, 0.13333334, 4.443012573, -0.0098888894, 0.0177777796, 0.6609, -9.1230674268, 0.045666669,
    -21.6545012165,
  ],
  [
    0.68, 0.4760952286, 18.9347251357, -0.0833888893, 0.2266666667, 0.5990111128, -22.6306444113,
    0.2652222232, -31.4411395613,
  ],
  [
    0.52, 0.3055050463, 11.1450138688, -0.0436944444, 0.0933333333, 0.6529555563, -17.6997047674,
    0.2063055556, -21.1794802584,
  ],
  [
    0.64, 0.4898979486, 9.8081339177, -0.2015555547, 0.24, 0.8220111101, -45.3785178421, 0.3539999995,
    -56.9365974439,
  ],
  [
    0.62, 0.331662479, 15.4788602394, -0.0142499998, 0.11, 0.5774000005, -5.6543166602, 0.2190833335,
    -6.5043742058,
  ],
]

describe('the quiz of 25 people and 7 questions that Moodle tests with', () => {
  const items = itemsOf(moodle)
  const weights = effectiveWeights(items.map(({ sums }) => sums))

  test.each(moodleItems.map((expected, item) => [item + 1, expected] as const))(
    'question %i: facility, deviation, weight, covariances, discrimination and efficiency to 1e-6',
    (position, expected) => {
      const { sums, sorted } = items[position - 1] ?? { sums: noSums, sorted: 0 }
      const { covXRest: covariance, varX: markVariance, varRest: otherMarkVariance } = momentsOf(sums) ?? {}
      const found = [
        facilityOf(sums, 1),
        deviationOf(sums),
        weights[position - 1],
        covariance,
        markVariance,
        otherMarkVariance,
        discriminationOf(sums),
        greatestCovariance(sums, sorted),
        efficiencyOf(sums, sorted),
      ]
      for (const [at, value] of expected.entries())
        expect(Math.abs((found[at] ?? NaN) - value)).toBeLessThan(1e-6)
    },
  )

  test('deviation, consistency and standard error of the whole quiz to 1e-6', () => {
    const found = reliabilityOf(items.map(({ sums }) => sums))
    expect(found?.deviation).toBeCloseTo(0.8117265554, 6)
    expect(found?.cic).toBeCloseTo(-87.2230935542, 6)
    expect(found?.standardError).toBeCloseTo(1.1106813066, 6)
  })
})

/** Marks of 22 people in the questions of slots 8 to 20, the first of 8 points: Moodle, fixtures/mdl_question_states.csv. */
const older: Marks = [
  [5.5, 0.3, 0.9, 1, 0.3, 1, 0, 0, 1, 1, 0, 0, 1],
  [1, 0.9, 0.9, 0.3, 0.3, 1, 0, 0, 1, 0, 1, 0, 1],
  [2.5, 1, 0.9, 0.3, 1, 0, 0, 1, 1, 1, 1, 1, 1],
  [4, 0.3, 0.9, 1, 0.3, 0, 0, 0, 0, 1, 0, 0, 1],
  [3, 0.9, 0.3, 0.9, 1, 0, 1, 0, 0, 1, 1, 1, 0],
  [4.5, 0.9, 1, 1, 0.9, 0, 1, 1, 1, 0, 0, 0, 0],
  [3, 0.3, 0.3, 0.3, 0.3, 1, 0, 1, 1, 1, 1, 1, 1],
  [6, 0.9, 0.9, 1, 0.3, 0, 1, 1, 1, 1, 0, 0, 1],
  [0.5, 0.9, 1, 0.9, 0.3, 0, 1, 1, 0, 1, 1, 0, 1],
  [5.5, 0.9, 1, 0.9, 0.3, 1, 1, 0, 0, 1, 0, 0, 0],
  [2.5, 0.9, 1, 1, 0.9, 0, 1, 0, 0, 1, 0, 0, 1],
  [4, 0.9, 0.3, 0.9, 1, 0, 1, 1, 1, 1, 1, 0, 1],
  [4, 0.9, 0.3, 0.3, 1, 1, 1, 1, 0, 0, 1, 1, 0],
  [3, 1, 1, 0.3, 1, 0, 1, 0, 1, 1, 1, 1, 0],
  [1, 1, 0.9, 0.3, 0.3, 1, 0, 1, 0, 0, 0, 0, 0],
  [1, 0.3, 0.3, 0.3, 0.9, 0, 0, 0, 1, 0, 0, 0, 1],
  [1.5, 1, 0.3, 0.9, 1, 1, 1, 0, 1, 1, 0, 0, 0],
  [4, 0.9, 1, 0.9, 1, 0, 1, 1, 1, 0, 1, 0, 0],
  [2, 0.9, 0.9, 0.3, 0.9, 0, 1, 0, 0, 0, 0, 0, 0],
  [1, 1, 0.3, 0.3, 0.3, 0, 1, 1, 0, 1, 0, 0, 0],
  [6, 0.9, 1, 1, 0.9, 0, 0, 0, 1, 0, 0, 1, 1],
  [7, 0.9, 0.3, 0.3, 0.3, 1, 0, 1, 1, 1, 1, 0, 0],
]

describe('the quiz of 22 people and 13 questions that Moodle tests with', () => {
  /** Moodle, tests/statistics_test.php, of contrib/tools/quiz_tools/stats.xls. */
  const expected = {
    facility: [
      41.19318182, 81.36363636, 71.36363636, 65.45454545, 65.90909091, 36.36363636, 59.09090909, 50,
      59.09090909, 63.63636364, 45.45454545, 27.27272727, 50,
    ],
    sd: [
      1912.733589, 251.2738111, 322.6312277, 333.4199022, 337.5811591, 492.3659639, 503.2362797, 511.7663157,
      503.2362797, 492.3659639, 509.6471914, 455.8423058, 511.7663157,
    ],
    weight: [
      26.58464457, 3.368456046, 3.253955259, 7.584083694, 3.79658376, 3.183278505, 4.532356904, 7.78856243,
      10.08351572, 8.381139345, 8.727645713, 7.946277111, 4.769500946,
    ],
    discrimination: [
      25.88327077, 1.170256965, -4.207816809, 28.16930644, -2.513606859, -12.99017581, -8.900638238,
      8.670004606, 29.63337745, 15.18945843, 16.21079629, 15.52451404, -8.396734802,
    ],
    efficiency: [
      27.23492723, 1.382386552, -4.691171307, 31.12404354, -2.877487579, -17.5074184, -10.27568922,
      10.86956522, 34.58997279, 17.4790556, 20.14359793, 22.06477733, -10,
    ],
  }
  const items = itemsOf(older)

  test.each([
    ['facility', items.map(({ sums }, at) => 100 * (facilityOf(sums, at === 0 ? 8 : 1) ?? NaN))],
    ['sd', items.map(({ sums }) => 1000 * deviationOf(sums))],
    ['weight', effectiveWeights(items.map(({ sums }) => sums))],
    ['discrimination', items.map(({ sums }) => discriminationOf(sums))],
    ['efficiency', items.map(({ sums, sorted }) => efficiencyOf(sums, sorted))],
  ] as const)('%s to 1e-6', (name, found) => {
    for (const [at, value] of expected[name].entries())
      expect(Math.abs((found[at] ?? NaN) - value), `question ${at + 1}`).toBeLessThan(1e-6)
  })
})

/** Repeatable chance (mulberry32). */
function chanceOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** By the definition itself: means first, then what differs from them. */
function slowly(scores: readonly number[], rests: readonly number[]) {
  const n = scores.length
  const [meanX, meanRest] = [sumOf(scores) / n, sumOf(rests) / n]
  const over = (of: (at: number) => number) => sumOf(scores.map((_x, at) => of(at))) / (n - 1)
  const x = (at: number) => (scores[at] ?? 0) - meanX
  const rest = (at: number) => (rests[at] ?? 0) - meanRest
  return {
    varX: over((at) => x(at) ** 2),
    varRest: over((at) => rest(at) ** 2),
    cov: over((at) => x(at) * rest(at)),
  }
}

describe('sums', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'give what the rows give, in any order and in parts (%i)',
    (seed) => {
      const chance = chanceOf(seed)
      const people = 2 + Math.floor(chance() * 400)
      const points = [1, 0.5, 8, 100, 3]
      const marks = Array.from({ length: people }, () =>
        points.map((most) => (chance() < 0.3 ? 0 : chance() < 0.6 ? most : most * chance())),
      )
      const totals = marks.map(sumOf)
      for (const [item, { sums, scores, rests }] of itemsOf(marks).entries()) {
        const { varX, varRest, cov } = slowly(scores, rests)
        const wanted = varX > 0 && varRest > 0 ? (100 * cov) / Math.sqrt(varX * varRest) : null
        expect(discriminationOf(sums) === null).toBe(wanted === null)
        expect(discriminationOf(sums) ?? 0).toBeCloseTo(wanted ?? 0, 6)
        expect(deviationOf(sums)).toBeCloseTo(Math.sqrt(varX), 6)
        const backwards = scores.reduceRight((so, x, at) => withPerson(so, { x, t: totals[at] ?? 0 }), noSums)
        expect(discriminationOf(backwards) ?? 0).toBeCloseTo(wanted ?? 0, 6)
        const gone = { x: scores[0] ?? 0, t: totals[0] ?? 0 }
        const without = withPerson(sums, gone, -1)
        expect(facilityOf(without, points[item] ?? 1)).toBeCloseTo(
          sumOf(scores.slice(1)) / (people - 1) / (points[item] ?? 1),
          9,
        )
      }
    },
  )

  test('say nothing where nothing varies, or nobody was there', () => {
    const alike = Array.from({ length: 40 }, (): ItemSums['n'] => 0.1)
    const sums = alike.reduce((so, x) => withPerson(so, { x, t: 3 * x }), noSums)
    expect(discriminationOf(sums)).toBeNull()
    expect(efficiencyOf(sums, sortedProducts(each(alike), each(alike.map((x) => 2 * x))))).toBeNull()
    expect(effectiveWeights([sums, sums])).toEqual([null, null])
    expect(reliabilityOf([sums, sums])).toBeNull()
    expect(facilityOf(noSums, 1)).toBeNull()
    expect(discriminationOf(noSums)).toBeNull()
  })
})

describe('intervals', () => {
  /** Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3; printed to four digits. */
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i in %i (Wilson)', (...[right, n, low, high]) => {
    const [from, to] = wilson(right / n, n)
    expect(from).toBeCloseTo(low, 4)
    expect(to).toBeCloseTo(high, 4)
  })

  test('of a correlation (Fisher), as R prints it for the example of cor.test', () => {
    const [low, high] = fisher(0.5711816, 9) ?? []
    expect(low).toBeCloseTo(-0.1497426, 6)
    expect(high).toBeCloseTo(0.8955795, 6)
    expect(fisher(0.5, 3)).toBeNull()
    expect(fisher(1, 40)).toEqual([1, 1])
  })

  /** SciPy 1.17.1, `scipy.stats.f.ppf`. */
  test.each([
    [0.975, 88, 528, 1.3529008064339298],
    [0.025, 88, 528, 0.7122227084194723],
    [0.5, 1, 1, 1.0],
    [0.975, 1, 9, 7.209283247522017],
    [0.025, 3, 7, 0.06837889693755993],
    [0.975, 24, 144, 1.739655931142108],
    [0.975, 999, 8991, 1.094994397941629],
    [0.025, 99999, 899991, 0.9907859557484099],
    [0.9, 10, 10, 2.3226039408913097],
  ])('quantile %d of F with %i and %i degrees of freedom', (...[p, d1, d2, value]) => {
    expect(quantileOfF(p, d1, d2) / value).toBeCloseTo(1, 9)
  })

  test('of alpha (Feldt)', () => {
    const [low, high] = feldt(0.85, 89, 7)
    expect(low).toBeCloseTo(0.7970648790349105, 9)
    expect(high).toBeCloseTo(0.8931665937370791, 9)
  })
})
