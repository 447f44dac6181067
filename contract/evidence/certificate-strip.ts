import type { Part } from '../tracking/missing-parts.ts'

/** The seal of a certificate: the strip of one person, as every screen draws it. In px, or in points of paper in proportion. */
export const stripSize = { width: 320, height: 16 }

/**
 * Begins the drawing of the seal in a PDF, which is not compressed: whoever verifies reads what is drawn from the drawing itself. Another
 * way to draw it needs another mark, for what was downloaded before has to come out as it was.
 */
export const stripMark = '%sendreel-strip-1'

/** Of the strip, in px: from the top, and how high. */
export const thread = { y: 7, height: 2 }
export const bar = { y: 4, height: 8, least: 3, gap: 1.5 }

const colours = { missing: '0.471 0.522 0.494', watched: '0.071 0.525 0.427' }

/** How many signs of the fingerprint stand under it. */
const signs = 8
export const signsOf = (hash: string): string => hash.slice(0, signs)

/** The bars of the parts, in milliseconds: a part of a second in a long video would vanish. */
export function barsOf(covered: readonly Part[], durationMs: number): Part[] {
  const least = Math.ceil((bar.least * durationMs) / stripSize.width)
  return covered.map(([from, to]): Part => {
    const start = Math.max(0, Math.min(from, durationMs - least))
    return [start, Math.max(to, start + least)]
  })
}

/**
 * The seal as PDF draws it, `stripSize` large, with one unit of its length for each millisecond: a thread where nothing was watched,
 * and each part a bar, with a gap on both sides so that two parts never look like one.
 */
export function stripDrawing(covered: readonly Part[], durationMs: number): string {
  const length = Math.max(1, durationMs)
  const gap = Math.ceil((bar.gap * length) / stripSize.width)
  return [
    stripMark,
    `q ${(stripSize.width / length).toFixed(12)} 0 0 1 0 0 cm`,
    `${colours.missing} rg 0 ${thread.y} ${length} ${thread.height} re f`,
    ...barsOf(covered, length).flatMap(([from, to]) => [
      `1 g ${from - gap} ${bar.y} ${to - from + 2 * gap} ${bar.height} re f`,
      `${colours.watched} rg ${from} ${bar.y} ${to - from} ${bar.height} re f`,
    ]),
    'Q',
  ].join('\n')
}

const drawnBar = new RegExp(String.raw`^${colours.watched} rg (\d+) ${bar.y} (\d+) ${bar.height} re f$`, 'gm')

/** The bars that a drawing has. */
export const readStrip = (drawing: string): Part[] =>
  [...drawing.matchAll(drawnBar)].map(([, from, length]) => [Number(from), Number(from) + Number(length)])
