/** One line of the report. Its verdict follows from `target`; a figure without one is there to be read only. */
export type Figure = {
  workload: string
  what: string
  unit: string
  ours: number
  /** The same figure of a bare program in the same run. */
  floor?: number
  /** Of the figure itself, or of its ratio to the floor. */
  target?: Bound
}

export type Bound = { of: 'figure' | 'ratio'; most: number } | { of: 'figure' | 'ratio'; least: number }

/** Of the figure itself. */
export const bound = (most: number): Bound => ({ of: 'figure', most })

type Row = Record<(typeof columns)[number], string>
const columns = ['workload', 'ours', 'floor', 'ratio', 'target', 'verdict'] as const

export function ratioOf({ ours, floor }: Figure): number | undefined {
  return floor === undefined ? undefined : ours / floor
}

function verdictOf(figure: Figure): 'ok' | 'over' | '' {
  const { target } = figure
  if (!target) return ''
  const value = target.of === 'figure' ? figure.ours : (ratioOf(figure) ?? Infinity)
  const met = 'most' in target ? value <= target.most : value >= target.least
  return met ? 'ok' : 'over'
}

/** The report as people read it. */
export function tableOf(figures: Figure[]): string {
  const rows = rowsOf(figures)
  const widths = columns.map((name) => Math.max(...rows.map((row) => row[name].length)))
  const lines = rows.map((row) =>
    columns
      .map((name, i) => row[name].padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n')
}

/** Its head, and a row for each figure. */
export function rowsOf(figures: Figure[]): Row[] {
  return [Object.fromEntries(columns.map((name) => [name, name])) as Row, ...figures.map(rowOf)]
}

function rowOf(figure: Figure): Row {
  const { workload, what, unit, ours, floor, target } = figure
  const ratio = ratioOf(figure)
  return {
    workload: `${workload}: ${what}`,
    ours: `${shown(ours)} ${unit}`.trim(),
    floor: floor === undefined ? '' : shown(floor),
    ratio: ratio === undefined ? '' : `${ratio.toFixed(2)} x`,
    target: target ? targetText(target, unit) : '',
    verdict: verdictOf(figure),
  }
}

function targetText(target: Bound, unit: string): string {
  const bound = 'most' in target ? `<= ${shown(target.most)}` : `>= ${shown(target.least)}`
  return `${bound} ${target.of === 'ratio' ? 'x' : unit}`.trim()
}

/** Three digits that matter, no more. */
function shown(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** `share` between 0 and 1 of values that are sorted already. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
