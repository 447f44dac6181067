export type Rung = {
  /** `720p` and so on: the short side of the standard picture that it stands for. */
  name: string
  width: number
  height: number
  /** x264's constant rate factor. */
  crf: number
  /** Most bits per second of the picture. */
  maxBitrate: number
}

/** Length of a group of pictures and of a segment, in seconds. What is seen first on a slow line waits for a whole segment. */
export const keyFrameSeconds = 2
export const segmentSeconds = 4

const STEPS = [
  { short: 240, crf: 23, maxBitrate: 350_000 },
  { short: 360, crf: 23, maxBitrate: 750_000 },
  { short: 480, crf: 23, maxBitrate: 1_300_000 },
  { short: 720, crf: 22, maxBitrate: 2_800_000 },
  { short: 1080, crf: 22, maxBitrate: 4_500_000 },
]
const SMALLEST = { short: 240, crf: 23, maxBitrate: 350_000 }
/** A source a little below a step (1072 lines, say) keeps that step, at its own size. */
const NEARLY = 0.95
/** Beyond cinema's widest picture the long side counts, or decoders in phones give up. */
const WIDEST = 2.4

/** The renditions of an upright picture of this size, the smallest first, none larger than the source. */
export function ladder(width: number, height: number): Rung[] {
  const short = Math.min(width, height)
  const scaleFor = (target: number) => Math.min(1, target / Math.max(short, Math.max(width, height) / WIDEST))
  const rungs = STEPS.filter((step) => short >= step.short * NEARLY).map(
    ({ short: target, crf, maxBitrate }) => {
      const { width: rungWidth, height: rungHeight } = sized({ width, height, scale: scaleFor(target) })
      return { name: `${target}p`, width: rungWidth, height: rungHeight, crf, maxBitrate }
    },
  )
  if (rungs.length > 0) return rungs
  const own = sized({ width, height, scale: scaleFor(SMALLEST.short) })
  return [
    {
      name: `${Math.min(own.width, own.height)}p`,
      ...own,
      crf: SMALLEST.crf,
      maxBitrate: SMALLEST.maxBitrate,
    },
  ]
}

function sized({ width, height, scale }: { width: number; height: number; scale: number }) {
  return { width: even(width * scale), height: even(height * scale) }
}

/** 4:2:0 pictures have even sides; rounding must not make one larger than its source. */
function even(length: number): number {
  return Math.max(2, 2 * Math.floor(Math.round(length) / 2))
}
