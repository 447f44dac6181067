/** Geometry of a plot over media time; pixels, y downwards. Values come one for each bin of equal length. */
export type Box = { width: number; height: number; max: number }

/** Where the bin `index` of `count` begins. */
const left = (index: number, count: number, { width }: Box) => (index / count) * width
const top = (value: number, { height, max }: Box) => height - (Math.min(value, max) / max) * height
const round = (pixels: number) => Math.round(pixels * 10) / 10

/** A curve of steps: what is true of a bin holds for all of it. */
export function stepLine(values: readonly number[], box: Box): string {
  return values
    .map((value, index) => {
      const [from, to] = [left(index, values.length, box), left(index + 1, values.length, box)]
      return `${index === 0 ? 'M' : 'L'}${round(from)} ${round(top(value, box))}H${round(to)}`
    })
    .join('')
}

/** The same down to the ground. */
export function stepArea(values: readonly number[], box: Box): string {
  return values.length === 0 ? '' : `${stepLine(values, box)}V${box.height}H0Z`
}

/** A silhouette about the middle of the box, as high as each value; nothing where a value is 0. */
export function crowdOf(values: readonly number[], box: Box): string {
  return values
    .map((value, index) => {
      if (value <= 0) return ''
      const [from, to] = [left(index, values.length, box), left(index + 1, values.length, box)]
      const half = Math.max((Math.min(value, box.max) / box.max) * box.height, 2) / 2
      return `M${round(from)} ${round(box.height / 2 - half)}H${round(to)}v${round(2 * half)}H${round(from)}z`
    })
    .join('')
}

export type Bar = { index: number; x: number; y: number; width: number; height: number; isCut: boolean }

/** One bar for each value above zero, at least a pixel wide and two high, over most of its room; what is higher than the box is cut. */
export function barsOf(values: readonly number[], box: Box): Bar[] {
  const room = box.width / values.length
  return values.flatMap((value, index) => {
    if (value <= 0) return []
    const y = Math.min(top(value, box), box.height - 2)
    const width = Math.max(room * 0.8, 1)
    const x = left(index, values.length, box) + (room - width) / 2
    return [
      {
        index,
        x: round(x),
        y: round(y),
        width: round(width),
        height: round(box.height - y),
        isCut: value > box.max,
      },
    ]
  })
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200]

/** Round moments for the time axis, in milliseconds; as many as have room. */
export function ticksOf(durationMs: number, width: number): number[] {
  const room = Math.max(2, Math.floor(width / 72))
  const step = (steps.find((seconds) => durationMs / 1_000 / seconds <= room) ?? 14_400) * 1_000
  return Array.from({ length: Math.ceil(durationMs / step) }, (_, index) => index * step)
}

/** The least round number that holds all the values: the end of the axis. */
export function roundMax(values: readonly number[], least: number): number {
  const most = values.reduce((a, b) => Math.max(a, b), least)
  const power = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((end) => end >= most) ?? most
}

/** What an axis of times (milliseconds) counts in, so that its marks come out round: hours, minutes or seconds. */
export function timeUnit(values: readonly number[]): number {
  const most = Math.max(0, ...values)
  if (most >= 5 * 3_600_000) return 3_600_000
  return most >= 5 * 60_000 ? 60_000 : 1_000
}
