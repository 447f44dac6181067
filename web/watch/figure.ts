import type { Receipt } from '#contract/evidence/certificates.ts'
import { without } from '#contract/tracking/missing-parts.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import { countedOf } from '#web/recorder/counted.ts'

type KnownReceipt = Pick<Receipt, 'share' | 'missing'>

type FigureOptions = {
  durationMs: number
  maxRate: number
  /** What the recorder has of this visit. */
  spans: () => readonly Span[]
}

export type Figure = {
  /** What the server has counted, and what will count of what was played since then. */
  of: <R extends KnownReceipt>(receipt: R) => R
  /** What has been played so far is with the server: from here on its word alone holds for it. */
  settle: () => void
  /** Milliseconds of this visit that were played too fast. */
  fastMs: () => number
}

/** One figure for the words and the strip, while a video plays and its reports are on their way. */
export function createFigure({ durationMs, maxRate, spans }: FigureOptions): Figure {
  /** Index of the last span that the server knows, and how far. */
  let settled: readonly [index: number, endMs: number] = [-1, 0]

  function unsettled(): Span[] {
    const [last, until] = settled
    return spans()
      .filter(([index]) => index >= last)
      .map(([index, start, end, wall, rate, flags]): Span => {
        return [index, index === last ? until : start, end, wall, rate, flags]
      })
      .filter(([, start, end]) => start < end)
  }

  return {
    of(receipt) {
      if (receipt.missing === null) return receipt
      const missing = without(receipt.missing, countedOf(unsettled(), maxRate).ranges)
      const left = missing.reduce((sum, [from, to]) => sum + to - from, 0)
      return { ...receipt, missing, share: Math.floor(((durationMs - left) * 10_000) / durationMs) }
    },
    settle() {
      const [index, , endMs] = spans().at(-1) ?? [-1, 0, 0]
      settled = [index, endMs]
    },
    fastMs: () => countedOf(spans(), maxRate).fastMs,
  }
}
