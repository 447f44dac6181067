/** 97.5 % of a standard normal distribution lies below: the half of a 95 % interval in standard errors. */
const z = 1.959963984540054

export type Interval = [low: number, high: number]

/**
 * 95 % interval of a share of n, 0 to 1 (Wilson 1927). For scores between nothing and full marks it is a little too wide rather
 * than too narrow, because nothing between 0 and 1 spreads more than yes and no do.
 */
export function wilson(share: number, n: number): Interval {
  const middle = share + (z * z) / (2 * n)
  const half = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))
  const scale = 1 + (z * z) / n
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)]
}

/** 95 % interval of a correlation, -1 to 1, by Fisher's z; null below four people. */
export function fisher(r: number, n: number): Interval | null {
  if (n < 4) return null
  if (Math.abs(r) >= 1) return [r, r]
  const half = z / Math.sqrt(n - 3)
  return [Math.tanh(Math.atanh(r) - half), Math.tanh(Math.atanh(r) + half)]
}

/**
 * 95 % interval of Cronbach's alpha of n people and k questions: 1 - (1 - alpha) F, with F of n - 1 and (n - 1)(k - 1) degrees of
 * freedom (Feldt, Woodruff and Salih 1987, formulas 6 and 7).
 */
export function feldt(alpha: number, n: number, k: number): Interval {
  const [d1, d2] = [n - 1, (n - 1) * (k - 1)]
  return [1 - (1 - alpha) * quantileOfF(0.975, d1, d2), 1 - (1 - alpha) * quantileOfF(0.025, d1, d2)]
}

/** The value below which a share p of an F distribution lies. */
export function quantileOfF(p: number, d1: number, d2: number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 100 && high - low > 1e-16; step++) {
    const middle = (low + high) / 2
    if (incompleteBeta(middle, d1 / 2, d2 / 2) < p) low = middle
    else high = middle
  }
  const x = (low + high) / 2
  return (d2 * x) / (d1 * (1 - x))
}

/** Regularized; on the side on which its continued fraction converges quickly. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b))
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b
}

/** Lentz's method; the number of steps grows with the root of the larger of a and b. */
function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m < 20_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    let change = 1
    for (const factor of [even, odd]) {
      d = 1 / away(1 + factor * d)
      c = away(1 + factor / c)
      change = d * c
      value *= change
    }
    if (Math.abs(change - 1) < 1e-15) break
  }
  return value
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b)
}

/** Coefficients of Lanczos with g = 7. */
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

function logGamma(value: number): number {
  const x = value - 1
  const t = x + 7.5
  const sum = lanczos.reduce((total, factor, at) => total + (at === 0 ? factor : factor / (x + at)), 0)
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum)
}
